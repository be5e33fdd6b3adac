/**
 * A file that something is kept in, found in order before anything is written to it.
 *
 * What is not a store of writ's is left as it is. Nothing here opens a file that
 * is there but SQLite: who closes another descriptor of it drops the locks of
 * this process.
 */
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { AbsolutePath } from "../../policy/index.ts";
import { inStore, isBusy } from "./in-store.ts";
import { inTransaction } from "./in-transaction.ts";
import { fileAt, isOwnFile, makeOwnFile } from "./own-file.ts";
import { ReceiptStoreError } from "./receipt-store-error.ts";

const BUSY_MS = 5000;

/** A process that dies loses nothing; a machine that does may lose what was kept last, and no more. */
const SETTINGS = `
  PRAGMA synchronous = normal;
  PRAGMA wal_autocheckpoint = 512;
  PRAGMA journal_size_limit = 2097152;
`;

/** What is kept in a file of its own. */
export interface StoreKind {
  /** The name of the file. */
  readonly file: string;
  /** Where SQLite keeps whose file it is; each kind has its own. */
  readonly application: number;
  readonly version: number;
  readonly tables: string;
  /** By version: what makes the tables of that one those of the next. Whoever only reads meets both. */
  readonly upgrades?: Readonly<Record<number, string>>;
  /** For sentences: "receipts". */
  readonly holds: string;
}

export interface StoreFile {
  readonly path: string;
  readonly database: DatabaseSync;
  /** Throws where another file, or none, has taken its place or that of its log: nobody would find what is written to it. */
  refuseMoved(): void;
  close(): void;
}

/** Opens a store in `folder`, and makes it for whoever writes. Nothing when there is none to read. */
export function openStoreFile(folder: AbsolutePath, kind: StoreKind, access: "write"): StoreFile;
export function openStoreFile(
  folder: AbsolutePath,
  kind: StoreKind,
  access: "read",
): StoreFile | undefined;
export function openStoreFile(
  folder: AbsolutePath,
  kind: StoreKind,
  access: "read" | "write",
): StoreFile | undefined {
  const file = path.join(folder, kind.file);
  const isThere = isOwnFile(file);
  if (!isThere && access === "read") return undefined;
  if (!isThere) makeOwnFile(file);
  const connections = new Connections(file, kind);
  try {
    return inStore("open", file, () =>
      access === "read" ? connections.toRead() : connections.toWrite(),
    );
  } catch (error) {
    connections.close();
    throw error;
  }
}

class Connections {
  readonly #file: string;
  readonly #kind: StoreKind;
  readonly #all: DatabaseSync[] = [];

  constructor(file: string, kind: StoreKind) {
    this.#file = file;
    this.#kind = kind;
  }

