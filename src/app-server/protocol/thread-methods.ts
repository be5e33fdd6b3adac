/** Threads: each has one policy, chosen where it begins. */
import { z } from "zod";
import { method } from "../../rpc/index.ts";
import { pageMembers, sortDirection } from "./shapes/page-members.ts";
import { changePolicyMembers, startPolicyMembers, WritThread } from "./shapes/sandbox.ts";
import { placeMembers, settingMembers, turnSettingMembers } from "./shapes/setting-members.ts";
import { Thread } from "./shapes/thread.ts";
import { ThreadItem } from "./shapes/thread-item.ts";
import { CollaborationMode, effectiveMembers } from "./shapes/thread-settings.ts";
import { TurnsPage } from "./shapes/turn.ts";

const text = z.string().nullish();
const flag = z.boolean().nullish();
const Nothing = z.object({});
const ById = z.object({ threadId: z.string() });
const cursors = { nextCursor: z.string().nullable(), backwardsCursor: z.string().nullable() };
const itemsView = z.enum(["notLoaded", "summary", "full"]).nullish();

/** What start, resume and fork all take. */
const beginMembers = {
  ...settingMembers,
  ...startPolicyMembers,
  runtimeWorkspaceRoots: placeMembers.runtimeWorkspaceRoots,
  modelProvider: text.describe("Acts. Who runs the model."),
  config: z
    .record(z.string(), z.unknown())
    .nullish()
    .describe("Acts. Settings for this thread, by the keys of the configuration file."),
  baseInstructions: text.describe("Acts. What the model is told first."),
  developerInstructions: text.describe("Acts. What the model is told besides."),
};

const clientTool = {
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  deferLoading: flag.describe("Ignored."),
};

const ClientToolSpec = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("function"), ...clientTool }),
    z.object({
      type: z.literal("namespace"),
      name: clientTool.name,
      description: z.string(),
      tools: z.array(z.object({ type: z.literal("function"), ...clientTool })),
    }),
  ])
  .meta({ id: "ClientToolSpec", description: "A tool of the client, or several under a name." });

const ThreadStartParams = z
  .object({
    ...beginMembers,
    environments: placeMembers.environments,
    ephemeral: flag.describe("Acts. Keep the thread in memory only."),
    threadSource: text.describe("Acts. What the thread is for; shown again, and kept with it."),
    allowProviderModelFallback: flag.describe("Ignored: another model is never taken."),
    serviceName: text.describe("Ignored."),
    sessionStartSource: z.enum(["startup", "clear"]).nullish().describe("Ignored."),
    historyMode: z
      .enum(["legacy", "paginated"])
      .nullish()
      .describe("Ignored: every thread is paginated."),
    projectId: text.describe("Ignored: there are no projects."),
    daybreakEnabled: flag.describe("Ignored."),
    dynamicTools: z
      .array(ClientToolSpec)
      .nullish()
      .describe("Acts. Tools that this client runs itself when it is asked to."),
    selectedCapabilityRoots: z.array(z.unknown()).nullish().describe("Ignored."),
    mockExperimentalField: text.describe("Ignored."),
    experimentalRawEvents: flag.describe("Ignored."),
    persistExtendedHistory: flag.describe("Ignored: all of the history is kept."),
  })
  .meta({
    id: "ThreadStartParams",
    description: "How a thread begins. All of it may be left out.",
  });

const TurnsPageParams = z.object({ limit: pageMembers.limit, sortDirection, itemsView });

const ThreadResumeParams = z
  .object({
    threadId: z.string(),
    ...beginMembers,
    history: z
      .array(z.unknown())
      .nullish()
      .describe("Refused unless null: threads have their own."),
    path: text.describe("Refused unless null or empty: threads are found by id."),
    excludeTurns: flag.describe("Leave `thread.turns` empty."),
    initialTurnsPage: TurnsPageParams.nullish().describe("Also answer with these turns."),
  })
  .meta({ id: "ThreadResumeParams", description: "Go on with a thread." });

const ThreadForkParams = z
  .object({
    threadId: z.string(),
    ...beginMembers,
    ephemeral: flag.describe("Acts. Keep the fork in memory only."),
    threadSource: text.describe("Acts. What the fork is for."),
    excludeTurns: flag.describe("Leave `thread.turns` empty."),
    lastTurnId: text.describe("Refused unless null: a fork has all turns."),
    beforeTurnId: text.describe("Refused unless null: a fork has all turns."),
    path: text.describe("Refused unless null or empty: threads are found by id."),
    experimentalPredictionMode: flag.describe("Refused unless false."),
    experimentalDisablePredictionMcp: flag.describe("Refused unless false."),
    attachToSource: flag.describe("Refused unless false."),
    deferGoalContinuation: flag.describe("Ignored: there are no goals."),
  })
  .meta({ id: "ThreadForkParams", description: "Begin a thread with the history of another." });

