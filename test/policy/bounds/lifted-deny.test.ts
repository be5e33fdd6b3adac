import { describe, expect, it } from "vitest";
import {
  parseAbsolutePath as at,
  bindProfile,
  liftedDeny,
  preserveDenies,
} from "../../../src/policy/index.ts";
import { boundWith, HOST, profileWith, type Rule } from "../support/profiles.ts";

describe("liftedDeny", () => {
  it("finds a grant by symbol inside a deny by path, which only binding brings together", () => {
    const current = profileWith([
      [":root", "read"],
      ["/r/priv", "deny"],
    ]);
    const grant: Rule = [":workspace_roots/priv/x", "write"];
    const next = preserveDenies(current, profileWith([grant]), { mayDropDenies: false });
    expect(liftedDeny(bindProfile(current, HOST), bindProfile(next, HOST))).toMatchObject({
      path: "/r/priv/x",
      asked: "write",
      rule: expect.stringContaining("/r/priv"),
    });
  });

  it("finds a deny that the next profile left out", () => {
    const current = boundWith([["/s", "deny"]]);
    expect(liftedDeny(current, boundWith([[":root", "read"]]))).toMatchObject({ path: "/s" });
  });

  it("finds nothing where the current profile has the place open too", () => {
    const rules: Rule[] = [
      ["/s", "deny"],
      ["/s/out", "write"],
    ];
    expect(liftedDeny(boundWith(rules), boundWith(rules))).toBeUndefined();
  });

  const patterned: readonly Rule[] = [
    [":root", "read"],
    ["glob:codex-project-roots://**/*.env", "deny"],
  ];
  const patternsAt = (...roots: string[]) =>
    bindProfile(profileWith(patterned), { ...HOST, workspaceRoots: roots.map(at) });

  it("finds a pattern that goes with the folder it was bound to", () => {
    expect(liftedDeny(patternsAt("/r"), patternsAt("/s"))).toMatchObject({
      path: "/r/**/*.env",
      asked: "read",
      rule: expect.stringContaining("*.env"),
    });
    expect(liftedDeny(patternsAt("/r", "/s"), patternsAt("/r"))).toMatchObject({
      path: "/s/**/*.env",
    });
    expect(liftedDeny(patternsAt("/r"), patternsAt("/r/sub"))).toMatchObject({
      path: "/r/**/*.env",
    });
  });

  it("finds none where the pattern stands, holds from a folder above on, or nothing is open", () => {
    expect(liftedDeny(patternsAt("/r"), patternsAt("/r", "/s"))).toBeUndefined();
    expect(liftedDeny(patternsAt("/r/sub"), patternsAt("/r"))).toBeUndefined();
    expect(liftedDeny(patternsAt("/r"), boundWith([["/s", "write"]]))).toBeUndefined();
  });

  it("finds a pattern where the next profile opens only something below", () => {
    const next = boundWith([["/r/sub/deep", "write"]]);
    expect(liftedDeny(patternsAt("/r"), next)).toMatchObject({ asked: "write" });
  });
});
