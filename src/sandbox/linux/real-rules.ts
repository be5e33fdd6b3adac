/**
 * The rules of a bound profile on real paths.
 *
 * Mounts are made on real paths, so links in a rule are followed first. A link
 * that lies where the command may write could be pointed elsewhere between the
 * plan and the mount, so a rule that leads through one is refused.
 */
import {
  type AbsolutePath,
  ACCESS_RANK,
  accessTo,
  type BoundEntry,
  type BoundProfile,
} from "../../policy/index.ts";
import type { FileFacts } from "../files/file-facts.ts";
import { parentOf } from "../files/parent-of.ts";
import { type ResolvedPath, resolvePath } from "../files/resolve-path.ts";
import { SandboxError } from "../sandbox-error.ts";

type Restricted = Extract<BoundProfile["files"], { type: "restricted" }>;

export interface RealRule extends BoundEntry {
  readonly missing: AbsolutePath | undefined;
}

export interface RealRules {
  /** The profile on real paths and without globs: what the mounts must add up to. */
  readonly profile: BoundProfile;
  readonly rules: readonly RealRule[];
  /** Links that open paths lead through; an empty root has to have them too. */
  readonly links: ResolvedPath["links"];
}

/** Follows the links of every rule. Throws {@link SandboxError} where one cannot be trusted. */
export function realRules(profile: BoundProfile, files: Restricted, facts: FileFacts): RealRules {
  const entries = files.entries.flatMap((entry) => [entry, ...protections(entry, files)]);
  const resolved = entries.map((entry) => ({ entry, ...resolvePath(entry.path, facts) }));
  const rules = resolved.map(({ entry, real, missing }) => ({ ...entry, path: real, missing }));
  const real: BoundProfile = {
    ...profile,
    files: { ...files, entries: distinct(rules), globs: [] },
  };
  for (const { entry, links } of resolved) {
    // Whoever may write to the folder a link lies in may put another link there.
    const open = links.find(({ at }) => accessTo(real, parentOf(at)) === "write");
    if (open !== undefined) throw untrustedLink(entry, open.at);
  }
  const open = resolved.filter(({ entry, missing }) => entry.access !== "deny" && !missing);
  return { profile: real, rules: distinct(rules), links: open.flatMap(({ links }) => links) };
}

/** Protected names as rules of their own, so that links and missing ones are treated alike. */
function protections(entry: BoundEntry, { entries }: Restricted): BoundEntry[] {
  const named = new Set(entries.map(({ path }) => path));
  return entry.protects.flatMap(({ name }) => {
    const path = (entry.path === "/" ? `/${name}` : `${entry.path}/${name}`) as AbsolutePath;
    if (named.has(path)) return [];
    return [{ path, access: "read" as const, protects: [], rule: `protected name "${name}"` }];
  });
}

/** Two rules may meet on one real path; the higher rank decides, as everywhere. */
function distinct(rules: readonly RealRule[]): RealRule[] {
  const byPath = new Map<AbsolutePath, RealRule>();
  for (const rule of rules) {
    const other = byPath.get(rule.path);
    if (other === undefined || ACCESS_RANK[rule.access] > ACCESS_RANK[other.access]) {
      byPath.set(rule.path, rule);
    }
  }
  return [...byPath.values()];
}

function untrustedLink(entry: BoundEntry, at: AbsolutePath): SandboxError {
  return new SandboxError(
    "unprotectablePath",
    `Cannot enforce ${entry.rule} on "${entry.path}": it leads through the link "${at}", which the command may change`,
  );
}
