/**
 * Receipts that outlive the process that made them.
 *
 * A run is on record before it begins and once more when it is over; neither is
 * changed afterwards. Many processes write at once. A run whose process died is
 * listed as what it is: begun, and its end not known. An end that finds no room
 * waits here for some.
 */
import type { StatementSync } from "node:sqlite";
import type { AbsolutePath } from "../../policy/index.ts";
import {
  checkReceipt,
  createReceipt,
  NO_DENIALS,
  type Receipt,
  type ReceiptParts,
} from "../../sandbox/index.ts";
import { inStore, isConstraint } from "./in-store.ts";
import { inTransaction } from "./in-transaction.ts";
import { openStoreFile, type StoreFile } from "./open-store-file.ts";
import { thisProcess } from "./process-state.ts";
import { KeptReceipts, type ReceiptReader } from "./receipt-reader.ts";
import { ReceiptStoreError } from "./receipt-store-error.ts";
import { RECEIPTS_FILE } from "./receipts-file.ts";
import { RunTrimmer, type StoreBounds } from "./run-trimmer.ts";

/** What is known of a run before it begins. */
export type ReceiptStart = Omit<
  ReceiptParts,
  "outcome" | "denials" | "leftBehind" | "endedAt" | "durationMs"
>;

/** Throws {@link ReceiptStoreError}; a receipt that contradicts itself is a `SandboxError`. */
export interface ReceiptStore extends ReceiptReader {
  /** Puts a run on record. Nothing may run when this throws. */
  started(start: ReceiptStart): void;
  /** Keeps the receipt of a run that is over, or of one that was refused and never began. */
  ended(receipt: Receipt): void;
}

const BOUNDS: StoreBounds = { maxReceipts: 10_000, maxBytes: 64 * 1024 * 1024 };

/** Opens the receipts in `folder`, which must be there; makes their file when it is missing. */
export function openReceiptStore(
  folder: AbsolutePath,
  bounds: Partial<StoreBounds> = {},
): ReceiptStore {
  const file = openStoreFile(folder, RECEIPTS_FILE, "write");
  return new SqliteReceipts(file, { ...BOUNDS, ...bounds });
}

class SqliteReceipts extends KeptReceipts implements ReceiptStore {
  readonly #bounds: StoreBounds;
  readonly #trimmer: RunTrimmer;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  readonly #process = thisProcess();
  /** Runs that began here and have not ended. */
  readonly #begun = new Set<string>();
  /** Ends of those that could not be kept: they would be listed as running for as long as this process lives. */
  readonly #late = new Map<string, Receipt>();

  constructor(file: StoreFile, bounds: StoreBounds) {
    super(file);
    const { database, path } = file;
    this.#bounds = bounds;
    [this.#begin, this.#end, this.#trimmer] = inStore("open", path, () => [
      database.prepare("INSERT INTO runs (id, thread, process, start) VALUES (?, ?, ?, ?)"),
      database.prepare("INSERT INTO ends (seq, receipt) SELECT seq, ? FROM runs WHERE id = ?"),
      new RunTrimmer(database, bounds),
    ]);
  }

  started(start: ReceiptStart): void {
    const receipt = createReceipt({
      ...start,
      outcome: { kind: "running" },
      denials: NO_DENIALS,
      leftBehind: { kind: "notLookedFor" },
      endedAt: null,
      durationMs: null,
    });
    this.#keep(receipt, (text) => {
      this.#begin.run(receipt.id, threadOf(receipt), this.#process, text);
    });
    this.#begun.add(receipt.id);
    this.#catchUp();
  }

  ended(receipt: Receipt): void {
    checkReceipt(receipt);
    if (receipt.outcome.kind === "running") {
      throw refusal(receipt, "it still runs, expected its end");
    }
    // Whoever asks for what is refused can do so for ever; none of that is held.
    const isBegun = this.#begun.delete(receipt.id);
    try {
      this.#keepEnd(receipt);
    } catch (error) {
      if (isBegun && mayPass(error)) this.#late.set(receipt.id, receipt);
      throw error;
    }
    this.#catchUp();
  }

  override close(): void {
    this.#catchUp();
    super.close();
  }

  /** What could not be kept comes along with what can be. */
  #catchUp(): void {
    for (const receipt of this.#late.values()) {
      try {
        this.#keepEnd(receipt);
      } catch (error) {
        if (mayPass(error)) return;
      }
      this.#late.delete(receipt.id);
    }
  }

  #keepEnd(receipt: Receipt): void {
    this.#keep(receipt, (text) => {
      if (this.#end.run(text, receipt.id).changes === 0) this.#whole(receipt, text);
    });
  }

  /** Nothing was on record: it was refused before it began, or its beginning has made room for others. */
  #whole(receipt: Receipt, text: string): void {
    this.#begin.run(receipt.id, threadOf(receipt), null, null);
    this.#end.run(text, receipt.id);
  }

  #keep(receipt: Receipt, insert: (text: string) => void): void {
    const text = JSON.stringify(receipt);
    const most = Math.floor(this.#bounds.maxBytes / 2);
    if (Buffer.byteLength(text) > most) {
      throw refusal(
        receipt,
        `it is larger than ${most} bytes, expected it to leave room for others`,
      );
    }
    this.file.refuseMoved();
    inStore("keep a receipt in", this.file.path, () =>
      inTransaction(this.file.database, () => {
        insertOnce(receipt, () => insert(text));
        this.#trimmer.trim();
      }),
    );
  }
}

/** What is wrong with a receipt stays wrong; what is wrong with the place may not. */
function mayPass(error: unknown): boolean {
  return error instanceof ReceiptStoreError && error.code !== "refused";
}

function insertOnce(receipt: Receipt, insert: () => void): void {
  try {
    insert();
  } catch (cause) {
    if (!isConstraint(cause)) throw cause;
    throw refusal(receipt, "one is kept under this id, expected an id of its own", { cause });
  }
}

function threadOf({ ids }: Receipt): string | null {
  return ids.thread ?? null;
}

function refusal({ id }: Receipt, what: string, options?: ErrorOptions): ReceiptStoreError {
  return new ReceiptStoreError("refused", `Cannot keep the receipt "${id}": ${what}`, options);
}
