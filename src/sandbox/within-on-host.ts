import type { BoundProfile } from "../policy/index.ts";
import { realFileFacts } from "./files/file-facts.ts";
import type { OwnPaths } from "./rules/own-paths.ts";
import { realWidening } from "./rules/real-widening.ts";

/**
 * Whether a profile opens nothing on this host that another one does not, as its files lie now. Throws
 * {@link SandboxError} where no sandbox could be built for it.
 */
export function isWithinOnHost(
  candidate: BoundProfile,
  base: BoundProfile,
  own: OwnPaths,
): boolean {
  return realWidening(candidate, base, { files: realFileFacts([]), own }) === undefined;
}
