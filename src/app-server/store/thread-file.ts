import type { SQLInputValue, StatementSync } from "node:sqlite";
import { inStore, inTransaction, type StoreFile } from "../../exec/index.ts";
import { asThreadStore, ThreadStoreError } from "./thread-store-error.ts";

/** The open file of a store: statements are prepared once, and what comes in the way is said in a sentence. */
export class ThreadFile {
  readonly #file: StoreFile;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(file: StoreFile) {
    this.#file = file;
  }

  /**
   * Throws "damaged" unless threads and turns can be read from end to end. Items are many more, and
   * each is looked at when it is read.
   */
  check(): void {
    const { path } = this.#file;
    this.read(() => {
      const tables = this.rows<{ name: string }>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
      );
      const isWhole =
        tables.map(({ name }) => name).join() === "items,threads,turns" &&
        ["threads", "turns"].every((name) => this.#isWhole(name));
      if (isWhole) return;
      throw new ThreadStoreError(
        "damaged",
        `Cannot open "${path}": it is damaged, expected threads and turns. Move it away with what is called like it, and a new one is made; sqlite3 can .recover what is left of it`,
      );
    });
  }

  read<T>(act: () => T): T {
    return asThreadStore(() => inStore("read", this.#file.path, act));
  }

  /** All of it is kept when this returns, or nothing; within another one, when that does. */
  write<T>(act: () => T): T {
    const { database, path } = this.#file;
    if (database.isTransaction) return act();
    // Prepared: a turn has many small changes.
    const run = (sql: string) => this.run(sql);
    return asThreadStore(() => {
      this.#file.refuseMoved();
      return inStore("write", path, () => inTransaction(database, act, run));
    });
  }

  /** The columns are those of strict tables; the caller says which. */
  rows<T>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.#statement(sql).all(...values) as T[];
  }

  /** The first of them. */
  row<T>(sql: string, ...values: SQLInputValue[]): T | undefined {
    return this.#statement(sql).get(...values) as T | undefined;
  }

  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  close(): void {
    this.#prepared.clear();
    asThreadStore(() => this.#file.close());
  }

  #isWhole(table: string): boolean {
    const found = this.rows<{ quick_check: string }>(`PRAGMA quick_check(${table})`);
    return found.length === 1 && found[0]?.quick_check === "ok";
  }

  #statement(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known) return known;
    const statement = this.#file.database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}