const ThreadListParams = z.object({
  ...pageMembers,
  sortKey: z.enum(["created_at", "updated_at", "recency_at", "section_position"]).nullish(),
  sortDirection,
  archived: flag.describe("Only archived ones; the others when false or absent."),
  cwd: z
    .union([z.string(), z.array(z.string())])
    .nullish()
    .describe("Only threads of these folders."),
  searchTerm: text.describe("Only threads whose name or preview contains it."),
  excludedThreadIds: z.array(z.string()).nullish(),
  modelProviders: z.array(z.string()).nullish(),
  sourceKinds: z.array(z.string()).nullish(),
  originators: z.array(z.string()).nullish(),
  sectionId: text,
  projectId: text,
  useStateDbOnly: flag.describe("Ignored: there is nothing else."),
  parentThreadId: text,
  ancestorThreadId: text,
  attachedToThreadId: text,
});

const Started = z.object({ thread: Thread, ...effectiveMembers });

export const threadMethods = {
  start: method("thread/start", {
    summary: "Begin a thread under a policy, and hear what happens in it",
    params: ThreadStartParams,
    result: Started,
  }),
  resume: method("thread/resume", {
    summary:
      "Go on with a thread; one that somebody follows, or that runs, keeps the policy it has",
    params: ThreadResumeParams,
    result: Started.extend({
      collaborationMode: CollaborationMode.nullable(),
      initialTurnsPage: TurnsPage.nullable(),
      turnsBackwardsCursor: z.string().nullable(),
      itemsBackwardsCursor: z.string().nullable(),
    }),
  }),
  fork: method("thread/fork", {
    summary: "Begin a thread with the history and the policy of another",
    params: ThreadForkParams,
    result: Started,
  }),
  read: method("thread/read", {
    summary: "What a thread is, loaded or not",
    params: z.object({ threadId: z.string(), includeTurns: flag }),
    result: z.object({ thread: Thread, readState: z.null() }),
  }),
  list: method("thread/list", {
    summary: "The threads that are kept",
    params: ThreadListParams,
    result: z.object({
      data: z.array(Thread),
      readStates: z.null(),
      ...cursors,
      writ: z.object({
        damaged: z
          .array(z.object({ id: z.string(), reason: z.string() }))
          .describe("Threads of this page that cannot be read."),
      }),
    }),
  }),
  loadedList: method("thread/loaded/list", {
    summary: "The ids of the threads that are loaded",
    params: z.object(pageMembers),
    result: z.object({ data: z.array(z.string()), nextCursor: z.string().nullable() }),
  }),
  turnsList: method("thread/turns/list", {
    summary: "The turns of a thread",
    params: z.object({ threadId: z.string(), ...pageMembers, sortDirection, itemsView }),
    result: TurnsPage,
  }),
  itemsList: method("thread/items/list", {
    summary: "The items of a thread, or of one of its turns",
    params: z.object({
      threadId: z.string(),
      turnId: text,
      ...pageMembers,
      cursor: z
        .union([z.string(), z.object({ type: z.literal("item"), itemId: z.string() })])
        .nullish()
        .describe("Of an earlier page, or the item to begin at."),
      sortDirection,
    }),
    result: z.object({
      data: z.array(
        z.object({
          turnId: z.string(),
          item: ThreadItem,
          startedAtMs: z.int().nullable(),
          completedAtMs: z.int().nullable(),
        }),
      ),
      ...cursors,
    }),
  }),
  archive: method("thread/archive", {
    summary: "Put a thread away",
    params: ById,
    result: Nothing,
  }),
  unarchive: method("thread/unarchive", {
    summary: "Take a thread out again",
    params: ById,
    result: z.object({ thread: Thread }),
  }),
  unsubscribe: method("thread/unsubscribe", {
    summary: "Hear no more of a thread on this connection",
    params: ById,
    result: z.object({ status: z.enum(["notLoaded", "notSubscribed", "unsubscribed"]) }),
  }),
  settingsUpdate: method("thread/settings/update", {
    summary: "Change what the next turn begins with; a turn that runs keeps what it has",
    experimental: true,
    params: z.object({ threadId: z.string(), ...turnSettingMembers, ...changePolicyMembers }),
    result: z.object({ writ: WritThread }),
  }),
  nameSet: method("thread/name/set", {
    summary: "Give a thread a name",
    params: z.object({ threadId: z.string(), name: z.string() }),
    result: Nothing,
  }),
  shellCommand: method("thread/shellCommand", {
    summary: "Run a command that the user typed, under the policy of the thread",
    params: z.object({
      threadId: z.string(),
      command: z.string(),
      timeoutMs: z.int().nonnegative().nullish(),
    }),
    result: Nothing,
  }),
  goalGet: method("thread/goal/get", {
    summary: "The goal of a thread; there is none",
    params: ById,
    result: z.object({ goal: z.null() }),
  }),
};
