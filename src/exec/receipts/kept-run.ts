import {
  checkReceipt,
  isRunning,
  livingPid,
  type ProcessIdentity,
  type Receipt,
} from "../../sandbox/index.ts";
import { ReceiptStoreError } from "./receipt-store-error.ts";

/** A run as the store has it: what was known when it began, and its receipt once it is over. */
export interface KeptRun {
  readonly id: string;
  /** Who ran it; null where the system does not tell processes apart. */
  readonly process: string | null;
  readonly start: string | null;
  readonly receipt: string | null;
}

/** How a run without an end stands, as far as its process tells. */
export type OpenState = "running" | "gone" | "unseen";

/** Whether the process that began a run is still there to end it. */
export function stateOf({ process }: KeptRun): OpenState {
  if (process === null) return "unseen";
  const pid = livingPid(process as ProcessIdentity);
  if (pid === "elsewhere") return "unseen";
  return pid !== undefined && isRunning(pid) ? "running" : "gone";
}

const UNKNOWN: Readonly<Record<Exclude<OpenState, "running">, string>> = {
  gone: "the process that ran it was gone before it could say how it ended",
  unseen: "its end is not on record, and whether it still runs cannot be seen from here",
};

/** The receipt of a run; one without an end says so. */
export function receiptOfRun(run: KeptRun, state: OpenState, file: string): Receipt {
  const said = parse(run.receipt ?? run.start, run.id, file);
  if (run.receipt !== null || state === "running") return said;
  return { ...said, outcome: { kind: "unknown", reason: UNKNOWN[state] } };
}

function parse(text: string | null, id: string, file: string): Receipt {
  try {
    return checkReceipt(JSON.parse(text ?? ""));
  } catch (cause) {
    throw new ReceiptStoreError(
      "damaged",
      `Cannot read the receipt "${id}" in "${file}": what is kept of it is none, expected a receipt`,
      { cause },
    );
  }
}
