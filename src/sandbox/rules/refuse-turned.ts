import type { AbsolutePath } from "../../policy/index.ts";
import type { FileFacts } from "../files/file-facts.ts";
import { resolvePath } from "../files/resolve-path.ts";
import { SandboxError } from "../sandbox-error.ts";

/** Where a path led when it was allowed. */
export interface SeenPath {
  readonly path: AbsolutePath;
  readonly real: AbsolutePath;
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
