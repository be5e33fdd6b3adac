import type { ProvidedSandbox } from "../provider/provided-sandbox.ts";
import { isOver } from "../refusal.ts";

const LONGEST_BEAT_MS = 30_000;
const SHORTEST_BEAT_MS = 1000;

/** How often a sandbox is given more time while work runs; 0 is never. */
export function keepaliveBeat(keepaliveMs: number): number {
  if (keepaliveMs === 0) return 0;
  return Math.max(SHORTEST_BEAT_MS, Math.min(LONGEST_BEAT_MS, Math.floor(keepaliveMs / 2)));
}

/**
 * Gives a sandbox more time; false where it turned out to be over.
 *
 * Any other failure is let pass: the sandbox was found alive a moment ago, and
 * has whatever time it had.
 */
export async function extendKeepalive(
  sandbox: ProvidedSandbox,
  keepaliveMs: number,
): Promise<boolean> {
  if (keepaliveMs === 0) return true;
  try {
    await sandbox.extendTimeout(keepaliveMs);
    return true;
  } catch (error) {
    return !isOver(error);
  }
}
