/** What can be asked about threads, and changed in them, besides beginning one. */
import { afterAnswer, type Handlers, RpcError } from "../../rpc/index.ts";
import type { AppConnection } from "../app-connection.ts";
import { appProtocol } from "../protocol/app-protocol.ts";
import type { threadMethods } from "../protocol/thread-methods.ts";
import type { ThreadRecord } from "../store/thread-record.ts";
import type { ThreadStore } from "../store/thread-store.ts";
import { refuseLongTurns } from "../wire/refuse-long-turns.ts";
import { writeItem } from "../wire/write-item.ts";
import { writeThread } from "../wire/write-thread.ts";
import type { AppParts } from "./app-parts.ts";
import { beginHandlers } from "./begin-handlers.ts";
import { chooseChange } from "./choose-change.ts";
import { pageOf, turnsOf, turnsPage } from "./turns-page.ts";

const { notify } = appProtocol.toClient;

type ThreadHandlers = Handlers<typeof threadMethods, AppConnection>;

/** Handlers of `thread/*`. */
export function threadHandlers(parts: AppParts): ThreadHandlers {
  return {
    ...beginHandlers(parts),
    ...lookHandlers(parts),
    ...changeHandlers(parts),
    unsubscribe: ({ threadId }, connection) => {
      const thread = parts.threads.peek(threadId);
      if (thread === undefined) return { status: "notLoaded" };
      return { status: thread.subscribers.remove(connection) ? "unsubscribed" : "notSubscribed" };
    },
  };
}

function lookHandlers(
  parts: AppParts,
): Pick<ThreadHandlers, "read" | "list" | "loadedList" | "turnsList" | "itemsList" | "goalGet"> {
  return {
    read: ({ threadId, includeTurns }) => {
      const { store } = placeOf(parts, threadId);
      const hasTurns = parts.threads.peek(threadId)?.isMaterialized ?? true;
      if (includeTurns) refuseLongTurns(store, threadId, "without `includeTurns`");
      const turns = includeTurns && hasTurns ? turnsOf(store, threadId) : [];
      return { thread: shown(parts, threadId, turns), readState: null };
    },
    list: (params) => listThreads(parts, params),
    loadedList: ({ cursor, limit }) => {
      const ids = [...parts.threads.ids].sort();
      const rest = cursor ? ids.filter((id) => id > cursor) : ids;
      const data = rest.slice(0, limit || rest.length);
      return { data, nextCursor: data.length < rest.length ? (data.at(-1) ?? null) : null };
    },
    turnsList: ({ threadId, ...query }) =>
      turnsPage(materialized(parts, threadId).store, threadId, query),
    itemsList: (params) => listItems(parts, params),
    goalGet: ({ threadId }) => {
      placeOf(parts, threadId);
      return { goal: null };
    },
  };
}

function changeHandlers(
  parts: AppParts,
): Pick<ThreadHandlers, "archive" | "unarchive" | "settingsUpdate" | "nameSet" | "shellCommand"> {
  const { threads, broadcast } = parts;
  return {
    archive: async ({ threadId }) => {
      const { id } = threads.kept(threadId);
      // First, so that nobody resumes it while it is let go.
      threads.store.update(id, { archived: true });
      const wasLoaded = threads.peek(id) !== undefined;
      await threads.unload(id);
      const status = { type: "notLoaded" } as const;
      if (wasLoaded) broadcast(notify.threadStatusChanged, { threadId: id, status });
      afterAnswer(() => broadcast(notify.threadArchived, { threadId: id }));
      return {};
    },
    unarchive: ({ threadId }) => {
      const { id } = threads.kept(threadId);
      threads.store.update(id, { archived: false });
      afterAnswer(() => broadcast(notify.threadUnarchived, { threadId: id }));
      return { thread: shown(parts, id, []) };
    },
    settingsUpdate: ({ threadId, ...params }) => {
      const thread = threads.find(threadId);
      return thread.exclusively(async () => {
        thread.change(await chooseChange(parts, thread, params));
        return { writ: thread.echo().writ };
      });
    },
    nameSet: ({ threadId, name }) => {
      const thread = threads.peek(threadId);
      if (thread === undefined) threads.store.update(threads.kept(threadId).id, { name });
      else thread.rename(name);
      afterAnswer(() => broadcast(notify.threadNameUpdated, { threadId, threadName: name }));
      return {};
    },
    shellCommand: ({ threadId, command, timeoutMs }) => {
      const thread = threads.find(threadId);
      if (timeoutMs !== undefined && timeoutMs !== null) {
        const what = "`timeoutMs` is not supported for `thread/shellCommand`";
        throw new RpcError("invalidRequest", what);
      }
      if (command.trim() === "") throw new RpcError("invalidRequest", "command must not be empty");
      return thread.exclusively(async () => {
        // A ceiling may have been lowered since.
        const chosen = await chooseChange(parts, thread, {});
        await thread.stopped();
        thread.shell(command, chosen);
        return {};
      });
    },
  };
}

