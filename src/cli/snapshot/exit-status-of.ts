import { visibleLine } from "../../sandbox/index.ts";
import { SessionError, SessionStoreError } from "../../session/index.ts";
import type { CliWorld } from "../command.ts";

/** What a verb of snapshots ends with: its own status, or a sentence and 1 where something came in the way. */
export async function exitStatusOf(
  { err }: CliWorld,
  work: () => Promise<number> | number,
): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SessionError || error instanceof SessionStoreError)) throw error;
    err(`writ: ${visibleLine(error.message)}\n`);
    return 1;
  }
}
