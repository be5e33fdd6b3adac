import type { AbsolutePath } from "../../policy/index.ts";
import { type FileFacts, realFileFacts } from "../files/file-facts.ts";
import { type ResolvedPath, resolvePath } from "../files/resolve-path.ts";
import { SandboxError } from "../sandbox-error.ts";

/** Where a path led when it was allowed. */
export interface SeenPath {
  readonly path: AbsolutePath;
  readonly real: AbsolutePath;
}

/** Where a path leads now, also where that is nowhere, and the links on the way. Throws {@link SandboxError} where nobody can tell. */
export function followPath(path: AbsolutePath): Pick<ResolvedPath, "real" | "links"> {
  return resolvePath(path, realFileFacts([]));
}

/**
 * Throws {@link SandboxError} unless each path leads where it was seen to, by the very answers a plan is made of.
 *
 * To look again afterwards is not enough: who turns a link can turn it back.
 */
export function refuseTurned(seen: readonly SeenPath[], facts: FileFacts): void {
  for (const { path, real: before } of seen) {
    const { real } = resolvePath(path, facts);
    if (real === before) continue;
    throw new SandboxError(
      "unprotectablePath",
      `Cannot use "${path}": it led to "${before}" and now leads to "${real}", expected a path that nobody turns`,
    );
  }
}
