import { setTimeout as sleep } from "node:timers/promises";
import { RpcError } from "../../../rpc/index.ts";
import { processMethods } from "../../protocol/process-methods.ts";
import type { SessionLink } from "../link/session-link.ts";
import type { ReadAnswer } from "./remote-event.ts";

/** How often and for how long a process is asked about that is still starting. */
const STARTING_MS = 100;
const MOST_STARTING = 250;

/** Asks for everything that happened to a process after a number, which may grow from attempt to attempt. */
export async function readAfter(
  link: SessionLink,
  processId: string,
  afterSeq: () => number,
): Promise<ReadAnswer> {
  const params = () => ({ processId, afterSeq: afterSeq(), maxBytes: null, waitMs: 0 });
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await link.call(processMethods.read, params);
    } catch (fault) {
      if (!isStarting(fault) || attempt === MOST_STARTING) throw fault;
      await sleep(STARTING_MS);
    }
  }
}

/** The wire has no code of its own for it. */
function isStarting(fault: unknown): boolean {
  return fault instanceof RpcError && / is starting$/.test(fault.message);
}
