/** Threads in a database, on a disk or in memory. Each change is one transaction. */
import type { StoreFile } from "../../exec/index.ts";
import { readKeptThread, type ThreadRow, writeKeptThread } from "./kept-thread.ts";
import { readPage } from "./read-page.ts";
import { ThreadFile } from "./thread-file.ts";
import { isHeldElsewhere, threadOwner } from "./thread-owner.ts";
import type { ItemRecord, ThreadRecord, TurnRecord } from "./thread-record.ts";
import type { Page, PageQuery, ThreadPage, ThreadQuery, ThreadStore } from "./thread-store.ts";
import { ThreadStoreError } from "./thread-store-error.ts";
import { ThreadTurns } from "./thread-turns.ts";

type HeldRow = Pick<ThreadRow, "seq"> & { readonly owner: string | null };

const WHOLE = "SELECT * FROM threads WHERE id = ?";
/** Without the record, which is most of a row. */
const HELD = "SELECT seq, owner FROM threads WHERE id = ?";

const LIST = `SELECT seq, id, createdAt, updatedAt, archived, record FROM threads WHERE archived = ?
  AND (? IS NULL OR cwd IN (SELECT value FROM json_each(?))) AND (? IS NULL OR instr(words, ?) > 0)`;

export class SqliteThreads implements ThreadStore {
  readonly #file: ThreadFile;
  readonly #turns: ThreadTurns;

  /** Throws "damaged" for a file whose threads cannot be read. */
  constructor(file: StoreFile) {
    this.#file = new ThreadFile(file);
    this.#turns = new ThreadTurns(this.#file);
    this.#file.check();
  }

