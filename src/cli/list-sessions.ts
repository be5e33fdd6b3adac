/** Sessions that are kept, for a person or as JSON. What is in them comes from strangers: a line each, nothing a terminal obeys. */
import { parseAbsolutePath } from "../policy/index.ts";
import { visibleLine } from "../sandbox/index.ts";
import { type KeptSession, openSessionReader, SessionStoreError } from "../session/index.ts";
import type { CliWorld, FlagValues } from "./command.ts";
import { sayNone } from "./help/say-none.ts";
import { ownHome } from "./policy/bind-flags.ts";

const COLUMNS = 80;
/** Enough of the end of an id, which is chance, to tell a few thousand apart. */
const SHOWN_ID = 8;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Prints all of them; the answer is the exit status. */
export function listSessions({ json }: FlagValues, world: CliWorld): number {
  try {
    const reader = openSessionReader(parseAbsolutePath(ownHome(world)));
    try {
      const sessions = reader.list().map((session) => listed(session, Date.now()));
      if (json) world.out(`${JSON.stringify(sessions, null, 2)}\n`);
      else if (sessions.length > 0) world.out(table(sessions));
      else sayNone("no session is kept", world);
      return 0;
    } finally {
      reader.close();
    }
  } catch (error) {
    if (!(error instanceof SessionStoreError)) throw error;
    world.err(`writ: ${visibleLine(error.message)}\n`);
    return 1;
  }
}

function listed(session: KeptSession, now: number) {
  const { id, thread, provider, state, boundDigest, profileDigest, createdAt, liveWork } = session;
  const ageMs = Math.max(0, now - createdAt);
  return { id, thread, provider, state, boundDigest, profileDigest, ageMs, liveWork };
}

function table(sessions: readonly ReturnType<typeof listed>[]): string {
  const rows = sessions.map(({ id, state, ageMs, liveWork, provider, thread }) => [
    id.slice(-SHOWN_ID),
    state,
    ageText(ageMs),
    String(liveWork),
    provider,
    thread,
  ]);
  return [["id", "state", "age", "work", "provider", "thread"], ...rows].map(line).join("");
}

function line([id = "", state = "", age = "", work = "", ...rest]: string[]): string {
  const [provider = "", thread = ""] = rest;
  const start = [id.padEnd(SHOWN_ID), state.padEnd(8), age.padStart(5), work.padStart(4)];
  const text = `${start.join("  ")}  ${provider.padEnd(8)}  ${thread}`;
  return `${visibleLine(text, COLUMNS)}\n`;
}

function ageText(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)}h`;
  return `${Math.floor(ms / DAY)}d`;
}
