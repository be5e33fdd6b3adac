import { describe, expect, it } from "vitest";
import { parseAbsolutePath as at } from "../../../src/policy/index.ts";
import { ownRules } from "../../../src/sandbox/rules/own-paths.ts";
import { boundWith, type Rule } from "../../policy/support/profiles.ts";
import { fileTree } from "../support/file-tree.ts";

const FILES = fileTree("/v/anchors/mine/home/", "/v/anchors/theirs/home/", "/r/", [
  "/r/way",
  "/v/anchors/theirs",
]);
const OWN = { hidden: [at("/v/anchors")], readOnly: [], open: [at("/v/anchors/mine/home")] };

function rulesFor(...more: Rule[]) {
  return ownRules(boundWith([[":root", "read"], ...more]), OWN, FILES);
}

describe("a place in what is hidden that is shown to the command", () => {
  const shown = { ...OWN, open: [], shown: [at("/v/anchors/mine/home")] };
  const rules = (...more: Rule[]) =>
    ownRules(boundWith([[":root", "read"], ...more]), shown, FILES).map(({ path }) => path);

  it("may be read, and the rest stays hidden", () => {
    expect(rules(["/v/anchors/mine/home", "read"])).toEqual(["/v/anchors"]);
    expect(() => rules(["/v/anchors/theirs/home", "read"])).toThrow(/opens a place in/);
  });

  it.each(["/v/anchors/mine/home", "/v/anchors/mine/home/below"])(
    "may not be written by a policy that opens %s",
    (path) => {
      expect(() => rules([path, "write"])).toThrow(/opens a place in "\/v\/anchors"/);
    },
  );
});

describe("a place in what is hidden that was made for the command", () => {
  it("may be opened by its policy, and the rest stays hidden", () => {
    const rules = rulesFor(["/v/anchors/mine/home", "write"]);
    expect(rules.map(({ path, access }) => [path, access])).toEqual([["/v/anchors", "deny"]]);
  });

  it.each(["/v/anchors/theirs/home", "/v/anchors/mine", "/v/anchors/mine/home2"])(
    "does not let the policy open %s",
    (path) => {
      expect(() => rulesFor([path, "write"])).toThrow(/opens a place in "\/v\/anchors"/);
    },
  );
});
