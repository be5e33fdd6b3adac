/** What a turn consists of, as clients see it. Every member is always there; what is not known is null. */
import { z } from "zod";
import { Json } from "./json.ts";
import { UserInput } from "./user-input.ts";

const text = z.string().nullable();
const duration = z.number().nonnegative().nullable();
const at = z.int().nullable().describe("Milliseconds since 1970.");
const times = { id: z.string(), startedAtMs: at, completedAtMs: at };

/** A guess at what a command is for; only `unknown` promises nothing. */
export const CommandAction = z
  .discriminatedUnion("type", [
    z.object({
      type: z.literal("read"),
      command: z.string(),
      name: z.string(),
      path: z.string(),
    }),
    z.object({ type: z.literal("listFiles"), command: z.string(), path: text }),
    z.object({ type: z.literal("search"), command: z.string(), query: text, path: text }),
    z.object({ type: z.literal("unknown"), command: z.string() }),
  ])
  .meta({ id: "CommandAction", description: "What a part of a command seems to do." });

const WritItem = z
  .object({
    receiptId: text.describe("The receipt of the run."),
    denial: text.describe("Why it was refused, or what it was probably denied."),
  })
  .meta({ id: "WritItem", description: "What was enforced on a call." });

const CommandExecution = z.object({
  type: z.literal("commandExecution"),
  ...times,
  pluginId: z.null(),
  scriptPath: z.null(),
  command: z.string(),
  cwd: z.string(),
  processId: text,
  source: z.enum(["agent", "userShell", "unifiedExecStartup", "unifiedExecInteraction"]),
  status: z.enum(["inProgress", "completed", "failed", "declined"]),
  commandActions: z.array(CommandAction),
  aggregatedOutput: text,
  exitCode: z.int().nullable(),
  durationMs: duration,
  writ: WritItem.nullable(),
});

/** One file of a change. */
export const FileUpdateChange = z
  .object({
    path: z.string(),
    kind: z.discriminatedUnion("type", [
      z.object({ type: z.literal("add") }),
      z.object({ type: z.literal("delete") }),
      z.object({ type: z.literal("update"), move_path: text }),
    ]),
    diff: z.string(),
  })
  .meta({ id: "FileUpdateChange", description: "What becomes of one file." });

const McpToolCall = z.object({
  type: z.literal("mcpToolCall"),
  ...times,
  server: z.string(),
  tool: z.string(),
  status: z.enum(["inProgress", "completed", "failed"]),
  arguments: Json,
  appContext: z.null(),
  mcpAppUi: z.null(),
  pluginId: z.null(),
  readOnlyHint: z.boolean().nullable(),
  result: z
    .object({
      content: z.array(z.unknown()),
      structuredContent: Json,
      _meta: Json,
    })
    .nullable(),
  error: z.object({ message: z.string() }).nullable(),
  durationMs: duration,
  writ: WritItem.nullable(),
});

/** What a tool of the client answers with. */
export const ToolContent = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("inputText"), text: z.string() }),
    z.object({ type: z.literal("inputImage"), imageUrl: z.string() }),
    z.object({ type: z.literal("inputAudio"), audioUrl: z.string() }),
  ])
  .meta({ id: "ToolContent", description: "A part of the answer of a tool." });

const DynamicToolCall = z.object({
  type: z.literal("dynamicToolCall"),
  ...times,
  namespace: text,
  tool: z.string(),
  arguments: Json,
  status: z.enum(["inProgress", "completed", "failed"]),
  contentItems: z.array(ToolContent).nullable(),
  success: z.boolean().nullable(),
  durationMs: duration,
  writ: WritItem.nullable().describe("Null where no tool of a sandbox was called."),
});

/** One thing that happened in a turn. */
export const ThreadItem = z
  .discriminatedUnion("type", [
    z.object({
      type: z.literal("userMessage"),
      ...times,
      clientId: text,
      content: z.array(UserInput),
    }),
    z.object({
      type: z.literal("agentMessage"),
      ...times,
      text: z.string(),
      phase: z.enum(["commentary", "partial_answer", "final_answer"]).nullable(),
      memoryCitation: z.null(),
      delivery: z.null(),
      questions: z.null(),
    }),
    z.object({
      type: z.literal("reasoning"),
      ...times,
      summary: z.array(z.string()),
      content: z.array(z.string()),
    }),
    CommandExecution,
    z.object({
      type: z.literal("fileChange"),
      ...times,
      changes: z.array(FileUpdateChange),
      status: z.enum(["inProgress", "completed", "failed", "declined"]),
      writ: WritItem.nullable(),
    }),
    McpToolCall,
    DynamicToolCall,
  ])
  .meta({ id: "ThreadItem", description: "One thing that happened in a turn." });
export type ThreadItem = z.infer<typeof ThreadItem>;
