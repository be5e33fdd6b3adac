import { parseGlob } from "../access/glob.ts";
import { conventionOf } from "../paths/native-path.ts";
import { PolicyError } from "../policy-error.ts";
import type { GlobEntry } from "../profile/entry.ts";

/** Begins a pattern that is meant below every workspace root. */
export const WORKSPACE_GLOB = "codex-project-roots://";

/** Reads a wire pattern: absolute, relative to the policy's cwd, or symbolic. */
export function parseGlobTarget(text: string): GlobEntry["target"] {
  const target = targetOf(text);
  // A pattern of another system cannot be understood here, only carried; binding refuses it.
  if (conventionOf(text) !== "windows") parseGlob(target.pattern);
  if (target.base === "workspaceRoots" && target.pattern.startsWith("/")) {
    throw new PolicyError(
      "invalidPath",
      `Cannot use pattern "${text}": it is absolute, expected a pattern below the roots`,
    );
  }
  if (target.base === "cwd" && /^(~|[A-Za-z0-9+.-]*:)/.test(text)) {
    throw new PolicyError(
      "invalidPath",
      `Cannot use pattern "${text}": it names a place elsewhere, expected "/…", "${WORKSPACE_GLOB}…" or a pattern below the cwd`,
    );
  }
  return target;
}

function targetOf(text: string): GlobEntry["target"] {
  if (text.startsWith(WORKSPACE_GLOB)) {
    return { type: "glob", base: "workspaceRoots", pattern: text.slice(WORKSPACE_GLOB.length) };
  }
  return { type: "glob", base: conventionOf(text) ? "absolute" : "cwd", pattern: text };
}
