/**
 * Short forms for policies under test.
 *
 * A rule is `[target, access]` in the words of a configuration file: `:root`, `:workspace_roots/docs`,
 * a native path, or `glob:` and a pattern. It goes through the canonical reader like any other.
 */
import {
  accessTo,
  parseAbsolutePath as at,
  type BoundProfile,
  bindProfile,
  type HostRoots,
  type PermissionProfile,
  PROTECTED_NAMES,
  readCanonicalProfile,
} from "../../../src/policy/index.ts";

export type Rule = readonly [target: string, access: string, missing?: "skip"];

/** A Linux host whose policy cwd and only workspace root is `/r`. */
export const HOST: HostRoots = {
  system: "linux",
  cwd: at("/r"),
  workspaceRoots: [at("/r")],
  tmpdir: at("/scratch"),
  slashTmp: at("/tmp"),
  platformDefaults: [at("/usr"), at("/etc")],
  protectedNames: PROTECTED_NAMES,
  externalSandbox: "absent",
};

const KINDS: Readonly<Record<string, string>> = {
  ":root": "root",
  ":minimal": "minimal",
  ":tmpdir": "tmpdir",
  ":slash_tmp": "slash_tmp",
  ":workspace_roots": "project_roots",
  ":cwd": "current_working_directory",
};

/** The canonical document of a managed, restricted profile. */
export function wireOf(rules: readonly Rule[], more: Readonly<Record<string, unknown>> = {}) {
  const entries = rules.map(([target, access, missing]) => ({
    path: wireTarget(target),
    access,
    ...(missing && { missing_path_behavior: missing }),
  }));
  return {
    type: "managed",
    file_system: { type: "restricted", entries },
    network: "restricted",
    ...more,
  };
}

export function profileWith(rules: readonly Rule[]): PermissionProfile {
  return readCanonicalProfile(wireOf(rules));
}

export function boundWith(
  rules: readonly Rule[],
  host: Partial<HostRoots> | readonly string[] = {},
): BoundProfile {
  const facts = Array.isArray(host) ? { workspaceRoots: host.map((root) => at(root)) } : host;
  return bindProfile(profileWith(rules), { ...HOST, ...facts });
}

/** What each path may be used for, as one object. */
export function accesses(bound: BoundProfile, paths: readonly string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, accessTo(bound, at(path))]));
}

function wireTarget(target: string) {
  if (target.startsWith("glob:")) return { type: "glob_pattern", pattern: target.slice(5) };
  if (!target.startsWith(":")) return { type: "path", path: target };
  const [, symbol = "", subpath] = /^([^/]*)(?:\/(.*))?$/s.exec(target) ?? [];
  const kind = KINDS[symbol];
  const value = kind === undefined ? { kind: "unknown", path: symbol } : { kind };
  return { type: "special", value: subpath === undefined ? value : { ...value, subpath } };
}
