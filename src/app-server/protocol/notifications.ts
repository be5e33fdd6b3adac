/**
 * What clients are told without asking.
 *
 * What is not known is null, save for the two members that the dialect leaves
 * out: clients that read strictly take no null for them.
 */
import { z } from "zod";
import { notification } from "../../rpc/index.ts";
import { commandNotifications } from "./command-methods.ts";
import { RateLimits } from "./shapes/rate-limits.ts";
import { Thread, ThreadStatus } from "./shapes/thread.ts";
import { FileUpdateChange, ThreadItem } from "./shapes/thread-item.ts";
import { ThreadSettings } from "./shapes/thread-settings.ts";
import { Turn, TurnError } from "./shapes/turn.ts";

const text = z.string().nullable();
const count = z.int().nonnegative();
const ofThread = { threadId: z.string() };
const ofTurn = { ...ofThread, turnId: z.string() };
const ofItem = { ...ofTurn, itemId: z.string() };
const delta = z.object({ ...ofItem, delta: z.string() });

const TokenCounts = z
  .object({
    totalTokens: count,
    inputTokens: count,
    cachedInputTokens: count,
    cacheWriteInputTokens: count,
    outputTokens: count,
    reasoningOutputTokens: count,
  })
  .meta({ id: "TokenCounts", description: "What a model has read and written." });

const ofThreads = {
  threadStarted: notification("thread/started", {
    summary: "There is a thread; told to every connection",
    params: z.object({ thread: Thread }),
  }),
  threadStatusChanged: notification("thread/status/changed", {
    summary: "A thread does something else now; told to every connection",
    params: z.object({ ...ofThread, status: ThreadStatus }),
  }),
  threadSettingsUpdated: notification("thread/settings/updated", {
    summary: "The next turn of a thread begins with something else",
    experimental: true,
    params: z.object({ ...ofThread, threadSettings: ThreadSettings }),
  }),
  threadArchived: notification("thread/archived", {
    summary: "A thread was put away; told to every connection",
    params: z.object(ofThread),
  }),
  threadUnarchived: notification("thread/unarchived", {
    summary: "A thread was taken out again; told to every connection",
    params: z.object(ofThread),
  }),
  threadClosed: notification("thread/closed", {
    summary: "A thread is no longer loaded",
    params: z.object(ofThread),
  }),
  threadNameUpdated: notification("thread/name/updated", {
    summary: "A thread has another name; told to every connection",
    params: z.object({ ...ofThread, threadName: z.string().optional() }),
  }),
  threadTokenUsageUpdated: notification("thread/tokenUsage/updated", {
    summary: "What the model has used up",
    params: z.object({
      ...ofTurn,
      tokenUsage: z.object({
        total: TokenCounts,
        last: TokenCounts,
        modelContextWindow: count.nullable(),
      }),
    }),
  }),
};

const ofTurns = {
  turnStarted: notification("turn/started", {
    summary: "A turn has begun",
    params: z.object({ ...ofThread, turn: Turn }),
  }),
  turnCompleted: notification("turn/completed", {
    summary: "A turn is over",
    params: z.object({ ...ofThread, turn: Turn }),
  }),
  turnDiffUpdated: notification("turn/diff/updated", {
    summary: "What the turn has changed in files so far",
    params: z.object({ ...ofTurn, diff: z.string() }),
  }),
  error: notification("error", {
    summary: "Something went wrong in a turn",
    params: z.object({ error: TurnError, willRetry: z.boolean(), ...ofTurn }),
  }),
};

const ofItems = {
  itemStarted: notification("item/started", {
    summary: "Something has begun to happen in a turn",
    params: z.object({ item: ThreadItem, ...ofTurn, startedAtMs: z.int() }),
  }),
  itemCompleted: notification("item/completed", {
    summary: "It is over; this is what counts, whatever the deltas said",
    params: z.object({ item: ThreadItem, ...ofTurn, completedAtMs: z.int() }),
  }),
  itemAgentMessageDelta: notification("item/agentMessage/delta", {
    summary: "More of what the model says",
    params: delta,
  }),
  itemReasoningSummaryTextDelta: notification("item/reasoning/summaryTextDelta", {
    summary: "More of the summary of a thought",
    params: delta.extend({ summaryIndex: count }),
  }),
  itemReasoningSummaryPartAdded: notification("item/reasoning/summaryPartAdded", {
    summary: "The summary of a thought goes on with a new part",
    params: z.object({ ...ofItem, summaryIndex: count }),
  }),
  itemReasoningTextDelta: notification("item/reasoning/textDelta", {
    summary: "More of a thought",
    params: delta.extend({ contentIndex: count }),
  }),
  itemCommandExecutionOutputDelta: notification("item/commandExecution/outputDelta", {
    summary: "More of what a command prints",
    params: delta,
  }),
  itemCommandExecutionTerminalInteraction: notification(
    "item/commandExecution/terminalInteraction",
    {
      summary: "Something was typed into a command",
      params: z.object({ ...ofItem, processId: z.string(), stdin: z.string() }),
    },
  ),
  itemFileChangePatchUpdated: notification("item/fileChange/patchUpdated", {
    summary: "What a change of files comes to so far",
    params: z.object({ ...ofItem, changes: z.array(FileUpdateChange) }),
  }),
  itemMcpToolCallProgress: notification("item/mcpToolCall/progress", {
    summary: "A tool says how far it is",
    params: z.object({ ...ofItem, message: z.string() }),
  }),
  serverRequestResolved: notification("serverRequest/resolved", {
    summary: "A question was answered, or is no longer open",
    params: z.object({ ...ofThread, requestId: z.union([z.string(), z.int()]) }),
  }),
};

const ofServer = {
  warning: notification("warning", {
    summary: "Something a user should know",
    params: z.object({ threadId: text, message: z.string() }),
  }),
  configWarning: notification("configWarning", {
    summary: "Something in the configuration a user should know",
    params: z.object({ summary: z.string(), details: text, path: z.string().optional() }),
  }),
  deprecationNotice: notification("deprecationNotice", {
    summary: "Something a client should do another way",
    params: z.object({ summary: z.string(), details: text }),
  }),
  mcpServerStartupStatusUpdated: notification("mcpServer/startupStatus/updated", {
    summary: "How far an MCP server is",
    params: z.object({
      threadId: text,
      name: z.string(),
      status: z.enum(["starting", "ready", "failed", "cancelled"]),
      error: text,
      failureReason: z.null(),
    }),
  }),
  skillsChanged: notification("skills/changed", {
    summary: "Something changed where skills lie; skills/list says what; told to every connection",
    params: z.object({}),
  }),
  remoteControlStatusChanged: notification("remoteControl/status/changed", {
    summary: "Always disabled here; clients wait for it after initialize",
    params: z.object({
      status: z.literal("disabled"),
      serverName: z.string(),
      installationId: z.string(),
      environmentId: z.null(),
    }),
  }),
  accountRateLimitsUpdated: notification("account/rateLimits/updated", {
    summary: "How much of an account is used up",
    params: z.object({ rateLimits: RateLimits }),
  }),
  commandExecOutputDelta: commandNotifications.outputDelta,
};

export const notifications = { ...ofThreads, ...ofTurns, ...ofItems, ...ofServer };
