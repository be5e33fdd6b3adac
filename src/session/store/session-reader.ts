import { inStore, openStoreFile, type StoreFile } from "../../exec/index.ts";
import type { AbsolutePath } from "../../policy/index.ts";
import type { KeptSession } from "./kept-session.ts";
import { type SessionRow, sessionOfRow } from "./session-row.ts";
import { asSessionStore } from "./session-store-error.ts";
import { SESSIONS_FILE } from "./sessions-file.ts";

/** Whoever looks at sessions. Throws `SessionStoreError`. */
export interface SessionReader {
  /** Null where the thread is known to have none; undefined where nothing is kept of it. */
  get(thread: string): KeptSession | null | undefined;
  /** Of the last sandbox that the thread is known to have had; 0 where none is. */
  generationOf(thread: string): number;
  /** All that have a sandbox or had, the last used first. */
  list(): KeptSession[];
  close(): void;
}

/** Opens the sessions in `folder` to be read. Makes no file, and finds nothing where there is none. */
export function openSessionReader(folder: AbsolutePath): SessionReader {
  const file = asSessionStore(() => openStoreFile(folder, SESSIONS_FILE, "read"));
  return file === undefined ? NOTHING_KEPT : new KeptSessions(file);
}

const NOTHING_KEPT: SessionReader = {
  get: () => undefined,
  generationOf: () => 0,
  list: () => [],
  close: () => {},
};

/** The sessions in an open file. */
export class KeptSessions implements SessionReader {
  protected readonly file: StoreFile;

  constructor(file: StoreFile) {
    this.file = file;
  }

  get(thread: string): KeptSession | null | undefined {
    const [row] = this.rows("WHERE thread = ?", thread);
    return row && sessionOfRow(row);
  }

  generationOf(thread: string): number {
    const [row] = this.rows("WHERE thread = ?", thread);
    return row?.generation ?? 0;
  }

  list(): KeptSession[] {
    const rows = this.rows("WHERE id IS NOT NULL ORDER BY lastUsedAt DESC, rowid DESC");
    return rows.map(sessionOfRow).filter((session) => session !== null);
  }

  close(): void {
    asSessionStore(() => this.file.close());
  }

  protected rows(where: string, ...values: (string | number)[]): SessionRow[] {
    const { database, path } = this.file;
    const ask = () => database.prepare(`SELECT * FROM sessions ${where}`).all(...values);
    // The columns are those of a strict table.
    return asSessionStore(() => inStore("read", path, ask)) as unknown as SessionRow[];
  }
}
