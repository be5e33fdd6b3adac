import { describe, expect, it } from "vitest";
import { PROTECTED_NAMES } from "../../../src/policy/index.ts";
import { accesses, boundWith, type Rule } from "../support/profiles.ts";

const WORKSPACE: readonly Rule[] = [
  [":root", "read"],
  [":workspace_roots", "write"],
];

function access(more: readonly Rule[], paths: readonly string[]) {
  return accesses(boundWith([...WORKSPACE, ...more]), paths);
}

describe("protected names", () => {
  it.each([".git", ".agents", ".codex", ".aws"])(
    "case 37: keeps %s read-only at the top of the workspace",
    (name) => {
      expect(access([], [`/r/${name}`, `/r/${name}/a/b`])).toEqual({
        [`/r/${name}`]: "read",
        [`/r/${name}/a/b`]: "read",
      });
    },
  );

  it("case 38: leaves a nested .git free", () => {
    expect(access([], ["/r/sub/.git/x", "/r/.git2", "/r/a.git"])).toEqual({
      "/r/sub/.git/x": "write",
      "/r/.git2": "write",
      "/r/a.git": "write",
    });
  });

  it("case 39: keeps a name read-only that no disk has yet", () => {
    const bound = boundWith([["/not/there", "write"]]);
    const paths = PROTECTED_NAMES.map(({ name }) => `/not/there/${name}`);
    expect(new Set(Object.values(accesses(bound, paths)))).toEqual(new Set(["read"]));
  });

  it("case 40: an entry on .codex lifts its protection and no other", () => {
    expect(access([["/r/.codex", "write"]], ["/r/.codex/rules", "/r/.git"])).toEqual({
      "/r/.codex/rules": "write",
      "/r/.git": "read",
    });
  });

  it("case 41: reopens .git/hooks alone", () => {
    expect(access([["/r/.git/hooks", "write"]], ["/r/.git/hooks/x", "/r/.git/config"])).toEqual({
      "/r/.git/hooks/x": "write",
      "/r/.git/config": "read",
    });
  });

  it("case 42: a symbolic entry on .git lifts its protection", () => {
    expect(access([[":workspace_roots/.git", "write"]], ["/r/.git/config"])).toEqual({
      "/r/.git/config": "write",
    });
  });

  it("case 42: a default protection beside it does not take the lift away", () => {
    const rules: readonly Rule[] = [
      ["/r/.git", "read", "skip"],
      [":workspace_roots/.git", "write"],
    ];
    expect(access(rules, ["/r/.git/config"])).toEqual({ "/r/.git/config": "write" });
  });
});
