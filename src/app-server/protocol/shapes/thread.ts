/** A thread as clients see it. What this server does not have is always null. */
import { z } from "zod";
import { Turn } from "./turn.ts";

const text = z.string().nullable();
const seconds = z.int().describe("Seconds since 1970.");

export const ThreadStatus = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("notLoaded") }),
    z.object({ type: z.literal("idle") }),
    z.object({ type: z.literal("systemError") }),
    z.object({
      type: z.literal("active"),
      activeFlags: z.array(z.enum(["waitingOnApproval", "waitingOnUserInput"])),
    }),
  ])
  .meta({ id: "ThreadStatus", description: "What a thread is doing." });
export type ThreadStatus = z.infer<typeof ThreadStatus>;

const ThreadEnvironment = z
  .object({
    environmentId: z.string(),
    cwd: z.string(),
    runtimeWorkspaceRoots: z.array(z.string()),
  })
  .meta({ id: "ThreadEnvironment", description: "Where the commands of a thread run." });

const identity = {
  id: z.string(),
  sessionId: z.string(),
  forkedFromId: text,
  parentThreadId: text,
  name: text.describe("What a user called it."),
  preview: z.string().describe("The first thing a user said."),
  originator: text,
  source: z.enum(["cli", "vscode", "exec", "appServer", "unknown"]),
  threadSource: text,
  cliVersion: z.string(),
};

const place = {
  ephemeral: z.boolean().describe("In memory only: it is gone with the server."),
  path: text.describe("Always null for an ephemeral thread."),
  cwd: z.string(),
  environments: z.array(ThreadEnvironment).nullable(),
  gitInfo: z.object({ sha: text, branch: text, originUrl: text }).nullable(),
};

const state = {
  createdAt: seconds,
  updatedAt: seconds,
  recencyAt: seconds.nullable(),
  status: ThreadStatus,
  canAcceptDirectInput: z.boolean().nullable(),
  modelProvider: z.string(),
  model: text,
  reasoningEffort: text,
  historyMode: z.enum(["legacy", "paginated"]),
};

const absent = {
  extra: z.null(),
  section: z.null(),
  sectionEnteredAt: z.null(),
  projectId: z.null(),
  agentNickname: z.null(),
  agentRole: z.null(),
  daybreakEnabled: z.null(),
};

export const Thread = z
  .object({
    ...identity,
    ...place,
    ...state,
    ...absent,
    turns: z.array(Turn).describe("Empty unless they were asked for."),
  })
  .meta({ id: "Thread", description: "A conversation with its policy and its turns." });
export type Thread = z.infer<typeof Thread>;
