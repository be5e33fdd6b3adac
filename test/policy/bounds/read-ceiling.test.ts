import { describe, expect, it } from "vitest";
import { parseAbsolutePath as at, readCeiling, underCeiling } from "../../../src/policy/index.ts";
import { accesses, boundWith, HOST } from "../support/profiles.ts";
import { expectRefusal } from "../support/refusal.ts";

const FACTS = {
  source: "/etc/req",
  hostname: "h",
  folder: "/etc/writ",
  profiles: [":read-only", ":workspace", "dev"],
};

function accessUnder(deny: string, path: string, folder = FACTS.folder): string | undefined {
  const table = { permissions: { filesystem: { deny_read: [deny] } } };
  const ceiling = readCeiling(table, { ...FACTS, folder });
  return accesses(underCeiling(boundWith([[":root", "read"]]), ceiling, HOST), [path])[path];
}

describe("readCeiling", () => {
  it("reads an empty table as no ceiling", () => {
    expect(readCeiling({}, FACTS)).toEqual({ source: "/etc/req", denies: [] });
  });

  it.each([
    ["/srv/secret", "/srv/secret/a"],
    ["/srv/a/../secret/", "/srv/secret"],
    ["secret", "/etc/writ/secret"],
    ["../secret", "/etc/secret"],
    ["*.env", "/etc/writ/a.env"],
    ["**/*.env", "/etc/writ/a/b.env"],
    ["/srv/**/*.{env,key}", "/srv/x/a.key"],
    ["/C:/x", "/C:/x/y"],
  ])("denies what %s names", (deny, path) => {
    expect(accessUnder(deny, path)).toBe("deny");
    expect(accessUnder(deny, "/opt")).toBe("read");
  });

  it.each([
    ["*.env", "/srv/[prod]/a.env"],
    ["*.env", "/srv/{a,b}/a.env"],
    ["sub/*.env", "/srv/a*b/sub/a.env"],
    ["secret", "/srv/[prod]/secret"],
  ])("starts %s in a folder whose own name is meant literally: %s", (deny, path) => {
    const folder = path.split("/").slice(0, 3).join("/");
    expect(accessUnder(deny, path, folder)).toBe("deny");
  });

  it("takes a deny in the folder at the root of the disk", () => {
    expect(accessUnder("*.env", "/a.env", "/")).toBe("deny");
    expect(accessUnder("secret", "/secret", "/")).toBe("deny");
  });

  it.each<[unknown, string]>([
    [null, "/etc/req"],
    [[], "/etc/req"],
    [{ allowed_modes: [] }, '"allowed_modes"'],
    [{ allowed_sandbox_modes: "read-only" }, "allowed_sandbox_modes"],
    [{ allowed_sandbox_modes: ["read-only", "open"] }, "allowed_sandbox_modes[1]"],
    [{ allowed_permission_profiles: { dev: "yes" } }, "allowed_permission_profiles.dev"],
    [{ permissions: { filesystem: { deny_write: [] } } }, '"deny_write"'],
    [{ permissions: { filesystem: { deny_read: "/a" } } }, "permissions.filesystem.deny_read"],
    [{ permissions: { filesystem: { deny_read: [""] } } }, "deny_read[0]"],
    [{ remote_sandbox_config: [{ allowed_sandbox_modes: ["read-only"] }] }, "hostname_patterns"],
    [{ remote_sandbox_config: [{ hostname_patterns: ["*"] }] }, "allowed_sandbox_modes"],
    [{ permissions: { filesystem: { deny_read: ["/a/**b"] } } }, "/a/**b"],
  ])("refuses %j instead of having no ceiling", (table, named) => {
    expect(() => readCeiling(table, FACTS)).toThrow(
      expect.objectContaining({ name: "PolicyError", message: expect.stringContaining(named) }),
    );
  });

  it("refuses a deny on a path of another system when it is bound", () => {
    expectRefusal(() => accessUnder("C:\\secret", "/a"), "unbindable", "is invalid on 'linux'");
    expectRefusal(() => accessUnder("C:\\secret\\*", "/a"), "unbindable", "is invalid on 'linux'");
  });

  it.each([
    ["h", "h", true],
    ["H*", "host.example", true],
    ["h?", "h1", true],
    ["h?", "h", false],
    ["a.b", "axb", false],
    ["a+b", "aab", false],
    ["(h)", "h", false],
    ["h.", "h", true],
    ["h", "h.", true],
    ["ost", "host", false],
  ])("matches the host pattern %s against %s: %s", (pattern, hostname, matches) => {
    const table = {
      allowed_sandbox_modes: ["read-only"],
      remote_sandbox_config: [
        { hostname_patterns: [pattern], allowed_sandbox_modes: ["read-only", "external-sandbox"] },
      ],
    };
    const { allowedModes } = readCeiling(table, { ...FACTS, hostname });
    expect(allowedModes?.includes("external-sandbox")).toBe(matches);
  });

  it.each([
    [{ dev: true }, "dev", "dev"],
    [{ ":read-only": true, ":workspace": true }, undefined, ":workspace"],
    [{ ":read-only": true, ":workspace": true }, ":read-only", ":read-only"],
  ])("takes the default of the profiles %j with %s", (allowed, chosen, expected) => {
    const table = {
      allowed_permission_profiles: allowed,
      ...(chosen !== undefined && { default_permissions: chosen }),
    };
    expect(readCeiling(table, FACTS)).toMatchObject({
      allowedProfiles: allowed,
      defaultProfile: expected,
    });
  });

  it.each<[string, object, string]>([
    ["a default without a list", { default_permissions: "dev" }, "default_permissions"],
    [
      "a list without a default",
      { allowed_permission_profiles: { dev: true } },
      "default_permissions",
    ],
    ["an empty list", { allowed_permission_profiles: {} }, "default_permissions"],
    [
      "a default that is not allowed",
      { allowed_permission_profiles: { dev: false }, default_permissions: "dev" },
      "default_permissions",
    ],
    [
      "a default that is a member of every object",
      { allowed_permission_profiles: { dev: true }, default_permissions: "constructor" },
      "default_permissions",
    ],
    [
      "a profile that does not exist",
      { allowed_permission_profiles: { dev: true, ghost: false }, default_permissions: "dev" },
      "ghost",
    ],
  ])("refuses %s", (_, table, named) => {
    expectRefusal(() => readCeiling(table, FACTS), "malformed", named);
  });

  it("binds its denies without looking at a disk", () => {
    expect(accessUnder("/no/such/place", at("/no/such/place/x"))).toBe("deny");
  });
});
