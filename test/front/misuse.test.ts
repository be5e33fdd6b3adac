/** What a program without a compiler may hand in. */
import { describe, expect, it } from "vitest";
import { openSandbox, type SandboxOptions } from "../../src/front/index.ts";

const FINE = { policy: "read-only", workspace: "/repo", home: "/nowhere/.writ" };

describe("openSandbox", () => {
  it.each<[string, unknown, string]>([
    ["no options", undefined, "its options are undefined, expected an object"],
    ["a workspace alone", "/repo", 'its options are "/repo", expected an object'],
    [
      "no home, as where HOME is not set",
      { ...FINE, home: undefined },
      '"home" is undefined, expected the absolute path of a folder',
    ],
    [
      "a home that another folder would move",
      { ...FINE, home: "rel" },
      '"home" is "rel", expected the absolute path of a folder',
    ],
    [
      "a workspace that is no text",
      { ...FINE, workspace: new URL("file:///repo") },
      '"workspace" is an object, expected the absolute path of a folder',
    ],
    [
      "an option that may be a restriction",
      { ...FINE, write: "apart" },
      'there is no option "write", expected policy, workspace, home, thread, writes',
    ],
    [
      "a way to write that there is not",
      { ...FINE, writes: "nowhere" },
      '"writes" is "nowhere", expected "through" or "apart"',
    ],
    ["a thread that is no name", { ...FINE, thread: 7 }, '"thread" is 7, expected a name'],
    ["a thread without a name", { ...FINE, thread: "" }, '"thread" is "", expected a name'],
  ])("opens nothing with %s, and says so", async (_, options, why) => {
    await expect(openSandbox(options as SandboxOptions)).rejects.toThrow(
      new TypeError(`Cannot open a sandbox: ${why}`),
    );
  });

  it.each<[string, Partial<SandboxOptions>, string]>([
    ["workspace", { workspace: "/re\0po" }, String.raw`Cannot use path "/re\u0000po"`],
    [
      "workspace that is kept apart",
      { workspace: "/re\0po", writes: "apart" },
      String.raw`Cannot use path "/re\u0000po"`,
    ],
    ["home", { home: "/ho\0me" }, String.raw`Cannot read "/ho\u0000me/config.toml"`],
  ])("refuses a %s with a NUL in a sentence of its own", async (_, options, cannot) => {
    await expect(openSandbox({ ...FINE, ...options } as SandboxOptions)).rejects.toThrow(
      `${cannot}: it holds bytes no path has, expected one without NUL and half characters`,
    );
  });
});
