import { isDeepStrictEqual } from "node:util";
import { resumedSettings } from "../threads/begin-settings.ts";
import type { LoadedThread } from "../threads/loaded-thread.ts";
import type { AppParts } from "./app-parts.ts";
import { type BeginMembers, requestAfter } from "./request-of.ts";

export interface Resumption extends BeginMembers {
  readonly threadId: string;
  readonly cwd?: string | null | undefined;
}

/** Members that say which thread, and what of it is shown. */
const ABOUT_THE_ANSWER = ["threadId", "history", "path", "excludeTurns", "initialTurnsPage"];

/**
 * Lets go of a thread that nobody follows, and in which nothing runs, where it is to go on under
 * something else: it is loaded again for that. Whoever is in a thread keeps it as it is.
 */
export async function letGoToChange(
  parts: Pick<AppParts, "threads" | "chooser" | "cwd">,
  asked: Resumption,
): Promise<void> {
  const { threads } = parts;
  const thread = threads.peek(asked.threadId);
  const isKept = thread?.isMaterialized === true && thread.store === threads.store;
  if (!isKept || !isLeft(thread) || !saysMore(asked)) return;
  // Refused before anything ends.
  if (!(await isOther(parts, asked, thread))) return;
  // Somebody may have come meanwhile, or let go of it for something else.
  if (isLeft(thread) && threads.peek(thread.id) === thread) await threads.unload(thread.id);
}

function isLeft({ subscribers, activeTurn }: LoadedThread): boolean {
  return subscribers.size === 0 && activeTurn === undefined;
}

function saysMore(asked: Resumption): boolean {
  const members = Object.entries(asked).filter(([name]) => !ABOUT_THE_ANSWER.includes(name));
  return members.some(([, value]) => value !== undefined && value !== null);
}

async function isOther(
  { chooser, cwd }: Pick<AppParts, "chooser" | "cwd">,
  asked: Resumption,
  { settings, current, overrides }: LoadedThread,
): Promise<boolean> {
  const request = requestAfter(asked, settings, cwd);
  const next = resumedSettings(asked, await chooser.resume(request, current), settings);
  const isConfigured = isDeepStrictEqual(asked.config ?? overrides, overrides);
  return !isConfigured || !isDeepStrictEqual(next, settings);
}
