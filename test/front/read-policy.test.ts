import { describe, expect, it } from "vitest";
import { type AskedPolicy, openSandbox, readPolicy } from "../../src/front/index.ts";
import { policyForMode, profileOfPolicy, SANDBOX_MODES } from "../../src/policy/index.ts";

/** What somebody without a compiler may hand in. */
const UNREADABLE: readonly [string, unknown, RegExp][] = [
  ["nothing", undefined, /^Cannot use policy undefined: .*expected read-only, .*or an object/],
  ["null", null, /^Cannot use policy null: .*or an object/],
  ["an empty text", "", /Cannot use policy "": there is no such mode, expected read-only, /],
  ["a mode that there is not", "yolo", /Cannot use policy "yolo": there is no such mode/],
  ["a type that there is not", { type: "open" }, /sandboxPolicy/],
  ["a member that may be a restriction", { type: "readOnly", deny: ["/etc"] }, /deny/],
];

describe("readPolicy", () => {
  it.each(SANDBOX_MODES)("means by %s what the mode means everywhere", (mode) => {
    expect(readPolicy(mode)).toEqual(profileOfPolicy(policyForMode(mode)));
  });

  it("fills in what a policy leaves out as the wire does", () => {
    const whole = policyForMode("workspace-write");
    expect(readPolicy({ type: "workspaceWrite" })).toEqual(profileOfPolicy(whole));
  });

  it.each(UNREADABLE)("throws on %s: there is no default", (_, asked, sentence) => {
    const read = () => readPolicy(asked as AskedPolicy);
    expect(read).toThrow(expect.objectContaining({ name: "PolicyError" }));
    expect(read).toThrow(sentence);
  });
});

describe("openSandbox", () => {
  it.each(UNREADABLE)("opens nothing under %s", async (_, asked, sentence) => {
    const policy = asked as AskedPolicy;
    const opened = openSandbox({ policy, workspace: "/repo", home: "/nowhere/.writ" });
    await expect(opened).rejects.toThrow(sentence);
  });

  it.each([
    ["workspace", { workspace: "repo", home: "/nowhere/.writ" }],
    ["home", { workspace: "/repo", home: "nowhere" }],
  ])("refuses a relative %s", async (_, place) => {
    const opened = openSandbox({ policy: "read-only", ...place });
    await expect(opened).rejects.toThrow(/absolute/);
  });
});
