import type { AbsolutePath } from "../paths/absolute-path.ts";
import { PolicyError } from "../policy-error.ts";
import type { GlobEntry } from "../profile/entry.ts";
import type { HostRoots } from "./bound-profile.ts";
import { describeEntry } from "./describe-entry.ts";
import { expandBraces } from "./expand-braces.ts";
import { escapeGlob, parseGlob } from "./glob.ts";
import type { GlobRule } from "./glob-tree.ts";

/** How many names all patterns of a profile may have together, alternatives counted one by one. */
const MAX_SEGMENTS = 65_536;

/** Gives every pattern its place on this host. Throws on one that cannot be matched later. */
export function bindGlobs(entries: readonly GlobEntry[], host: HostRoots): GlobRule[] {
  const globs: GlobRule[] = [];
  let segments = 0;
  for (const glob of entries.flatMap((entry) => bindGlob(entry, host))) {
    segments += parseGlob(glob.pattern).reduce((sum, { length }) => sum + length, 0);
    if (segments > MAX_SEGMENTS) {
      throw new PolicyError(
        "tooLarge",
        `Cannot bind ${glob.rule}: the patterns have more than ${MAX_SEGMENTS} names together`,
      );
    }
    globs.push(glob);
  }
  return globs;
}

/**
 * A bare relative pattern such as `*.env` means every depth to some enforcers
 * and the top level to others; it is bound to the wider denial.
 */
function bindGlob(entry: GlobEntry, host: HostRoots): GlobRule[] {
  const { base, pattern } = entry.target;
  const rule = describeEntry(entry);
  if (base === "absolute") {
    if (pattern.startsWith("/")) return [{ pattern, rule }];
    throw new PolicyError("unbindable", `Cannot bind ${rule}: it is invalid on '${host.system}'`);
  }
  if (base === "cwd") {
    return expandBraces(pattern)
      .map((one) => (one.includes("/") ? one : `**/${one}`))
      .map((one) => ({ pattern: below(host.cwd, one), rule }));
  }
  if (host.workspaceRoots.length === 0) {
    throw new PolicyError(
      "unbindable",
      `Cannot bind ${rule}: there are no workspace roots, and a deny must not vanish`,
    );
  }
  return host.workspaceRoots.map((root) => ({ pattern: below(root, pattern), rule }));
}

/** Joins a pattern to a folder whose own name is meant literally. */
function below(folder: AbsolutePath, pattern: string): string {
  return folder === "/" ? `/${pattern}` : `${escapeGlob(folder)}/${pattern}`;
}