/** Where a thread is, loaded or not. */
function placeOf({ threads }: AppParts, id: string): { record: ThreadRecord; store: ThreadStore } {
  const loaded = threads.peek(id);
  if (loaded !== undefined) return { record: loaded.record, store: loaded.store };
  const record = threads.store.find(id);
  if (record !== undefined) return { record, store: threads.store };
  throw new RpcError("invalidRequest", `thread not loaded: ${id}`);
}

/** The same, of a thread in which something was said. */
function materialized(parts: AppParts, id: string) {
  const found = placeOf(parts, id);
  const { threads } = parts;
  if (threads.peek(id)?.isMaterialized ?? true) return found;
  const what = `thread ${id} is not materialized yet; there are no turns before the first message`;
  throw new RpcError("invalidRequest", what);
}

function shown(parts: AppParts, id: string, turns: ReturnType<typeof turnsOf>) {
  const { threads, version } = parts;
  const loaded = threads.peek(id);
  if (loaded !== undefined) return loaded.show(turns);
  const { record } = placeOf(parts, id);
  return writeThread({
    ...{ record, turns, version, ephemeral: false },
    status: { type: "notLoaded" },
  });
}

type ItemsParams = Parameters<ThreadHandlers["itemsList"]>[0];

function listItems(parts: AppParts, { threadId, turnId, cursor, ...query }: ItemsParams) {
  if (typeof cursor === "object" && cursor !== null) {
    const what = "an item is given to begin at, expected a cursor of an earlier page";
    throw new RpcError("invalidRequest", `Cannot list the items: ${what}`);
  }
  const { store } = materialized(parts, threadId);
  const { data, next, back } = store.items(
    threadId,
    turnId ?? null,
    pageOf({ ...query, cursor }, "asc"),
  );
  const items = data.map((record) => {
    const { turn, startedAt: startedAtMs, completedAt: completedAtMs } = record;
    return { turnId: turn, item: writeItem(record), startedAtMs, completedAtMs };
  });
  return { data: items, nextCursor: next, backwardsCursor: back };
}

type ListParams = Parameters<ThreadHandlers["list"]>[0];

/** Filters for things that threads here do not have: none is in any of them. */
const NEVER_MATCH = ["sectionId", "projectId", "parentThreadId", "ancestorThreadId"] as const;

function listThreads(parts: AppParts, params: ListParams) {
  const { threads } = parts;
  const { attachedToThreadId } = params;
  if (attachedToThreadId || NEVER_MATCH.some((member) => params[member])) {
    const none = { data: [], readStates: null, nextCursor: null, backwardsCursor: null };
    return { ...none, writ: { damaged: [] } };
  }
  const { data, next, back, damaged } = threads.store.list({
    ...pageOf(params, "desc"),
    archived: params.archived ?? false,
    sortKey: (params.sortKey ?? "created_at") === "created_at" ? "createdAt" : "updatedAt",
    cwds: params.cwd === undefined || params.cwd === null ? null : [params.cwd].flat(),
    search: params.searchTerm || null,
  });
  const excluded = new Set(params.excludedThreadIds ?? []);
  const providers = params.modelProviders ?? [];
  const wanted = data.filter(
    ({ id, settings }) =>
      !excluded.has(id) &&
      (providers.length === 0 || providers.includes(settings.modelProvider)) &&
      // A kill between a thread and its first turn leaves one that nobody can resume.
      threads.store.turnCount(id) > 0,
  );
  return {
    data: wanted.map(({ id }) => shown(parts, id, [])),
    readStates: null,
    nextCursor: next,
    backwardsCursor: back,
    writ: { damaged: [...damaged] },
  };
}
