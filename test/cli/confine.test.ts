/** The command line of `confine` as far as it gets without a client. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { writ } from "./support/cli-world.ts";

describe("writ confine", () => {
  it("fits its help on a screen of 80 by 24", async () => {
    const { out, status } = await writ(["confine", "--help"]);
    const lines = out.trimEnd().split("\n");
    expect(status).toBe(0);
    expect(lines.length).toBeLessThanOrEqual(23);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    for (const code of [125, 2]) expect(out).toMatch(new RegExp(`\\b${code} (when|on)\\b`));
  });

  it.each([
    ["no server", [], /no server was given, expected one after --/],
    ["an empty command", ["--"], /no server was given/],
    ["a server without a name", ["--", ""], /Cannot confine "": it is empty, expected a server/],
    ["a ceiling without a name", ["--ceiling", "", "--", "x"], /--ceiling "": it is empty/],
    ["a network it does not know", ["--network", "on", "--", "x"], /expected off or asSent/],
    ["a network without its value", ["--network"], /--network/],
    ["a variable that is not there", ["--env", "NOPE", "--", "x"], /"NOPE": there is no such/],
    ["two policies", ["--sandbox", "read-only", "--profile", "a", "--", "x"], /expected one of/],
    ["a mode it does not know", ["--sandbox", "none", "--", "x"], /Cannot use mode "none"/],
    ["a ceiling that is not there", ["--ceiling", "/nope.toml", "--", "x"], /no such file/],
    [
      "a waiver where a sandbox is required",
      ["--require-sandbox", "--network", "off", "--sandbox", "danger-full-access", "--", "x"],
      /the policy waives the sandbox/,
    ],
    ["an empty folder", ["-C", "", "--", "x"], /it is empty, expected a folder/],
    ["no folder", ["-C", "/nope", "--", "x"], /there is no such folder, expected a folder/],
  ])("exits 2 with a sentence and the way to the help on %s", async (_, args, message) => {
    const folder = temporaryFolder();
    const { status, out, err } = await writ(["confine", ...args], folder, folder);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toMatch(message);
    expect(err).toMatch(/^writ: .+\nRun: writ confine --help\n$/);
  });

  it("refuses a ceiling that it cannot read", async () => {
    const folder = temporaryFolder();
    const ceiling = path.join(folder, "ceiling.toml");
    writeFileSync(ceiling, "not toml at all [");
    const { status, err } = await writ(
      ["confine", "--ceiling", ceiling, "--", "x"],
      folder,
      folder,
    );
    expect(status).toBe(2);
    expect(err).toContain("ceiling.toml");
  });
});
