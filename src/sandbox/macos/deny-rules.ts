/**
 * What patterns deny.
 *
 * A pattern beats every grant, so its rules come after all of them. Seatbelt
 * matches while the command runs, also what is made later. It sees real paths
 * only: a pattern that begins behind a link is said twice, and what a link
 * inside the pattern leads to is found on the disk and denied by name.
 */
import {
  type AbsolutePath,
  accessTo,
  type BoundProfile,
  type GlobRule,
  type GlobSegment,
  parseAbsolutePath,
  parseGlob,
} from "../../policy/index.ts";
import { parentOf } from "../files/parent-of.ts";
import { resolvePath } from "../files/resolve-path.ts";
import { refuseTurnable } from "../rules/refuse-turnable.ts";
import { SandboxError } from "../sandbox-error.ts";
import { READING, type RuleSources } from "./file-rules.ts";
import { below } from "./parameters.ts";
import { foldersOfGlob, regexOfGlob } from "./regex-of-glob.ts";
import { matching, rule, type Sbpl } from "./sbpl.ts";

export interface Denied {
  readonly rules: readonly Sbpl[];
  /** What is denied; sockets are asked about apart from files. */
  readonly filters: readonly Sbpl[];
  /** What the patterns match on the disk now; the folders above stay where they are. */
  readonly matches: readonly AbsolutePath[];
}

/** The rules of all patterns of a profile. Throws {@link SandboxError} where one cannot be kept. */
export function denyRules(profile: BoundProfile, sources: RuleSources): Denied {
  const { files } = profile;
  if (files.type === "unrestricted" || files.globs.length === 0) {
    return { rules: [], filters: [], matches: [] };
  }
  const alternatives = files.globs.flatMap((glob) => spelledOut(glob, sources));
  const expressions = [...new Set(alternatives.map(regexOfGlob))];
  const folders = [...new Set(alternatives.flatMap(foldersOfGlob))];
  const found = sources.files.matchesOf(files.globs);
  refuseTurnable(found, sources.real.profile, sources.files);
  const matches = found.map(({ path }) => path);
  const elsewhere = matches
    .filter((path) => accessTo(profile, path) !== "deny")
    .map((path) => below(sources.parameters.add("DENIED_MATCH", path)));
  const filters = [...expressions.map(matching), ...elsewhere];
  return {
    rules: [
      rule("deny", [...READING, "file-write*"], filters),
      ...(folders.length === 0 ? [] : [rule("deny", ["file-write-unlink"], folders.map(matching))]),
    ],
    filters,
    matches,
  };
}

/** The alternatives of a pattern, each as written and, where that differs, on its real path. */
function spelledOut(glob: GlobRule, sources: RuleSources): (readonly GlobSegment[])[] {
  return parseGlob(glob.pattern).flatMap((segments) => {
    const first = segments.findIndex(({ kind }) => kind !== "literal");
    const split = first === -1 ? segments.length : first;
    const names = segments
      .slice(0, split)
      .flatMap((one) => (one.kind === "literal" ? one.name : []));
    const start = parseAbsolutePath(`/${names.join("/")}`);
    const { real, links } = resolvePath(start, sources.files);
    const open = links.find(({ at }) => accessTo(sources.real.profile, parentOf(at)) === "write");
    if (open !== undefined) throw untrustedLink(glob, open.at, open.target);
    return real === start ? [segments] : [segments, [...literals(real), ...segments.slice(split)]];
  });
}

function literals(path: AbsolutePath): GlobSegment[] {
  const names = path.split("/").filter(Boolean);
  return names.map((name) => ({ kind: "literal", name }));
}

function untrustedLink({ rule: words }: GlobRule, at: string, target: string): SandboxError {
  return new SandboxError(
    "unprotectablePath",
    `Cannot enforce ${words}: it leads through the link "${at}" to "${target}", and the command may change the link`,
  );
}
