/**
 * Profiles by name: the built-in ones, and tables with `extends`.
 *
 * A parent is merged first and the child's keys win. What a child of another
 * origin may do to its parent is not decided here but by whoever loads both.
 */
import { PolicyError } from "../policy-error.ts";
import type { PermissionProfile } from "../profile/permission-profile.ts";
import {
  BUILT_IN_PARENTS,
  BUILT_IN_PROFILES,
  builtInProfile,
  isBuiltIn,
  parentTable,
} from "./built-in-profiles.ts";
import { type FileRule, fileRules } from "./file-rules.ts";
import { networkOfTable } from "./network-of-table.ts";
import type { ProfileTable } from "./profile-table.ts";

export interface NamedProfile {
  readonly id: string;
  /** The nearest parent, if the profile has one. */
  readonly extends?: string;
  readonly profile: PermissionProfile;
  /** Roots the profile adds, as written: absolute or relative to the policy's cwd. */
  readonly workspaceRoots: readonly string[];
}

export interface ProfileTables {
  readonly tables: ReadonlyMap<string, ProfileTable>;
  readonly home: string;
}

/** Finds and compiles a profile. Throws on an unknown name, an unknown parent and a cycle. */
export function namedProfile(id: string, { tables, home }: ProfileTables): NamedProfile {
  if (isBuiltIn(id)) return { id, profile: builtInProfile(id), workspaceRoots: [] };
  const line = lineage(id, tables);
  const parent = line[0]?.extends;
  try {
    return {
      ...{ id, ...(parent && { extends: parent }) },
      ...compile(line.reduceRight(merge, EMPTY(home))),
    };
  } catch (cause) {
    // A table does not know what it is called, and a file may hold many.
    if (cause instanceof PolicyError) throw nameError(id, cause.message, cause);
    throw cause;
  }
}

/** The tables from the profile up to its last parent. */
function lineage(id: string, tables: ReadonlyMap<string, ProfileTable>): ProfileTable[] {
  const seen = new Set<string>();
  const line: ProfileTable[] = [];
  for (let name: string | undefined = id; name !== undefined; ) {
    if (seen.has(name)) throw nameError(id, `"extends" comes back to "${name}"`);
    seen.add(name);
    const table: ProfileTable | undefined =
      tables.get(name) ?? (name === id ? undefined : parentTable(name));
    if (table === undefined) throw unknownName(id, name, tables);
    line.push(table);
    name = table.extends;
  }
  return line;
}

interface Merged {
  readonly home: string;
  readonly rules: ReadonlyMap<string, FileRule>;
  readonly table: ProfileTable;
}

const EMPTY = (home: string): Merged => ({ home, rules: new Map(), table: {} });

function merge(parent: Merged, child: ProfileTable): Merged {
  const rules = new Map(parent.rules);
  for (const rule of fileRules(child.filesystem ?? {}, parent.home)) rules.set(rule.place, rule);
  const { network, limits, workspace_roots: roots } = parent.table;
  return {
    home: parent.home,
    rules,
    table: {
      ...parent.table,
      ...child,
      workspace_roots: { ...roots, ...child.workspace_roots },
      ...mergedNetwork(network, child.network),
      ...((limits || child.limits) && { limits: { ...limits, ...child.limits } }),
    },
  };
}

function mergedNetwork(parent: ProfileTable["network"], child: ProfileTable["network"]) {
  if (parent === undefined || child === undefined) {
    const network = parent ?? child;
    return network && { network };
  }
  const network: NonNullable<ProfileTable["network"]> = { ...parent, ...child };
  for (const key of ["domains", "unix_sockets"] as const) {
    if (parent[key] || child[key]) network[key] = { ...parent[key], ...child[key] };
  }
  return { network };
}

function compile({ rules, table }: Merged): Pick<NamedProfile, "profile" | "workspaceRoots"> {
  const { globScanMaxDepth, limits, workspace_roots: roots = {} } = table;
  return {
    profile: {
      type: "managed",
      fileSystem: {
        type: "restricted",
        entries: [...rules.values()].map(({ entry }) => entry),
        ...(globScanMaxDepth && { globScanMaxDepth }),
      },
      network: networkOfTable(table.network),
      unixSockets: table.network?.unix_socket_access ?? "none",
      ...(limits && { limits }),
    },
    workspaceRoots: rootsOf(roots),
  };
}

function rootsOf(words: Readonly<Record<string, boolean>>): readonly string[] {
  const roots = Object.keys(words).filter((root) => words[root]);
  const detour = roots.find(hasDetour);
  if (detour === undefined) return roots;
  const what = 'it has ".." behind a name, expected the path itself';
  throw new PolicyError(
    "malformed",
    `Cannot use workspace root ${JSON.stringify(detour)}: ${what}`,
  );
}

/** Up from where it begins is up; behind a name, which may be a link, that leads elsewhere than it seems. */
function hasDetour(root: string): boolean {
  const names = root.split("/").filter((name) => name !== "" && name !== ".");
  return names.some(
    (name, index) => name === ".." && names[index - 1] !== undefined && names[index - 1] !== "..",
  );
}

function unknownName(id: string, name: string, tables: ReadonlyMap<string, ProfileTable>) {
  if (name === id) {
    const known = [...BUILT_IN_PROFILES, ...tables.keys()].join(", ");
    return nameError(id, `there is no such profile, expected one of ${known}`);
  }
  const parents = [...BUILT_IN_PARENTS, ...tables.keys()].filter((one) => one !== id).join(", ");
  return nameError(id, `it extends "${name}", which is no parent, expected one of ${parents}`);
}

function nameError(id: string, what: string, cause?: PolicyError): PolicyError {
  const code = cause?.code ?? "unknown";
  return new PolicyError(code, `Cannot use profile "${id}": ${what}`, cause && { cause });
}
