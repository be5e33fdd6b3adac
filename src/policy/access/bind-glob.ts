import { type AbsolutePath, parseAbsolutePath } from "../paths/absolute-path.ts";
import { PolicyError } from "../policy-error.ts";
import type { GlobEntry } from "../profile/entry.ts";
import type { HostRoots } from "./bound-profile.ts";
import { describeEntry } from "./describe-entry.ts";
import type { GlobRule } from "./glob-tree.ts";

/**
 * Gives a pattern its place on this host.
 *
 * A bare relative pattern such as `*.env` means every depth to some enforcers
 * and the top level to others; it is bound to the wider denial.
 */
export function bindGlob(entry: GlobEntry, host: HostRoots): GlobRule[] {
  const { base, pattern } = entry.target;
  const rule = describeEntry(entry);
  if (base === "absolute") {
    if (pattern.startsWith("/")) return [{ pattern, rule }];
    throw new PolicyError("unbindable", `Cannot bind ${rule}: it is invalid on '${host.system}'`);
  }
  if (base === "cwd") {
    const anywhere = pattern.includes("/") ? pattern : `**/${pattern}`;
    return [{ pattern: below(host.cwd, anywhere), rule }];
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
  const literal = parseAbsolutePath(folder).replace(/[\\*?[\]{}]/g, "\\$&");
  return literal === "/" ? `/${pattern}` : `${literal}/${pattern}`;
}
