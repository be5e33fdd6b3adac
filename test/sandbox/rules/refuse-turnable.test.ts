import { describe, expect, it } from "vitest";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import type { FileFacts } from "../../../src/sandbox/files/file-facts.ts";
import { refuseTurnable } from "../../../src/sandbox/rules/refuse-turnable.ts";
import { SandboxError } from "../../../src/sandbox/sandbox-error.ts";
import { boundWith, type Rule } from "../../policy/support/profiles.ts";
import { fileTree } from "../support/file-tree.ts";

const WORKSPACE: readonly Rule[] = [
  [":root", "read"],
  ["/r", "write"],
];
const DISK = fileTree("/o/k", ["/r/l.env", "../o/k"], ["/s/l.env", "/r/hop"], ["/r/hop", "/o/k"]);
const RULE = { pattern: "/**/*.env", rule: '"**/*.env" = "deny"' };

/** Refuses unless what the pattern matches, by the links named with it, stays closed. */
function judge(matches: Record<string, string[]>, more: readonly Rule[] = [], facts = DISK): void {
  const found = Object.entries(matches).map(([path, links]) => ({
    path: parseAbsolutePath(path),
    rule: RULE,
    links: links.map((link) => parseAbsolutePath(link)),
  }));
  refuseTurnable(found, boundWith([...WORKSPACE, ...more]), facts);
}

describe("refuseTurnable", () => {
  it("names what is hidden, and the link that the command may remove", () => {
    expect(() => judge({ "/o/k": ["/r/l.env"] })).toThrow(SandboxError);
    expect(() => judge({ "/o/k": ["/r/l.env"] })).toThrow(
      'Cannot enforce "**/*.env" = "deny": it hides "/o/k" only because the link "/r/l.env" leads there',
    );
  });

  it.each<[string, Record<string, string[]>, FileFacts?]>([
    ["a later link on the way", { "/o/k": ["/s/dir", "/r/l.env"] }],
    ["a link that a link leads through", { "/o/k": ["/s/l.env"] }],
    ["a link that has just gone", { "/o/k": ["/r/l.env"] }, fileTree("/o/k", "/r/")],
    ["a folder that has no other way either", { "/o": ["/r/l.env"], "/o/k": ["/r/l.env"] }],
  ])("refuses for %s", (_, matches, facts) => {
    expect(() => judge(matches, [], facts)).toThrow(SandboxError);
  });

  it("names the pattern for a link that changed while it was looked at", () => {
    const linkAt = () => {
      throw new SandboxError("unprotectablePath", "Cannot look at it");
    };
    expect(() => judge({ "/o/k": ["/s/l.env"] }, [], { ...DISK, linkAt })).toThrow(
      'Cannot enforce "**/*.env" = "deny": the link "/s/l.env" cannot be followed',
    );
  });

  it.each<[string, Record<string, string[]>, Rule[]?]>([
    ["the pattern names the place itself", { "/o/k": [] }],
    ["the link lies where the command may not write", { "/o/k": ["/s/k.env"] }],
    ["a rule denies the place", { "/o/k": ["/r/l.env"] }, [["/o/k", "deny"]]],
    ["a rule denies the folder above", { "/o/k": ["/r/l.env"] }, [["/o", "deny"]]],
    ["the pattern hides the folder above", { "/o": [], "/o/k": ["/r/l.env"] }],
    ["a rule closes the folder of the link", { "/o/k": ["/r/in/l.env"] }, [["/r/in", "read"]]],
  ])("refuses nothing where %s", (_, matches, more) => {
    expect(() => judge(matches, more)).not.toThrow();
  });
});