  toRead(): StoreFile | undefined {
    const database = this.#add({ readOnly: true });
    if (!whenFree(() => isBlank(database, this.#file, this.#kind))) return this.#store(database);
    this.close();
    return undefined;
  }

  toWrite(): StoreFile {
    const database = this.#add({ readOnly: false });
    whenFree(() => prepare(database, this.#file, this.#kind));
    this.#holdLog();
    // The log is there by now, and nobody may take it away as long as this holds its lock.
    return this.#store(database, ["", "-wal", "-shm"]);
  }

  close(): void {
    for (const one of this.#all.splice(0)) one.close();
  }

  #store(database: DatabaseSync, endings: readonly string[] = [""]): StoreFile {
    const file = this.#file;
    const parts = endings.map((ending) => `${file}${ending}`);
    const opened = parts.map(fileAt);
    const refuseMoved = () => {
      const gone = parts.find((part, index) => fileAt(part) !== opened[index]);
      if (gone !== undefined) throw moved(gone, this.#kind);
    };
    return { path: file, database, refuseMoved, close: () => this.close() };
  }

  /**
   * The last connection that closes moves the log into the file and waits for the disk, which takes
   * longer than all the rest of a short run. One that only reads cannot, so one of these closes
   * last; it holds its lock from its first read on. The log is moved once it has grown.
   */
  #holdLog(): void {
    const last = this.#add({ readOnly: true });
    whenFree(() => pragma(last, "user_version"));
  }

  #add({ readOnly }: { readonly readOnly: boolean }): DatabaseSync {
    const one = new DatabaseSync(this.#file, { timeout: BUSY_MS, readOnly });
    this.#all.push(one);
    return one;
  }
}

function moved(file: string, { holds }: StoreKind): ReceiptStoreError {
  return new ReceiptStoreError(
    "unusable",
    `Cannot write to "${file}": it was moved or removed, expected the store of ${holds} that was opened. Start writ again, and a new one is made`,
  );
}

/** Makes the tables where there are none; whoever comes second finds them there. */
function prepare(database: DatabaseSync, file: string, kind: StoreKind): void {
  const isNew = isBlank(database, file, kind);
  if (pragma(database, "journal_mode") !== "wal") database.exec("PRAGMA journal_mode = wal");
  database.exec(SETTINGS);
  if (isNew) inTransaction(database, () => makeTables(database, file, kind));
  else if (versionOf(database) !== kind.version)
    inTransaction(database, () => upgrade(database, kind));
}

function makeTables(database: DatabaseSync, file: string, kind: StoreKind): void {
  if (!isBlank(database, file, kind)) return;
  database.exec(kind.tables);
  database.exec(
    `PRAGMA application_id = ${kind.application}; PRAGMA user_version = ${kind.version}`,
  );
}

/** One step after the other, all or none; whoever comes second finds it done, and never goes back. */
function upgrade(database: DatabaseSync, { version, upgrades = {} }: StoreKind): void {
  for (let at = versionOf(database); at < version; at += 1) {
    database.exec(`${upgrades[at] ?? ""}; PRAGMA user_version = ${at + 1}`);
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(pragma(database, "user_version"));
}

/** Whether there is a step from it, and from each one after it, to the version of today. */
function canUpgrade(from: unknown, { version, upgrades = {} }: StoreKind): boolean {
  if (typeof from !== "number" || from < 1 || from >= version) return false;
  return Array.from({ length: version - from }, (_, step) => from + step).every((at) =>
    Object.hasOwn(upgrades, at),
  );
}

/** One statement, so that what another process makes meanwhile is seen whole or not at all. */
const WHOSE = `SELECT application_id AS application, user_version AS version,
  (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_application_id, pragma_user_version`;

/** True for a file that nobody has written to; throws for one that is somebody else's. */
function isBlank(database: DatabaseSync, file: string, kind: StoreKind): boolean {
  const { application, version, tables } = database.prepare(WHOSE).get() ?? {};
  if (application === kind.application && version === kind.version) return false;
  if (application === kind.application && canUpgrade(version, kind)) return false;
  if (application === kind.application) {
    throw new ReceiptStoreError(
      "newer",
      `Cannot open "${file}": it is of version ${version}, expected ${kind.version}. Use the writ that made it, or set WRIT_HOME to another folder`,
    );
  }
  if (application === 0 && version === 0 && tables === 0) return true;
  throw new ReceiptStoreError(
    "foreign",
    `Cannot open "${file}": it is a database of another program, expected a store of ${kind.holds}. Move it away, and a new one is made`,
  );
}

function pragma(database: DatabaseSync, name: string): unknown {
  return database.prepare(`PRAGMA ${name}`).get()?.[name];
}

/** In milliseconds. What measures finer takes longer to load than a store to open. */
const now = () => process.uptime() * 1000;

/** SQLite does not wait for everything itself: not for the change to a write-ahead log. */
function whenFree<T>(act: () => T): T {
  const until = now() + BUSY_MS;
  for (;;) {
    try {
      return act();
    } catch (error) {
      if (!isBusy(error) || now() > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
