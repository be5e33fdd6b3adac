import { describe, expect, it } from "vitest";
import { parseAbsolutePath as at } from "../../../src/policy/index.ts";
import { ownRules } from "../../../src/sandbox/rules/own-paths.ts";
import { boundWith, type Rule } from "../../policy/support/profiles.ts";
import { fileTree } from "../support/file-tree.ts";

const OWN = { hidden: [at("/var/u/.writ")], readOnly: [at("/opt/writ")] };

const DISK = fileTree("/var/u/.writ/", "/opt/writ/", "/srv/");

function rules(...given: Rule[]): string[] {
  return ownRules(boundWith(given), OWN, DISK).map(({ path, access }) => `${access} ${path}`);
}

describe("ownRules", () => {
  it("hides what is writ's own where it could be read, and closes its program where it could be written", () => {
    expect(rules([":root", "read"])).toEqual(["deny /var/u/.writ"]);
    expect(rules([":root", "write"])).toEqual(["deny /var/u/.writ", "read /opt/writ"]);
    expect(rules(["/var/u", "write"])).toEqual(["deny /var/u/.writ"]);
    expect(rules(["/opt", "write"])).toEqual(["read /opt/writ"]);
  });

  it("adds nothing where the profile keeps them already: a rule must not open what is hidden", () => {
    expect(rules(["/srv", "read"])).toEqual([]);
    expect(rules([":root", "write"], ["/var/u", "deny"], ["/opt", "deny"])).toEqual([]);
    expect(rules([":root", "read"], ["/var/u/.writ", "deny"])).toEqual([]);
  });

  it("hides them although a rule reads them by name", () => {
    expect(rules(["/var/u/.writ", "read"])).toEqual(["deny /var/u/.writ"]);
  });

  it.each(["/var/u/.writ", "/var/u/.writ/run", "/opt/writ", "/opt/writ/dist/main.js"])(
    "refuses a rule that opens %s by name",
    (path) => {
      expect(() => rules([path, "write"])).toThrow(
        expect.objectContaining({
          code: "unprotectablePath",
          message: expect.stringMatching(/writ's own/),
        }),
      );
    },
  );

  it("keeps them under unrestricted files", () => {
    const bound = { ...boundWith([]), files: { type: "unrestricted" } as const };
    expect(ownRules(bound, OWN, DISK).map(({ path }) => path)).toEqual([
      "/var/u/.writ",
      "/opt/writ",
    ]);
  });

  it("refuses a link on the way to them that the command could turn elsewhere", () => {
    const disk = fileTree("/var/u/real/", ["/srv/settings", "/var/u/real"]);
    const own = { hidden: [at("/srv/settings/w")], readOnly: [] };
    const bound = boundWith([
      [":root", "read"],
      ["/srv", "write"],
    ]);
    expect(() => ownRules(bound, own, disk)).toThrow(
      /"\/srv\/settings", which the command may change/,
    );
  });

  it("does not show again what it hides, for being protected too", () => {
    const own = { ...OWN, readOnly: [at("/var/u/.writ/config.toml")] };
    const paths = ownRules(boundWith([[":root", "write"]]), own, DISK).map(({ path }) => path);
    expect(paths).toEqual(["/var/u/.writ"]);
  });

  it("does not mind a name that only begins alike", () => {
    expect(rules(["/opt/writ-other", "write"])).toEqual([]);
  });
});
