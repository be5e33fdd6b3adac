/**
 * How threads begin: anew, again, or with the history of another.
 *
 * The policy is chosen and put under the bounds of this host first; where that
 * is refused there is no thread afterwards.
 */
import type { z } from "zod";
import { afterAnswer, type Handlers, RpcError } from "../../rpc/index.ts";
import type { AppConnection } from "../app-connection.ts";
import { appProtocol } from "../protocol/app-protocol.ts";
import type { threadMethods } from "../protocol/thread-methods.ts";
import type { ThreadRecord } from "../store/thread-record.ts";
import { beginSettings, resumedSettings } from "../threads/begin-settings.ts";
import { copyHistory } from "../threads/copy-history.ts";
import { createId } from "../threads/create-id.ts";
import type { LoadedThread } from "../threads/loaded-thread.ts";
import { newRecord } from "../threads/threads.ts";
import { writeEffective } from "../threads/write-settings.ts";
import { refuseLongTurns } from "../wire/refuse-long-turns.ts";
import type { AppParts } from "./app-parts.ts";
import { folderOf } from "./folder-of.ts";
import { letGoToChange } from "./let-go-to-change.ts";
import { readClientTools } from "./read-client-tools.ts";
import { refuseEnvironments } from "./refuse-environments.ts";
import { requestAfter, requestOf } from "./request-of.ts";
import { turnsOf, turnsPage } from "./turns-page.ts";

const { notify } = appProtocol.toClient;

type BeginHandlers = Pick<
  Handlers<typeof threadMethods, AppConnection>,
  "start" | "resume" | "fork"
>;
type StartParams = z.output<(typeof threadMethods.start)["params"]>;
type ResumeParams = z.output<(typeof threadMethods.resume)["params"]>;
type ForkParams = z.output<(typeof threadMethods.fork)["params"]>;

/** `thread/start`, `thread/resume` and `thread/fork`. */
export function beginHandlers(parts: AppParts): BeginHandlers {
  return {
    start: (params, connection) => start(parts, params, connection),
    resume: (params, connection) => resume(parts, params, connection),
    fork: (params, connection) => fork(parts, params, connection),
  };
}

async function start(parts: AppParts, params: StartParams, connection: AppConnection) {
  refuseEnvironments(params, parts.hasEnvironment);
  const request = requestOf(params, folderOf(params, parts.cwd));
  const chosen = await parts.chooser.choose(request);
  const clientTools = readClientTools(params.dynamicTools);
  const settings = beginSettings({ ...params, clientTools }, chosen);
  const now = parts.now();
  const thread = parts.threads.add({
    record: newRecord(createId(now), settings, {
      now,
      originator: connection.client?.name ?? null,
      threadSource: params.threadSource ?? null,
    }),
    chosen,
    overrides: request.overrides,
    ...parts.threads.placeFor({ ephemeral: params.ephemeral ?? false }),
    isKept: false,
  });
  thread.subscribers.add(connection);
  announce(parts, thread);
  return begun(thread);
}

async function resume(parts: AppParts, params: ResumeParams, connection: AppConnection) {
  refuseOtherSources(params);
  if (!params.excludeTurns) {
    refuseLongTurns(parts.threads.store, params.threadId, "with `excludeTurns`");
  }
  await letGoToChange(parts, params);
  const thread = await parts.threads.load(params.threadId, async (record) => {
    const { settings } = record;
    const request = requestAfter(params, settings, parts.cwd);
    const chosen = await parts.chooser.resume(request, currentOf(record));
    const next = resumedSettings(params, chosen, settings);
    const kept = parts.threads.store.update(record.id, { settings: next });
    const { overrides } = request;
    const place = parts.threads.placeFor({ ephemeral: false });
    return { record: kept, chosen, overrides, ...place, isKept: true };
  });
  // Said even where the thread keeps what it has: a request that cannot be meant is no request.
  requestOf(params, thread.settings.cwd);
  thread.subscribers.add(connection);
  afterAnswer(() => thread.approvals.replay(connection));
  return {
    ...begun(thread, params.excludeTurns ? [] : turnsIn(thread)),
    collaborationMode: null,
    initialTurnsPage: firstPage(thread, params.initialTurnsPage),
    turnsBackwardsCursor: null,
    itemsBackwardsCursor: null,
  };
}

async function fork(parts: AppParts, params: ForkParams, connection: AppConnection) {
  refuseForkMembers(params);
  const source = sourceOf(parts, params.threadId);
  if (!params.excludeTurns) refuseLongTurns(source.store, source.record.id, "with `excludeTurns`");
  const { settings } = source.record;
  const request = requestAfter(params, settings, parts.cwd);
  const chosen = await parts.chooser.resume(request, currentOf(source.record));
  const now = parts.now();
  const place = parts.threads.placeFor({ ephemeral: params.ephemeral ?? false });
  const { client } = connection;
  const record = {
    ...newRecord(createId(now), resumedSettings(params, chosen, settings), {
      now,
      originator: client?.name ?? null,
      threadSource: params.threadSource ?? null,
    }),
    forkedFrom: source.record.id,
    preview: source.record.preview,
  };
  copyHistory({ store: source.store, id: source.record.id }, { store: place.store, record });
  const { overrides } = request;
  const thread = parts.threads.add({ record, chosen, overrides, ...place, isKept: true });
  thread.subscribers.add(connection);
  announce(parts, thread);
  return begun(thread, params.excludeTurns ? [] : turnsOf(place.store, record.id));
}

/** The store knows nothing of a thread in which nothing was said. */
function turnsIn({ isMaterialized, store, id }: LoadedThread) {
  return isMaterialized ? turnsOf(store, id) : [];
}

function firstPage(
  { isMaterialized, store, id }: LoadedThread,
  page: ResumeParams["initialTurnsPage"],
) {
  if (!page) return null;
  if (!isMaterialized) return { data: [], nextCursor: null, backwardsCursor: null };
  return turnsPage(store, id, { ...page, cursor: null });
}

function begun(thread: LoadedThread, turns: ReturnType<typeof turnsOf> = []) {
  return { thread: thread.show(turns), ...writeEffective(thread.settings, thread.echo()) };
}

function announce({ broadcast }: AppParts, thread: LoadedThread): void {
  afterAnswer(() => broadcast(notify.threadStarted, { thread: thread.show() }));
}

function currentOf({ settings: { policy, cwd, workspaceRoots, seen } }: ThreadRecord) {
  return { policy, place: { cwd, workspaceRoots }, seen };
}

/** A thread that is loaded is forked as it is now; any other as it was kept. */
function sourceOf({ threads }: AppParts, id: string) {
  const loaded = threads.peek(id);
  if (loaded?.isMaterialized) return { record: loaded.record, store: loaded.store };
  return { record: threads.kept(id), store: threads.store };
}

function refuseOtherSources({ history, path: file }: Pick<ResumeParams, "history" | "path">): void {
  const given = history ? "history" : file ? "path" : undefined;
  if (given !== undefined) throw unsupported("thread/resume", given);
}

const REFUSED_IN_FORK = [
  "lastTurnId",
  "beforeTurnId",
  "path",
  "experimentalPredictionMode",
  "experimentalDisablePredictionMcp",
  "attachToSource",
] as const;

function refuseForkMembers(params: ForkParams): void {
  const given = REFUSED_IN_FORK.find((member) => Boolean(params[member]));
  if (given !== undefined) throw unsupported("thread/fork", given);
}

function unsupported(method: string, member: string): RpcError {
  return new RpcError("invalidRequest", `\`${member}\` is not supported for \`${method}\``);
}
