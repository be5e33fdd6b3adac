import { parseSubpath } from "../paths/subpath.ts";
import { uriOfNative } from "../paths/uri-of-native.ts";
import { PolicyError } from "../policy-error.ts";
import type { Access } from "../profile/access.ts";
import type { Entry, PathTarget } from "../profile/entry.ts";
import type { Network } from "../profile/network.ts";
import type { PermissionProfile } from "../profile/permission-profile.ts";
import { CODEX_NAMES } from "../profile/protected-names.ts";
import type { ReadOnlyAccess, SandboxPolicy } from "../profile/sandbox-policy.ts";

/**
 * What a policy means: the same grants as a symbolic profile.
 *
 * The default protections are written out as entries, because a party that
 * receives the profile may not know them. Restricted reads mean exactly the
 * roots they name; the working directory is not added. No policy can ask for
 * unix sockets.
 */
export function profileOfPolicy(policy: SandboxPolicy): PermissionProfile {
  switch (policy.type) {
    case "dangerFullAccess":
      return { type: "disabled" };
    case "externalSandbox":
      return { type: "external", network: { kind: policy.networkAccess }, unixSockets: "none" };
    case "readOnly":
      return managed(readEntries(policy.access), policy.networkAccess);
    case "workspaceWrite":
      return managed(workspaceEntries(policy), policy.networkAccess);
  }
  throw unknownPolicy(policy satisfies never);
}

/** A program without types may hand in what no reader has read. */
function unknownPolicy(policy: unknown): PolicyError {
  const { type } = Object(policy) as { readonly type?: unknown };
  return new PolicyError(
    "unknown",
    `Cannot use a policy of type ${JSON.stringify(type)}: expected "dangerFullAccess", "externalSandbox", "readOnly" or "workspaceWrite"`,
  );
}

function managed(entries: readonly Entry[], networkAccess: boolean): PermissionProfile {
  const network: Network = { kind: networkAccess ? "enabled" : "restricted" };
  const fileSystem = { type: "restricted", entries } as const;
  return { type: "managed", fileSystem, network, unixSockets: "none" };
}

function readEntries(access: ReadOnlyAccess): Entry[] {
  if (access.type === "fullAccess") return [entry({ type: "root" }, "read")];
  return [
    ...(access.includePlatformDefaults ? [entry({ type: "minimal" }, "read")] : []),
    ...access.readableRoots.map((root) => entry(pathTarget(root), "read")),
  ];
}

/** The order is the one Codex writes: grants, then the protections of each root. */
function workspaceEntries(policy: Extract<SandboxPolicy, { type: "workspaceWrite" }>): Entry[] {
  return [
    ...readEntries(policy.readOnlyAccess),
    entry({ type: "workspaceRoots" }, "write"),
    ...(policy.excludeSlashTmp ? [] : [entry({ type: "slashTmp" }, "write")]),
    ...(policy.excludeTmpdirEnvVar ? [] : [entry({ type: "tmpdir" }, "write")]),
    ...policy.writableRoots.map((root) => entry(pathTarget(root), "write")),
    ...CODEX_NAMES.map((name) => protection({ type: "workspaceRoots", ...subpathOf(name) })),
    ...policy.writableRoots.flatMap((root) =>
      CODEX_NAMES.map((name) => protection(pathTarget(`${root}/${name}`))),
    ),
  ];
}

function entry(target: PathTarget, access: Access): Entry {
  return { target, access };
}

function protection(target: PathTarget): Entry {
  return { target, access: "read", missing: "skip" };
}

function pathTarget(path: string): PathTarget {
  return { type: "path", path: uriOfNative(path) };
}

function subpathOf(name: string) {
  const subpath = parseSubpath(name);
  return subpath === undefined ? {} : { subpath };
}
