import { setTimeout as sleep } from "node:timers/promises";
import type { RunningProcess } from "../../exec/index.ts";
import type { Transport } from "../../rpc/index.ts";

export interface EndOptions {
  /** How long it may take to end by itself once its input is closed. */
  readonly graceMs: number;
}

/** Ends a process that is spoken with over `transport`; settles when it is over with all it started. */
export async function endProcess(
  running: RunningProcess,
  transport: Transport,
  { graceMs }: EndOptions,
): Promise<void> {
  const patience = new AbortController();
  const over = running.receipt.catch(() => {}).finally(() => patience.abort());
  transport.close();
  await sleep(graceMs, undefined, { signal: patience.signal }).catch(() => {});
  await running.terminate().catch(() => {});
  await over;
}
