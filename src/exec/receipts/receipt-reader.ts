import type { AbsolutePath } from "../../policy/index.ts";
import type { Receipt } from "../../sandbox/index.ts";
import { inStore } from "./in-store.ts";
import { type KeptRun, receiptOfRun, stateOf } from "./kept-run.ts";
import { openStoreFile, type StoreFile } from "./open-store-file.ts";
import { RECEIPTS_FILE } from "./receipts-file.ts";

export interface ReceiptQuery {
  /** Only runs whose `ids.thread` this is. */
  readonly thread?: string | undefined;
  /** At most so many, the newest. All when it is left out. */
  readonly limit?: number | undefined;
}

/** Whoever looks at receipts. Throws `ReceiptStoreError`. */
export interface ReceiptReader {
  /** The newest first. One without an end is `running` or `unknown`. */
  list(query: ReceiptQuery): Receipt[];
  get(id: string): Receipt | undefined;
  /** The ids that end with this, for people who do not type all of one. */
  idsEndingWith(end: string): string[];
  close(): void;
}

/** Opens the receipts in `folder` to be read. Makes no file, and finds nothing where there is none. */
export function openReceiptReader(folder: AbsolutePath): ReceiptReader {
  const file = openStoreFile(folder, RECEIPTS_FILE, "read");
  return file === undefined ? NOTHING_KEPT : new KeptReceipts(file);
}

const NOTHING_KEPT: ReceiptReader = {
  list: () => [],
  get: () => undefined,
  idsEndingWith: () => [],
  close: () => {},
};

const RUNS = "SELECT id, process, start, receipt FROM runs LEFT JOIN ends USING (seq)";

/** The receipts in an open file. */
export class KeptReceipts implements ReceiptReader {
  protected readonly file: StoreFile;

  constructor(file: StoreFile) {
    this.file = file;
  }

  list({ thread, limit = -1 }: ReceiptQuery): Receipt[] {
    const runs =
      thread === undefined
        ? this.#runs("ORDER BY seq DESC LIMIT ?", limit)
        : this.#runs("WHERE thread = ? ORDER BY seq DESC LIMIT ?", thread, limit);
    return runs.map((run) => this.#receiptOf(run));
  }

  get(id: string): Receipt | undefined {
    const [run] = this.#runs("WHERE id = ?", id);
    return run && this.#receiptOf(run);
  }

  idsEndingWith(end: string): string[] {
    const found = this.#runs("WHERE substr(id, -length(?1)) = ?1 ORDER BY seq DESC", end);
    return found.map(({ id }) => id);
  }

  close(): void {
    this.file.close();
  }

  #receiptOf(run: KeptRun): Receipt {
    if (run.receipt !== null) return receiptOfRun(run, "gone", this.file.path);
    const state = stateOf(run);
    // Its end may have been the last act of a process that was there a moment ago.
    const [latest = run] = state === "gone" ? this.#runs("WHERE id = ?", run.id) : [];
    return receiptOfRun(latest, state, this.file.path);
  }

  #runs(where: string, ...values: (string | number)[]): KeptRun[] {
    const { database, path } = this.file;
    const ask = () => database.prepare(`${RUNS} ${where}`).all(...values);
    // The columns are those of strict tables.
    return inStore("read", path, ask) as unknown as KeptRun[];
  }
}
