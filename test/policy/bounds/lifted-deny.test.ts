import { describe, expect, it } from "vitest";
import { bindProfile, liftedDeny, preserveDenies } from "../../../src/policy/index.ts";
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
});
