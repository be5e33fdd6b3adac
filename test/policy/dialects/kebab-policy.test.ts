import { describe, expect, it } from "vitest";
import {
  accessTo,
  parseAbsolutePath as at,
  bindProfile,
  profileOfPolicy,
  readKebabPolicy,
  type SandboxPolicy,
  writeKebabPolicy,
} from "../../../src/policy/index.ts";
import { HOST } from "../support/profiles.ts";
import { expectRefusal } from "../support/refusal.ts";

const FULL = { type: "fullAccess" } as const;
const WORKSPACE: SandboxPolicy = {
  type: "workspaceWrite",
  writableRoots: [],
  readOnlyAccess: FULL,
  networkAccess: false,
  excludeTmpdirEnvVar: false,
  excludeSlashTmp: false,
};

describe("readKebabPolicy", () => {
  it.each<[unknown, SandboxPolicy]>([
    [{ type: "danger-full-access" }, { type: "dangerFullAccess" }],
    [{ type: "read-only" }, { type: "readOnly", access: FULL, networkAccess: false }],
    [{ type: "external-sandbox" }, { type: "externalSandbox", networkAccess: "restricted" }],
    [{ type: "workspace-write" }, WORKSPACE],
    [
      {
        type: "workspace-write",
        writable_roots: ["/d/"],
        network_access: true,
        exclude_slash_tmp: true,
      },
      { ...WORKSPACE, writableRoots: ["/d"], networkAccess: true, excludeSlashTmp: true },
    ],
  ])("reads %j", (value, policy) => {
    expect(readKebabPolicy(value)).toEqual(policy);
  });

  it("keeps restricted reads, which Codex re-reads as full read", () => {
    const policy = readKebabPolicy({
      type: "read-only",
      access: { type: "restricted", include_platform_defaults: false, readable_roots: ["/doc"] },
    });
    const bound = bindProfile(profileOfPolicy(policy), HOST);
    expect(accessTo(bound, at("/doc/a"))).toBe("read");
    expect(accessTo(bound, at("/etc/passwd"))).toBe("deny");
  });

  it("keeps restricted reads of a workspace", () => {
    const value = { type: "workspace-write", read_only_access: { type: "restricted" } };
    expect(readKebabPolicy(value)).toMatchObject({
      readOnlyAccess: { type: "restricted", includePlatformDefaults: true, readableRoots: [] },
    });
  });

  it.each<[string, unknown, string]>([
    ["camel-case type", { type: "readOnly" }, "sandboxPolicy.type"],
    ["camel-case member", { type: "read-only", networkAccess: true }, '"networkAccess"'],
    ["unknown member", { type: "workspace-write", read_only_roots: [] }, '"read_only_roots"'],
    ["camel-case reads", { type: "read-only", access: { type: "fullAccess" } }, "access.type"],
    ["unknown network word", { type: "external-sandbox", network_access: "on" }, '"on"'],
  ])("refuses a %s", (_, value, named) => {
    expectRefusal(() => readKebabPolicy(value), "unknown", named);
  });

  it("refuses a relative root and names it", () => {
    const read = () => readKebabPolicy({ type: "workspace-write", writable_roots: ["/a", "b"] });
    expectRefusal(read, "invalidPath", "sandboxPolicy.writable_roots[1]");
  });
});

describe("writeKebabPolicy", () => {
  it.each<[SandboxPolicy, unknown]>([
    [{ type: "dangerFullAccess" }, { type: "danger-full-access" }],
    [{ type: "readOnly", access: FULL, networkAccess: false }, { type: "read-only" }],
    [
      { type: "readOnly", access: FULL, networkAccess: true },
      { type: "read-only", network_access: true },
    ],
    [
      { type: "externalSandbox", networkAccess: "restricted" },
      { type: "external-sandbox", network_access: "restricted" },
    ],
    [
      WORKSPACE,
      {
        type: "workspace-write",
        network_access: false,
        exclude_tmpdir_env_var: false,
        exclude_slash_tmp: false,
      },
    ],
    [
      {
        ...WORKSPACE,
        writableRoots: ["/d"],
        readOnlyAccess: {
          type: "restricted",
          includePlatformDefaults: false,
          readableRoots: ["/e"],
        },
      },
      {
        type: "workspace-write",
        writable_roots: ["/d"],
        read_only_access: {
          type: "restricted",
          include_platform_defaults: false,
          readable_roots: ["/e"],
        },
        network_access: false,
        exclude_tmpdir_env_var: false,
        exclude_slash_tmp: false,
      },
    ],
  ])("writes %j as Codex does and reads it back", (policy, value) => {
    expect(writeKebabPolicy(policy)).toEqual(value);
    expect(readKebabPolicy(value)).toEqual(policy);
  });
});
