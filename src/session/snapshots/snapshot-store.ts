/**
 * Which snapshots there are on this machine, who builds one, and who stands on one.
 *
 * A snapshot is there once its row is, and its row is written last. Claims and
 * uses belong to a process; those of a dead one do not count.
 */
import { randomUUID } from "node:crypto";
import {
  inStore,
  inTransaction,
  openStoreFile,
  processState,
  type StoreFile,
  thisProcess,
} from "../../exec/index.ts";
import type { AbsolutePath } from "../../policy/index.ts";
import { asSessionStore } from "../store/session-store-error.ts";
import { type KeptSnapshot, snapshotOfRow } from "./kept-snapshot.ts";
import { SNAPSHOTS_FILE } from "./snapshots-file.ts";

/** Throws `SessionStoreError`. */
export interface SnapshotStore {
  /** The one of a profile that was put last, whatever its clock said. A row that cannot be meant is none. */
  find(profileHash: string): KeptSnapshot | undefined;
  get(id: string): KeptSnapshot | undefined;
  /** All of them, the newest first. */
  list(): ListedSnapshot[];
  /** Ids that somebody builds now. */
  building(): string[];
  /** True for the one who may build; everybody else waits. */
  claim(profileHash: string, id: string): boolean;
  release(profileHash: string, id: string): void;
  put(snapshot: KeptSnapshot): void;
  /** Says that a sandbox stands on it; returns how to say that none does. Nothing where it is not there. */
  use(id: string): (() => void) | undefined;
  /** Forgets one that nobody stands on. */
  remove(id: string): "removed" | "missing" | "used";
  close(): void;
}

export interface ListedSnapshot extends KeptSnapshot {
  /** Sandboxes that stand on it. */
  readonly uses: number;
}

/** Opens the snapshots in `folder`, which must be there; makes their file when it is missing. */
export function openSnapshotStore(folder: AbsolutePath): SnapshotStore {
  return new SqliteSnapshots(asSessionStore(() => openStoreFile(folder, SNAPSHOTS_FILE, "write")));
}

/** Opens them to be read. Makes no file; nothing where there is none. */
export function openSnapshotReader(
  folder: AbsolutePath,
): Pick<SnapshotStore, "list" | "close"> | undefined {
  const file = asSessionStore(() => openStoreFile(folder, SNAPSHOTS_FILE, "read"));
  return file && new SqliteSnapshots(file);
}

type Value = string | number | null;
interface Owned {
  readonly id: string;
  readonly owner: string | null;
}

class SqliteSnapshots implements SnapshotStore {
  readonly #file: StoreFile;
  readonly #owner = thisProcess();

  constructor(file: StoreFile) {
    this.#file = file;
  }

  find(profileHash: string): KeptSnapshot | undefined {
    const rows = this.#rows(
      "SELECT * FROM snapshots WHERE profileHash = ? ORDER BY rowid DESC",
      profileHash,
    );
    return rows.map(snapshotOfRow).find((one) => one !== undefined);
  }

  get(id: string): KeptSnapshot | undefined {
    return this.#rows("SELECT * FROM snapshots WHERE id = ?", id).map(snapshotOfRow)[0];
  }

  list(): ListedSnapshot[] {
    return this.#rows("SELECT * FROM snapshots ORDER BY rowid DESC").flatMap((row) => {
      const snapshot = snapshotOfRow(row);
      return snapshot ? [{ ...snapshot, uses: this.#usesOf(snapshot.id) }] : [];
    });
  }

  building(): string[] {
    return this.#owned("SELECT id, owner FROM builds").map(({ id }) => id);
  }

  claim(profileHash: string, id: string): boolean {
    return this.#change(() => {
      const ask = "SELECT id, owner FROM builds WHERE profileHash = ?";
      if (this.#owned(ask, profileHash).length > 0) return false;
      this.#run("INSERT OR REPLACE INTO builds VALUES (?, ?, ?)", profileHash, id, this.#owner);
      this.#forgetDead();
      return true;
    });
  }

  release(profileHash: string, id: string): void {
    this.#change(() =>
      this.#run("DELETE FROM builds WHERE profileHash = ? AND id = ?", profileHash, id),
    );
  }

  put({ dependencies, ...snapshot }: KeptSnapshot): void {
    const { id, profileHash, provider, runtime, createdAt, bytes } = snapshot;
    const values = [id, profileHash, provider, runtime, createdAt, JSON.stringify(dependencies)];
    this.#change(() =>
      this.#run("INSERT INTO snapshots VALUES (?, ?, ?, ?, ?, ?, ?)", ...values, bytes),
    );
  }

  use(id: string): (() => void) | undefined {
    const use = randomUUID();
    const isThere = this.#change(() => {
      if (this.get(id) === undefined) return false;
      this.#run("INSERT INTO uses VALUES (?, ?, ?)", use, id, this.#owner);
      return true;
    });
    if (!isThere) return undefined;
    return () => this.#change(() => this.#run("DELETE FROM uses WHERE use = ?", use));
  }

  remove(id: string): "removed" | "missing" | "used" {
    return this.#change(() => {
      if (this.#usesOf(id) > 0) return "used";
      this.#run("DELETE FROM uses WHERE id = ?", id);
      return this.#run("DELETE FROM snapshots WHERE id = ?", id) === 0 ? "missing" : "removed";
    });
  }

  close(): void {
    asSessionStore(() => this.#file.close());
  }

  #usesOf(id: string): number {
    return this.#owned("SELECT id, owner FROM uses WHERE id = ?", id).length;
  }

  /** What dead processes stood on does not count; their rows would only grow in number. */
  #forgetDead(): void {
    const owners = this.#rows("SELECT DISTINCT owner FROM uses").map(({ owner }) => String(owner));
    for (const owner of owners.filter((one) => processState(one) === "gone")) {
      this.#run("DELETE FROM uses WHERE owner = ?", owner);
    }
  }

  /** Rows whose process is not known to be dead. */
  #owned(sql: string, ...values: Value[]): Owned[] {
    // The columns are those of a strict table.
    const rows = this.#rows(sql, ...values) as unknown as Owned[];
    return rows.filter(({ owner }) => processState(owner) !== "gone");
  }

  #rows(sql: string, ...values: Value[]): Record<string, unknown>[] {
    const { database, path } = this.#file;
    return asSessionStore(() => inStore("read", path, () => database.prepare(sql).all(...values)));
  }

  #run(sql: string, ...values: Value[]): number {
    return Number(this.#file.database.prepare(sql).run(...values).changes);
  }

  #change<T>(act: () => T): T {
    const { database, path } = this.#file;
    return asSessionStore(() =>
      inStore("keep a snapshot in", path, () => inTransaction(database, act)),
    );
  }
}
