import { setTimeout as sleep } from "node:timers/promises";
import type { RunningProcess } from "../../exec/index.ts";
import type { Transport } from "../../rpc/index.ts";

export interface EndOptions {
  /** How long it may take to end by itself once its input is closed. */
  readonly graceMs: number;
  /** Aborted when there is no time for that. */
  readonly hurry?: AbortSignal;
}

/** Ends a process that is spoken with over `transport`; settles when it is over with all it started. */
export async function endProcess(
  running: RunningProcess,
  transport: Transport,
  { graceMs, hurry }: EndOptions,
): Promise<void> {
  const patience = new AbortController();
  const signal = AbortSignal.any([patience.signal, ...(hurry === undefined ? [] : [hurry])]);
  const over = running.receipt.catch(() => {}).finally(() => patience.abort());
  transport.close();
  await sleep(graceMs, undefined, { signal }).catch(() => {});
  await running.terminate().catch(() => {});
  await over;
}
