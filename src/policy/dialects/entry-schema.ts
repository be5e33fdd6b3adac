/**
 * How one entry of a profile travels.
 *
 * The canonical and the exec dialect differ only in how they spell a path, so
 * both share these shapes and hand in their own spelling.
 */
import { z } from "zod";
import { asTransform } from "../as-transform.ts";
import type { PathUri } from "../paths/path-uri.ts";
import { parseSubpath } from "../paths/subpath.ts";
import { PolicyError } from "../policy-error.ts";
import type { Entry, GlobEntry, PathTarget } from "../profile/entry.ts";
import { parseGlobTarget, WORKSPACE_GLOB } from "./glob-target.ts";

/** How a dialect spells a path. */
export interface PathSpelling {
  readonly schema: z.ZodType<PathUri, string>;
  write(uri: PathUri): string;
}

/** `null` is how some writers leave a member out. */
const Subpath = z.string().transform(asTransform(parseSubpath)).nullish();

const Special = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("root") }),
  z.strictObject({ kind: z.literal("minimal") }),
  z.strictObject({ kind: z.literal("tmpdir") }),
  z.strictObject({ kind: z.literal("slash_tmp") }),
  z.strictObject({ kind: z.literal("project_roots"), subpath: Subpath }),
  z.strictObject({ kind: z.literal("current_working_directory"), subpath: Subpath }),
  z.strictObject({ kind: z.literal("unknown"), path: z.string().min(1), subpath: Subpath }),
]);

const PATH_ACCESS = z.enum(["read", "write", "deny", "none"]);

/** The schema of an entry whose paths are spelled one way. */
export function entrySchema(spelling: PathSpelling) {
  const target = z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("path"), path: spelling.schema }),
    z.strictObject({
      type: z.literal("glob_pattern"),
      pattern: z.string().transform(asTransform(parseGlobTarget)),
    }),
    z.strictObject({ type: z.literal("special"), value: Special }),
  ]);
  return z
    .strictObject({
      path: target,
      access: PATH_ACCESS,
      missing_path_behavior: z.literal("skip").nullish(),
    })
    .transform(asTransform(readEntry));
}

type EntryWire = {
  path:
    | { type: "path"; path: PathUri }
    | { type: "glob_pattern"; pattern: GlobEntry["target"] }
    | { type: "special"; value: z.output<typeof Special> };
  access: z.output<typeof PATH_ACCESS>;
  missing_path_behavior?: "skip" | null | undefined;
};

function readEntry(wire: EntryWire): Entry {
  const access = wire.access === "none" ? "deny" : wire.access;
  const missing = wire.missing_path_behavior && { missing: wire.missing_path_behavior };
  if (wire.path.type !== "glob_pattern")
    return { target: readTarget(wire.path), access, ...missing };
  const target = wire.path.pattern;
  if (access === "deny") return { target, access, ...missing };
  throw new PolicyError(
    "malformed",
    `Cannot grant "${access}" by pattern "${target.pattern}": a glob can only deny`,
  );
}

function readTarget(path: Exclude<EntryWire["path"], { type: "glob_pattern" }>): PathTarget {
  if (path.type === "path") return path;
  const { value } = path;
  switch (value.kind) {
    case "root":
    case "minimal":
    case "tmpdir":
      return { type: value.kind };
    case "slash_tmp":
      return { type: "slashTmp" };
    case "project_roots":
    case "current_working_directory":
      return { type: "workspaceRoots", ...(value.subpath && { subpath: value.subpath }) };
    case "unknown":
      return {
        type: "unknown",
        token: value.path,
        ...(value.subpath && { subpath: value.subpath }),
      };
  }
}

/** Writes an entry; the older words (`none`, `current_working_directory`) are never written. */
export function writeEntry(entry: Entry, spelling: PathSpelling) {
  return {
    path: writeTarget(entry.target, spelling),
    access: entry.access,
    ...(entry.missing && { missing_path_behavior: entry.missing }),
  };
}

function writeTarget(target: Entry["target"], spelling: PathSpelling) {
  switch (target.type) {
    case "path":
      return { type: "path" as const, path: spelling.write(target.path) };
    case "glob":
      return { type: "glob_pattern" as const, pattern: writeGlob(target) };
    case "workspaceRoots":
      return special({ kind: "project_roots", ...(target.subpath && { subpath: target.subpath }) });
    case "unknown":
      return special({
        kind: "unknown",
        path: target.token,
        ...(target.subpath && { subpath: target.subpath }),
      });
    case "slashTmp":
      return special({ kind: "slash_tmp" });
    default:
      return special({ kind: target.type });
  }
}

function special(value: z.input<typeof Special>) {
  return { type: "special" as const, value };
}

function writeGlob(target: GlobEntry["target"]): string {
  return target.base === "workspaceRoots" ? `${WORKSPACE_GLOB}${target.pattern}` : target.pattern;
}
