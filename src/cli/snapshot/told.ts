import { visibleLine } from "../../sandbox/index.ts";
import { SessionError, SessionStoreError } from "../../session/index.ts";
import type { CliWorld } from "../command.ts";

/** Does something with snapshots; what came in the way is a sentence, and 1 is the exit status. */
export async function told(
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
