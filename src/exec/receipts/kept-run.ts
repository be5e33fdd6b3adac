import { checkReceipt, type Receipt } from "../../sandbox/index.ts";
import { type ProcessState, processState } from "./process-state.ts";
import { ReceiptStoreError } from "./receipt-store-error.ts";

/** A run as the store has it: what was known when it began, and its receipt once it is over. */
export interface KeptRun {
  readonly id: string;
  /** Who ran it; null where the system does not tell processes apart. */
  readonly process: string | null;
  readonly start: string | null;
  readonly receipt: string | null;
}

/** Whether the process that began a run is still there to end it. */
export function stateOf({ process }: KeptRun): ProcessState {
  return processState(process);
}

const UNKNOWN: Readonly<Record<Exclude<ProcessState, "running">, string>> = {
  gone: "the process that ran it was gone before it could say how it ended",
  unseen: "its end is not on record, and whether it still runs cannot be seen from here",
};

/** The receipt of a run; one without an end says so. */
export function receiptOfRun(run: KeptRun, state: ProcessState, file: string): Receipt {
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
