/**
 * The older dialect of {@link SandboxPolicy}: kebab-case `type`, snake_case members.
 *
 * It is found in stored threads and in the first generations of the MCP
 * sandbox state. Codex reads it without its restricted-read members, which
 * turns a restricted policy into full read; here they are read and meant.
 */
import { z } from "zod";
import type { ReadOnlyAccess, SandboxPolicy } from "../profile/sandbox-policy.ts";
import { readShape } from "../read-shape.ts";
import { NativePath } from "../schemas/native-path.ts";

const flag = z.boolean().default(false);
const roots = z.array(NativePath).default([]);

const KebabAccess = z
  .discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("restricted"),
      include_platform_defaults: z.boolean().default(true),
      readable_roots: roots,
    }),
    z.strictObject({ type: z.literal("full-access") }),
  ])
  .default({ type: "full-access" });

const KebabPolicy = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("danger-full-access") }),
  z.strictObject({ type: z.literal("read-only"), access: KebabAccess, network_access: flag }),
  z.strictObject({
    type: z.literal("external-sandbox"),
    network_access: z.enum(["restricted", "enabled"]).default("restricted"),
  }),
  z.strictObject({
    type: z.literal("workspace-write"),
    writable_roots: roots,
    read_only_access: KebabAccess,
    network_access: flag,
    exclude_tmpdir_env_var: flag,
    exclude_slash_tmp: flag,
  }),
]);

/** Reads a kebab-case policy into the one form. */
export function readKebabPolicy(value: unknown): SandboxPolicy {
  const policy = readShape(KebabPolicy, value, "sandboxPolicy");
  switch (policy.type) {
    case "danger-full-access":
      return { type: "dangerFullAccess" };
    case "read-only":
      return {
        type: "readOnly",
        access: readAccess(policy.access),
        networkAccess: policy.network_access,
      };
    case "external-sandbox":
      return { type: "externalSandbox", networkAccess: policy.network_access };
    case "workspace-write":
      return {
        type: "workspaceWrite",
        writableRoots: policy.writable_roots,
        readOnlyAccess: readAccess(policy.read_only_access),
        networkAccess: policy.network_access,
        excludeTmpdirEnvVar: policy.exclude_tmpdir_env_var,
        excludeSlashTmp: policy.exclude_slash_tmp,
      };
  }
}

/** Writes what Codex writes: defaults that it leaves out are left out. */
export function writeKebabPolicy(policy: SandboxPolicy): z.input<typeof KebabPolicy> {
  switch (policy.type) {
    case "dangerFullAccess":
      return { type: "danger-full-access" };
    case "readOnly":
      return {
        type: "read-only",
        ...writeAccess("access", policy.access),
        ...(policy.networkAccess && { network_access: true }),
      };
    case "externalSandbox":
      return { type: "external-sandbox", network_access: policy.networkAccess };
    case "workspaceWrite":
      return {
        type: "workspace-write",
        ...(policy.writableRoots.length > 0 && { writable_roots: [...policy.writableRoots] }),
        ...writeAccess("read_only_access", policy.readOnlyAccess),
        network_access: policy.networkAccess,
        exclude_tmpdir_env_var: policy.excludeTmpdirEnvVar,
        exclude_slash_tmp: policy.excludeSlashTmp,
      };
  }
}

function readAccess(access: z.output<typeof KebabAccess>): ReadOnlyAccess {
  if (access.type === "full-access") return { type: "fullAccess" };
  return {
    type: "restricted",
    includePlatformDefaults: access.include_platform_defaults,
    readableRoots: access.readable_roots,
  };
}

function writeAccess<K extends string>(
  key: K,
  access: ReadOnlyAccess,
): Partial<Record<K, z.input<typeof KebabAccess>>> {
  if (access.type === "fullAccess") return {};
  const written = {
    type: access.type,
    include_platform_defaults: access.includePlatformDefaults,
    readable_roots: [...access.readableRoots],
  };
  return { [key]: written } as Partial<Record<K, z.input<typeof KebabAccess>>>;
}
