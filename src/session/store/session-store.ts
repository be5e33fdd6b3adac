/**
 * What is kept of sessions, so that another process knows of them.
 *
 * A row a thread, written as a whole or not at all. A generation is never
 * replaced by an earlier one: who comes late does not bring back what is over.
 * A row belongs to the process that wrote it last.
 */
import {
  inStore,
  inTransaction,
  openStoreFile,
  type StoreFile,
  thisProcess,
} from "../../exec/index.ts";
import type { AbsolutePath } from "../../policy/index.ts";
import { checkCount, checkSession, checkText, type KeptSession } from "./kept-session.ts";
import { KeptSessions, type SessionReader } from "./session-reader.ts";
import { isOrphan, type SessionRow, sessionOfRow } from "./session-row.ts";
import { asSessionStore } from "./session-store-error.ts";
import { SESSIONS_FILE } from "./sessions-file.ts";

/** Which sandbox of which thread. */
export interface SessionMark {
  readonly thread: string;
  readonly generation: number;
}

export interface Swept {
  /** Whose owner is dead, but not they; they are this process's now. */
  readonly adopted: readonly KeptSession[];
  readonly gone: readonly KeptSession[];
}

/** Throws `SessionStoreError`. */
export interface SessionStore extends SessionReader {
  /** Keeps all of it; false where a later generation of the thread is kept, or another sandbox of this one, which then stays. */
  put(session: KeptSession): boolean;
  /** Keeps that the thread has none; false where a later generation is kept, which then stays. */
  clear(mark: SessionMark): boolean;
  /** Looks after what dead processes left. One that `isThere` throws for stays as it is. */
  sweep(isThere: (session: KeptSession) => Promise<boolean>): Promise<Swept>;
}

const COLUMNS = [
  ...["thread", "id", "provider", "state", "boundDigest", "profileDigest", "generation"],
  ...["createdAt", "lastUsedAt", "liveWork", "owner", "dependencies"],
];

/** Of rows whose sandbox is over; those that live are never forgotten. */
const MOST_OVER = 1000;

const PUT = `INSERT INTO sessions (${COLUMNS.join(", ")}) VALUES (${COLUMNS.map(() => "?").join(", ")})
  ON CONFLICT (thread) DO UPDATE SET ${COLUMNS.map((name) => `${name} = excluded.${name}`).join(", ")}
  WHERE excluded.generation > generation
    OR (excluded.generation = generation AND (id IS NULL OR excluded.id IS NULL OR excluded.id = id))`;

const TRIM = `DELETE FROM sessions WHERE (id IS NULL OR state = 'gone') AND thread NOT IN (
  SELECT thread FROM sessions WHERE id IS NULL OR state = 'gone'
  ORDER BY lastUsedAt DESC, rowid DESC LIMIT ${MOST_OVER})`;

/** Only where nobody has touched it since it was looked at. */
const TAKE = `UPDATE sessions SET owner = ?, state = ?, liveWork = 0
  WHERE thread = ? AND generation = ? AND owner IS ?`;

/** Opens the sessions in `folder`, which must be there; makes their file when it is missing. */
export function openSessionStore(folder: AbsolutePath): SessionStore {
  return new SqliteSessions(asSessionStore(() => openStoreFile(folder, SESSIONS_FILE, "write")));
}

class SqliteSessions extends KeptSessions implements SessionStore {
  readonly #owner: string | null;

  constructor(file: StoreFile) {
    super(file);
    this.#owner = thisProcess();
  }

  put(session: KeptSession): boolean {
    checkSession(session);
    return this.#write({ ...session, owner: this.#owner });
  }

  clear({ thread, generation }: SessionMark): boolean {
    checkText("thread", thread);
    checkCount("generation", generation);
    const now = Date.now();
    return this.#write({
      ...{ thread, generation, id: null, provider: "", state: "absent", boundDigest: "" },
      ...{
        dependencies: null,
        profileDigest: null,
        createdAt: now,
        lastUsedAt: now,
        liveWork: 0,
        owner: this.#owner,
      },
    });
  }

  async sweep(isThere: (session: KeptSession) => Promise<boolean>): Promise<Swept> {
    const adopted: KeptSession[] = [];
    const gone: KeptSession[] = [];
    for (const row of this.rows("WHERE id IS NOT NULL AND state <> 'gone'").filter(isOrphan)) {
      const session = sessionOfRow(row);
      const state = session && (await stateFound(session, isThere));
      if (!state || !this.#take(row, state)) continue;
      (state === "gone" ? gone : adopted).push({ ...session, state });
    }
    return { adopted, gone };
  }

  #take({ thread, generation, owner }: SessionRow, state: KeptSession["state"]): boolean {
    return this.#change(TAKE, [this.#owner, state, thread, generation, owner]);
  }

  #write(row: SessionRow): boolean {
    const values = Object.fromEntries(Object.entries(row));
    return this.#change(
      PUT,
      COLUMNS.map((name) => values[name]),
    );
  }

  #change(sql: string, values: readonly (string | number | null)[]): boolean {
    const { database, path } = this.file;
    return asSessionStore(() =>
      inStore("keep a session in", path, () =>
        inTransaction(database, () => {
          const { changes } = database.prepare(sql).run(...values);
          database.exec(TRIM);
          return changes !== 0;
        }),
      ),
    );
  }
}

/** Nothing where nobody can say. */
async function stateFound(
  session: KeptSession,
  isThere: (session: KeptSession) => Promise<boolean>,
): Promise<"idle" | "gone" | undefined> {
  try {
    return (await isThere(session)) ? "idle" : "gone";
  } catch {
    return undefined;
  }
}
