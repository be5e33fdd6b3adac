import { describe, expect, it } from "vitest";
import {
  readCamelPolicy,
  type SandboxPolicy,
  writeCamelPolicy,
} from "../../../src/policy/index.ts";
import { expectRefusal } from "../support/refusal.ts";

const FULL = { type: "fullAccess" } as const;

describe("readCamelPolicy", () => {
  it.each<[unknown, SandboxPolicy]>([
    [{ type: "dangerFullAccess" }, { type: "dangerFullAccess" }],
    [{ type: "readOnly" }, { type: "readOnly", access: FULL, networkAccess: false }],
    [{ type: "externalSandbox" }, { type: "externalSandbox", networkAccess: "restricted" }],
    [
      { type: "workspaceWrite" },
      {
        type: "workspaceWrite",
        writableRoots: [],
        readOnlyAccess: FULL,
        networkAccess: false,
        excludeTmpdirEnvVar: false,
        excludeSlashTmp: false,
      },
    ],
    [
      { type: "readOnly", access: { type: "restricted" } },
      {
        type: "readOnly",
        access: { type: "restricted", includePlatformDefaults: true, readableRoots: [] },
        networkAccess: false,
      },
    ],
  ])("fills %j with the defaults", (value, policy) => {
    expect(readCamelPolicy(value)).toEqual(policy);
  });

  it("folds the paths of roots and keeps their order", () => {
    const value = {
      type: "workspaceWrite",
      writableRoots: ["/b/../c/", "/a//b", "C:/x/./y"],
      readOnlyAccess: { type: "restricted", readableRoots: ["/d/."] },
    };
    expect(readCamelPolicy(value)).toMatchObject({
      writableRoots: ["/c", "/a/b", "C:\\x\\y"],
      readOnlyAccess: { readableRoots: ["/d"] },
    });
  });

  it("gives each reading its own defaults", () => {
    const [one, two] = [
      readCamelPolicy({ type: "workspaceWrite" }),
      readCamelPolicy({ type: "workspaceWrite" }),
    ];
    expect(one).toEqual(two);
    if (one.type !== "workspaceWrite" || two.type !== "workspaceWrite") expect.unreachable();
    (one.writableRoots as string[]).push("/etc");
    expect(readCamelPolicy({ type: "workspaceWrite" })).toEqual(two);
    expect(two.writableRoots).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ["an unknown member", { type: "readOnly", deniedPaths: [] }, '"deniedPaths"'],
    ["a member of another variant", { type: "readOnly", writableRoots: [] }, '"writableRoots"'],
    [
      "a member on full access",
      { type: "dangerFullAccess", networkAccess: false },
      '"networkAccess"',
    ],
    [
      "an unknown member of the reads",
      { type: "readOnly", access: { type: "fullAccess", readableRoots: [] } },
      "sandboxPolicy.access",
    ],
  ])("refuses %s", (_, value, named) => {
    expectRefusal(() => readCamelPolicy(value), "unknown", named);
  });

  it.each([
    ["a boolean where external has a word", { type: "externalSandbox", networkAccess: true }],
    ["a word where read-only has a boolean", { type: "readOnly", networkAccess: "enabled" }],
    ["null for a flag", { type: "workspaceWrite", excludeSlashTmp: null }],
    ["null for the reads", { type: "readOnly", access: null }],
    ["one root instead of a list", { type: "workspaceWrite", writableRoots: "/a" }],
    ["a kebab-case type", { type: "read-only" }],
  ])("refuses %s", (_, value) => {
    expect(() => readCamelPolicy(value)).toThrow(expect.objectContaining({ name: "PolicyError" }));
  });
});

describe("writeCamelPolicy", () => {
  it.each<SandboxPolicy>([
    { type: "dangerFullAccess" },
    { type: "externalSandbox", networkAccess: "enabled" },
    { type: "readOnly", access: FULL, networkAccess: true },
    {
      type: "workspaceWrite",
      writableRoots: ["/a", "C:\\b"],
      readOnlyAccess: { type: "restricted", includePlatformDefaults: false, readableRoots: ["/c"] },
      networkAccess: true,
      excludeTmpdirEnvVar: true,
      excludeSlashTmp: true,
    },
  ])("writes every member of $type and reads it back", (policy) => {
    const written = writeCamelPolicy(policy);
    expect(written).toEqual(policy);
    expect(readCamelPolicy(JSON.parse(JSON.stringify(written)))).toEqual(policy);
  });

  it("hands out a copy", () => {
    const policy = readCamelPolicy({ type: "workspaceWrite", writableRoots: ["/a"] });
    const written = writeCamelPolicy(policy);
    if (written.type === "workspaceWrite") written.writableRoots?.push("/b");
    expect(policy).toMatchObject({ writableRoots: ["/a"] });
  });
});
