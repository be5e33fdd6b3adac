import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readCamelPolicy, sandboxPolicySchema } from "../../../src/policy/index.ts";
import seed from "../../fixtures/published-sandbox-policy.json" with { type: "json" };

const published = z.toJSONSchema(sandboxPolicySchema(z.object), { io: "input" });
const bySeed = new Ajv().compile(seed);
const byUs = new Ajv2020().compile(published);

interface Member {
  readonly type?: unknown;
  readonly const?: unknown;
  readonly default?: unknown;
  readonly allOf?: unknown;
}

interface Variant {
  readonly properties: Readonly<Record<string, Member>>;
}

const variants = published.$defs?.SandboxPolicy?.oneOf as unknown as readonly Variant[];

function defaultsOf(properties: Variant["properties"]) {
  const members = Object.entries(properties).filter(([name]) => name !== "type");
  return Object.fromEntries(members.map(([name, member]) => [name, member.default]));
}

const ACCEPTED: unknown[] = [
  { type: "dangerFullAccess" },
  { type: "dangerFullAccess", extra: 1 },
  { type: "dangerFullAccess", networkAccess: "whatever" },
  { type: "readOnly" },
  { type: "readOnly", networkAccess: true },
  { type: "readOnly", networkAccess: false },
  { type: "readOnly", access: { type: "fullAccess" } },
  { type: "readOnly", access: { type: "fullAccess", more: null } },
  { type: "readOnly", access: { type: "fullAccess", readableRoots: 7 } },
  { type: "readOnly", access: { type: "restricted" } },
  { type: "readOnly", access: { type: "restricted", readableRoots: [] } },
  { type: "readOnly", access: { type: "restricted", readableRoots: ["/a", "/b"] } },
  { type: "readOnly", access: { type: "restricted", readableRoots: ["relative"] } },
  { type: "readOnly", access: { type: "restricted", includePlatformDefaults: false } },
  { type: "readOnly", access: { type: "restricted", later: {} } },
  { type: "readOnly", readOnlyAccess: 1 },
  { type: "readOnly", writableRoots: "not looked at" },
  { type: "externalSandbox" },
  { type: "externalSandbox", networkAccess: "restricted" },
  { type: "externalSandbox", networkAccess: "enabled" },
  { type: "externalSandbox", access: null },
  { type: "workspaceWrite" },
  { type: "workspaceWrite", writableRoots: [] },
  { type: "workspaceWrite", writableRoots: ["/a"] },
  { type: "workspaceWrite", writableRoots: ["C:\\a", ""] },
  { type: "workspaceWrite", networkAccess: true },
  { type: "workspaceWrite", excludeTmpdirEnvVar: true, excludeSlashTmp: true },
  { type: "workspaceWrite", readOnlyAccess: { type: "fullAccess" } },
  { type: "workspaceWrite", readOnlyAccess: { type: "restricted", readableRoots: ["/a"] } },
  { type: "workspaceWrite", access: "not looked at" },
  { type: "workspaceWrite", unknown: [[[]]] },
];

const REJECTED: unknown[] = [
  null,
  true,
  0,
  "readOnly",
  [],
  [{ type: "readOnly" }],
  {},
  { type: null },
  { type: 1 },
  { type: ["readOnly"] },
  { type: "" },
  { type: "readonly" },
  { type: "read-only" },
  { type: "ReadOnly" },
  { type: "disabled" },
  { networkAccess: true },
  { type: "readOnly", networkAccess: null },
  { type: "readOnly", networkAccess: "enabled" },
  { type: "readOnly", networkAccess: 1 },
  { type: "readOnly", access: null },
  { type: "readOnly", access: {} },
  { type: "readOnly", access: "fullAccess" },
  { type: "readOnly", access: [] },
  { type: "readOnly", access: { type: "full-access" } },
  { type: "readOnly", access: { type: "restricted", readableRoots: null } },
  { type: "readOnly", access: { type: "restricted", readableRoots: "/a" } },
  { type: "readOnly", access: { type: "restricted", readableRoots: [1] } },
  { type: "readOnly", access: { type: "restricted", readableRoots: [null] } },
  { type: "readOnly", access: { type: "restricted", includePlatformDefaults: null } },
  { type: "readOnly", access: { type: "restricted", includePlatformDefaults: "yes" } },
  { type: "readOnly", access: { readableRoots: ["/a"] } },
  { type: "externalSandbox", networkAccess: true },
  { type: "externalSandbox", networkAccess: null },
  { type: "externalSandbox", networkAccess: "Enabled" },
  { type: "externalSandbox", networkAccess: {} },
  { type: "workspaceWrite", writableRoots: null },
  { type: "workspaceWrite", writableRoots: {} },
  { type: "workspaceWrite", writableRoots: "/a" },
  { type: "workspaceWrite", writableRoots: [["/a"]] },
  { type: "workspaceWrite", writableRoots: ["/a", false] },
  { type: "workspaceWrite", networkAccess: "restricted" },
  { type: "workspaceWrite", excludeTmpdirEnvVar: null },
  { type: "workspaceWrite", excludeTmpdirEnvVar: 0 },
  { type: "workspaceWrite", excludeSlashTmp: "false" },
  { type: "workspaceWrite", readOnlyAccess: null },
  { type: "workspaceWrite", readOnlyAccess: { type: "none" } },
  { type: "workspaceWrite", readOnlyAccess: { type: "restricted", readableRoots: {} } },
];

describe("the published schema of a policy", () => {
  it("is compared on at least sixty documents", () => {
    expect(ACCEPTED.length + REJECTED.length).toBeGreaterThanOrEqual(60);
  });

  it.each(ACCEPTED)("accepts %j, as the protocol does", (document) => {
    expect({ seed: bySeed(document), ours: byUs(document) }).toEqual({ seed: true, ours: true });
  });

  it.each(REJECTED.map((document) => [document]))(
    "rejects %j, as the protocol does",
    (document) => {
      expect({ seed: bySeed(document), ours: byUs(document) }).toEqual({
        seed: false,
        ours: false,
      });
    },
  );

  it.each(REJECTED.map((document) => [document]))(
    "rejects no more than the reader: %j",
    (document) => {
      expect(() => readCamelPolicy(document)).toThrow(
        expect.objectContaining({ name: "PolicyError" }),
      );
    },
  );

  it.each<[string, Variant]>([
    ["dangerFullAccess", seed.definitions.DangerFullAccess],
    ["readOnly", seed.definitions.ReadOnly],
    ["externalSandbox", seed.definitions.ExternalSandbox],
    ["workspaceWrite", seed.definitions.WorkspaceWrite],
  ])("gives %s the defaults of the protocol", (type, definition) => {
    const expected = defaultsOf(definition.properties);
    expect(readCamelPolicy({ type })).toEqual({ type, ...expected });
    const ours = variants.find(({ properties }) => properties.type?.const === type);
    expect(defaultsOf(ours?.properties ?? {})).toEqual(expected);
  });
});
