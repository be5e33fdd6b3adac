import { describe, expect, it } from "vitest";
import { accesses, boundWith, profileWith, type Rule } from "../support/profiles.ts";
import { expectRefusal } from "../support/refusal.ts";

const WORKSPACE: readonly Rule[] = [
  [":root", "read"],
  [":workspace_roots", "write"],
];

function access(pattern: string, paths: readonly string[], roots: readonly string[] = ["/r"]) {
  return accesses(boundWith([...WORKSPACE, [`glob:${pattern}`, "deny"]], roots), paths);
}

describe("deny patterns", () => {
  it("case 57: hides matches at every depth, also those that do not exist yet", () => {
    expect(access("/r/**/*.env", ["/r/a.env", "/r/x/y/z/.env", "/r/new.env", "/a.env"])).toEqual({
      "/r/a.env": "deny",
      "/r/x/y/z/.env": "deny",
      "/r/new.env": "deny",
      "/a.env": "read",
    });
  });

  it("case 57: denies whatever an entry grants on the match", () => {
    const bound = boundWith([...WORKSPACE, ["glob:/r/**/*.env", "deny"], ["/r/a.env", "write"]]);
    expect(accesses(bound, ["/r/a.env"])).toEqual({ "/r/a.env": "deny" });
  });

  it("case 59: hides a relative *.env at every depth below the cwd", () => {
    expect(access("*.env", ["/r/a.env", "/r/x/y/a.env", "/s/a.env"])).toEqual({
      "/r/a.env": "deny",
      "/r/x/y/a.env": "deny",
      "/s/a.env": "read",
    });
  });

  it("case 61: hides what is in a folder that matches, which Codex leaves open", () => {
    expect(access("/r/**/secret*", ["/r/a/secrets", "/r/a/secrets/deep/f", "/r/a/open"])).toEqual({
      "/r/a/secrets": "deny",
      "/r/a/secrets/deep/f": "deny",
      "/r/a/open": "write",
    });
  });

  it("case 62: understands alternatives and an unclosed bracket", () => {
    expect(access("/r/*.{env,key}", ["/r/a.env", "/r/a.key", "/r/a.txt"])).toEqual({
      "/r/a.env": "deny",
      "/r/a.key": "deny",
      "/r/a.txt": "write",
    });
    expect(access("/r/a[b", ["/r/a[b", "/r/ab"])).toEqual({ "/r/a[b": "deny", "/r/ab": "write" });
  });

  it("case 63: binds a symbolic pattern to every workspace root, which one Codex path lets fail open", () => {
    const paths = ["/r/x/a.env", "/s/a.env", "/other/a.env"];
    expect(access("codex-project-roots://**/*.env", paths, ["/r", "/s"])).toEqual({
      "/r/x/a.env": "deny",
      "/s/a.env": "deny",
      "/other/a.env": "read",
    });
  });

  it.each(["read", "write"])(
    "case 64: refuses a pattern that grants %s, which Codex accepts and ignores",
    (word) => {
      expectRefusal(() => profileWith([["glob:/r/*.md", word]]), "malformed", "entries[0]");
    },
  );

  it("case 65: does not let a star or a class cross a slash", () => {
    const paths = ["/r/a/file12.txt", "/r/a/file1x.txt", "/r/a/filexy.txt", "/r/a/b/file12.txt"];
    expect(access("/r/*/file[0-9]?.txt", paths)).toEqual({
      "/r/a/file12.txt": "deny",
      "/r/a/file1x.txt": "deny",
      "/r/a/filexy.txt": "write",
      "/r/a/b/file12.txt": "write",
    });
  });
});
