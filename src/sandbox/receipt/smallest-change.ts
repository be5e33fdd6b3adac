/**
 * The least line of a configuration file that would allow a path.
 *
 * It names the exact path, so it opens that path and what is below it and
 * nothing else. Where no line can do it, the answer says what would. It speaks
 * about one profile: where several policies hold, each must allow the path.
 */
import {
  type AbsolutePath,
  type Access,
  accessTo,
  type BoundEntry,
  type BoundProfile,
  compileAccess,
  type Entry,
  namedProfile,
  PolicyError,
  readProfileTable,
  uriOfNative,
} from "../../policy/index.ts";
import type { Change } from "./denial.ts";

export interface ChangeBounds {
  readonly profile: BoundProfile;
  /** What the operator lets every policy have at most, on this host. */
  readonly ceiling: { readonly source: string; readonly bound: BoundProfile } | undefined;
}

type Wanted = "read" | "write";

/** Says what would have to be written to let a command read or write `path`. */
export function smallestChange(bounds: ChangeBounds, path: AbsolutePath, wanted: Wanted): Change {
  const { profile, ceiling } = bounds;
  if (grants(accessTo(profile, path), wanted)) return none("it is allowed already");
  if (ceiling !== undefined && !grants(accessTo(ceiling.bound, path), wanted)) {
    return none(
      `${JSON.stringify(ceiling.source)} forbids it to every policy and would have to change`,
    );
  }
  const { entries, globs } = compileAccess(profile);
  const glob = globs?.match(path === "/" ? [] : path.slice(1).split("/"));
  if (glob !== undefined) {
    return none(`a pattern denies whatever else is granted: ${glob.rule} would have to change`);
  }
  if (isKernelPath(path, wanted))
    return none(`"${path}" is the command's own; no rule can open the host's`);
  const decision = entries.decide(path);
  if (decision.by === "entry" && decision.entry.path === path) {
    return changeOfEntry(profile, decision.entry, wanted);
  }
  const named = decision.by === "protectedName" ? decision.name : undefined;
  const caution = named && `"${named.name}" is protected: ${named.reason}`;
  return lineFor(path, wanted, caution);
}

/** An entry stands at this very path, where `deny` beats what is added beside it. */
function changeOfEntry(profile: BoundProfile, entry: BoundEntry, wanted: Wanted): Change {
  const { path, rule, access } = entry;
  const added = lineFor(path, wanted, undefined);
  if (access === "read" && rule !== tomlLine(path, access)) return added;
  const line = rule === tomlLine(path, access) ? tomlLine(path, wanted) : symbolLine(entry, wanted);
  if (added.kind !== "add" || line === undefined) {
    return none(`${rule} denies it and would have to change`);
  }
  const others = entriesOf(profile).filter((one) => one.rule === rule && one.path !== path);
  if (others.length > 0) {
    const also = others.map((one) => JSON.stringify(one.path));
    return none(
      `${rule} would have to change, and it also holds for ${also.slice(0, 3).join(", ")}`,
    );
  }
  return { ...added, kind: "replace", table: "filesystem", lines: [line], replaces: rule };
}

const SYMBOL = /^"(?<symbol>:[a-z_]+)(?:\/(?<below>.+))?" = "deny"$/s;

/** A rule on a symbol with another word; what is below a symbol is a key of the symbol's table. */
function symbolLine({ rule, path }: BoundEntry, wanted: Wanted): string | undefined {
  const { symbol, below } = SYMBOL.exec(rule)?.groups ?? {};
  if (symbol === undefined) return undefined;
  // What binding refuses: writable platform defaults, and a symbol that turns out to be the disk.
  const refused = symbol === ":minimal" || (path === "/" && symbol !== ":root");
  if (refused && wanted === "write") return undefined;
  if (below === undefined) return `"${symbol}" = "${wanted}"`;
  const name: unknown = JSON.parse(`"${below}"`);
  const target = grantOf({ [symbol]: { [String(name)]: wanted } })?.target;
  const isSame = target?.type === "workspaceRoots" && target.subpath === name;
  return isSame ? `"${symbol}"."${below}" = "${wanted}"` : undefined;
}

function lineFor(path: AbsolutePath, wanted: Wanted, caution: string | undefined): Change {
  if (!canBeKey(path, wanted)) {
    return none(
      "its name has characters that a key reads as a pattern, and a pattern cannot grant; only a folder above it can be named",
    );
  }
  const notes = [caution, wanted === "write" ? mustExist(path) : undefined];
  const note = notes.filter((one) => one !== undefined).join("; ");
  return { kind: "add", table: "filesystem", lines: [tomlLine(path, wanted)], note: note || null };
}

/** A path that is missing cannot be mounted, so the grant does nothing until it is there. */
function mustExist(path: AbsolutePath): string {
  const folder = path.slice(0, path.lastIndexOf("/")) || "/";
  return `the path must exist when the command starts; to let the command make it, "${folder}" must be writable`;
}

/** Whether the path, written as a key, is read as this path and nothing else. */
function canBeKey(path: AbsolutePath, wanted: Wanted): boolean {
  const target = grantOf({ [path]: wanted })?.target;
  return target?.type === "path" && target.path === uriOfNative(path);
}

/** The one entry that a `filesystem` table makes; nothing for one that is refused or makes more. */
function grantOf(filesystem: Readonly<Record<string, unknown>>): Entry | undefined {
  try {
    const table = readProfileTable({ filesystem }, "permissions.change");
    const { profile } = namedProfile("change", { tables: new Map([["change", table]]), home: "/" });
    if (profile.type !== "managed" || profile.fileSystem.type !== "restricted") return undefined;
    const [entry, ...more] = profile.fileSystem.entries;
    return more.length === 0 ? entry : undefined;
  } catch (error) {
    if (error instanceof PolicyError) return undefined;
    throw error;
  }
}

/** TOML strings are those of JSON, but for the one control character JSON leaves as it is. */
function tomlLine(path: AbsolutePath, word: Access): string {
  return `${JSON.stringify(path).replaceAll("\u007f", "\\u007f")} = "${word}"`;
}

function entriesOf({ files }: BoundProfile): readonly BoundEntry[] {
  return files.type === "restricted" ? files.entries : [];
}

function isKernelPath(path: AbsolutePath, wanted: Wanted): boolean {
  if (/^\/(?:proc|dev)(?:\/|$)/.test(path) && path !== "/dev/shm") return true;
  return wanted === "write" && /^\/sys(?:\/|$)/.test(path);
}

function grants(access: Access, wanted: Wanted): boolean {
  return access === "write" || access === wanted;
}

function none(why: string): Change {
  return { kind: "none", why };
}