  create(thread: ThreadRecord): void {
    const { id, createdAt, updatedAt } = thread;
    const kept = columnsOf(thread);
    this.#file.write(() => {
      if (this.#row(id, HELD) !== undefined) {
        throw new ThreadStoreError(
          "exists",
          `Cannot create the thread "${id}": there is one, expected an id of its own`,
        );
      }
      this.#file.run(
        `INSERT INTO threads (id, createdAt, updatedAt, archived, cwd, words, record)
        VALUES (?, ?, ?, ?, ?, ?, ?)`,
        ...[id, createdAt, updatedAt, ...kept],
      );
    });
  }

  find(id: string): ThreadRecord | undefined {
    const row = this.#file.read(() => this.#row<ThreadRow>(id, WHOLE));
    return row && readKeptThread(row);
  }

  update(id: string, change: Partial<Omit<ThreadRecord, "id" | "createdAt">>): ThreadRecord {
    return this.#file.write(() => {
      if (change.settings !== undefined) this.#own(id);
      const row = this.#present<ThreadRow>(id, WHOLE);
      const next = { ...readKeptThread(row), updatedAt: Date.now(), ...change };
      this.#file.run(
        `UPDATE threads SET updatedAt = ?, archived = ?, cwd = ?, words = ?, record = ?
        WHERE seq = ?`,
        ...[next.updatedAt, ...columnsOf(next), row.seq],
      );
      return next;
    });
  }

  list({ archived, sortKey, cwds, search, ...query }: ThreadQuery): ThreadPage {
    const folders = cwds && JSON.stringify(cwds);
    const words = search?.toLowerCase() ?? null;
    const source = {
      scope: sortKey,
      select: LIST,
      values: [archived ? 1 : 0, folders, folders, words, words],
      columns: [sortKey, "seq"] as const,
      key: (row: ThreadRow) => [row[sortKey], row.seq] as const,
    };
    const { data: rows, next, back } = readPage(this.#file, source, query);
    return { ...readAll(rows), next, back };
  }

  claim(id: string): boolean {
    return this.#file.write(() => {
      const { seq, owner } = this.#present(id);
      if (isHeldElsewhere(owner)) return false;
      if (owner === threadOwner()) return true;
      this.#file.run("UPDATE threads SET owner = ? WHERE seq = ?", threadOwner(), seq);
      this.#turns.endAll(seq);
      return true;
    });
  }

  yield(id: string): void {
    const sql = "UPDATE threads SET owner = NULL WHERE id = ? AND owner = ?";
    this.#file.write(() => this.#file.run(sql, id, threadOwner()));
  }

  startTurn(thread: string, turn: TurnRecord, opening?: ItemRecord): void {
    this.#file.write(() => {
      const { seq } = this.#own(thread);
      this.#turns.start(seq, turn);
      if (opening !== undefined) this.#turns.put(seq, opening);
      this.#touch(seq, turn.startedAt);
    });
  }

  endTurn(thread: string, turn: TurnRecord): void {
    this.#file.write(() => {
      const { seq } = this.#own(thread);
      this.#turns.end(seq, turn);
      this.#touch(seq, turn.completedAt ?? turn.startedAt);
    });
  }

  putItem(thread: string, ...items: ItemRecord[]): void {
    this.#file.write(() => {
      const { seq } = this.#own(thread);
      for (const item of items) this.#turns.put(seq, item);
    });
  }

  markAsked(thread: string, item: { turn: string; id: string }, isAsked: boolean): void {
    this.#file.write(() => this.#turns.markAsked(this.#own(thread).seq, item, isAsked));
  }

  turnCount(thread: string): number {
    return this.#file.read(() => {
      const row = this.#row<HeldRow>(thread, HELD);
      return row === undefined ? 0 : this.#turns.count(row.seq);
    });
  }

  turns(thread: string, query: PageQuery): Page<TurnRecord> {
    return this.#turns.page(this.#seqOf(thread), query);
  }

  items(thread: string, turn: string | null, query: PageQuery): Page<ItemRecord> {
    return this.#turns.itemPage(this.#seqOf(thread), turn, query);
  }

  historyBytes(thread: string): number {
    return this.#file.read(() => {
      const row = this.#row<HeldRow>(thread, HELD);
      return row === undefined ? 0 : this.#turns.bytes(row.seq);
    });
  }

  history(thread: string): readonly ItemRecord[] {
    return this.#file.read(() => this.#turns.history(this.#present(thread).seq));
  }

  copyHistory(from: string, to: string): void {
    this.#file.write(() => {
      const [source, target] = [this.#present(from), this.#own(to)];
      if (this.#turns.count(target.seq) > 0) {
        throw new ThreadStoreError(
          "exists",
          `Cannot copy to the thread "${to}": it has turns, expected one without`,
        );
      }
      this.#turns.copy(source.seq, target.seq);
    });
  }

  atOnce<T>(act: () => T): T {
    return this.#file.write(act);
  }

  close(): void {
    this.#file.close();
  }

  #touch(seq: number, at: number): void {
    this.#file.run("UPDATE threads SET updatedAt = max(updatedAt, ?) WHERE seq = ?", at, seq);
  }

  #seqOf(id: string): number {
    return this.#file.read(() => this.#present(id).seq);
  }

  #row<T>(id: string, sql: string): T | undefined {
    return this.#file.row<T>(sql, id);
  }

  #present<T = HeldRow>(id: string, sql = HELD): T {
    const row = this.#row<T>(id, sql);
    if (row !== undefined) return row;
    throw new ThreadStoreError(
      "missing",
      `Cannot find the thread "${id}": there is none, expected one that was kept`,
    );
  }

  /** The thread, unless another living process has it: two that write would each undo the other. */
  #own(id: string): HeldRow {
    const row = this.#present(id);
    if (!isHeldElsewhere(row.owner)) return row;
    throw new ThreadStoreError(
      "busy",
      `Cannot change the thread "${id}": another process has it, expected this one`,
    );
  }
}

function columnsOf(thread: ThreadRecord): [number, string, string, string] {
  const { name, preview, archived, settings } = thread;
  // No text holds this character, so that nothing is found across the two.
  const words = `${name ?? ""}\uffff${preview}`.toLowerCase();
  return [archived ? 1 : 0, settings.cwd, words, writeKeptThread(thread)];
}

/** One that cannot be read hides no other. */
function readAll(rows: readonly ThreadRow[]): Pick<ThreadPage, "data" | "damaged"> {
  const data: ThreadRecord[] = [];
  const damaged: { id: string; reason: string }[] = [];
  for (const row of rows) {
    try {
      data.push(readKeptThread(row));
    } catch (error) {
      if (!(error instanceof ThreadStoreError)) throw error;
      damaged.push({ id: row.id, reason: error.message });
    }
  }
  return { data, damaged };
}
