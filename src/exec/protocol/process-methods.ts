/**
 * Processes: started under the intent that comes along, heard by numbered events.
 *
 * The `writ` members are ours; programs that do not know them pass them over.
 */
import { z } from "zod";
import { StraightUri } from "../../policy/index.ts";
import { method, notification } from "../../rpc/index.ts";
import { Receipt } from "../../sandbox/index.ts";
import { ClientIds } from "./client-ids.ts";
import { SandboxMember } from "./sandbox-member.ts";

const variables = z.record(z.string(), z.string());
const bytes = z.string().describe("Base64 with padding.");
const seq = z.int().nonnegative();
/** Kept for as long as what they name, and said again with every event. */
const name = z.string().max(1024);
const OutputStream = z.enum(["stdout", "stderr", "pty"]);
const InheritedVariables = z.object({
  inherit: z.enum(["all", "core", "none"]),
  ignoreDefaultExcludes: z.boolean(),
  exclude: z.array(z.string()),
  set: variables,
  includeOnly: z.array(z.string()),
});

/** What `process/start` carries beyond the wire it shares with others. */
const WritStart = z
  .strictObject({
    threadId: z.string().min(1).max(256).optional(),
    ids: ClientIds.optional().describe("Further names of the client, for the receipt."),
    waived: z
      .strictObject({ by: z.string().min(1).max(256), reason: z.string().min(1).max(1024) })
      .optional()
      .describe("Who waived the sandbox and why; only beside a `sandbox` that is null."),
    size: z
      .strictObject({ columns: z.int().min(1).max(65_535), rows: z.int().min(1).max(65_535) })
      .optional()
      .describe("Of the terminal; 80 by 24 when absent."),
    anchor: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .describe("The anchor that it runs in; in none when absent."),
    signed: z.unknown().optional().describe("A signature over what decides how this runs."),
  })
  .meta({ id: "WritStart", description: "What a start carries beyond the common wire." });

const StartParams = z.object({
  processId: name,
  metadata: z.object({ threadId: z.uuid(), toolCallId: z.string() }).nullish(),
  argv: z.array(z.string()),
  cwd: StraightUri,
  envPolicy: InheritedVariables.nullish(),
  env: variables,
  tty: z.boolean(),
  pipeStdin: z.boolean().default(false),
  arg0: z.string().nullish(),
  sandbox: SandboxMember,
  enforceManagedNetwork: z.boolean().default(false),
  managedNetwork: z
    .unknown()
    .optional()
    .describe("Refused unless null: this executor runs no proxy."),
  networkProxy: z
    .unknown()
    .optional()
    .describe("Refused unless null: this executor runs no proxy."),
  shellSnapshot: z.unknown().optional().describe("Refused unless null."),
  writ: WritStart.optional(),
});

const SandboxType = z.enum([
  "none",
  "macosSeatbelt",
  "linuxSeccomp",
  "windowsRestrictedToken",
  "windowsMxc",
]);

/** What becomes known of a process when it is closed, beyond the wire it shares with others. */
export const WritClosed = z
  .object({
    receipt: Receipt.optional(),
    unkept: z.string().optional().describe("Why its receipt could not be kept, and is not here."),
  })
  .meta({ id: "WritClosed", description: "What a close carries beyond the common wire." });

const ById = z.object({ processId: name });

export const processMethods = {
  start: method("process/start", {
    summary: "Start a command under the sandbox intent that comes with it",
    params: StartParams,
    result: z.object({ processId: name, sandboxType: SandboxType.optional() }),
  }),
  read: method("process/read", {
    summary: "Read what is retained of a process, waiting for more if there is nothing",
    params: z.object({
      processId: name,
      afterSeq: seq.nullish(),
      maxBytes: z.int().nonnegative().nullish(),
      waitMs: z.int().nonnegative().nullish(),
    }),
    result: z.object({
      chunks: z.array(z.object({ seq, stream: OutputStream, chunk: bytes })),
      nextSeq: seq,
      exited: z.boolean(),
      exitCode: z.int().nullable(),
      closed: z.boolean(),
      failure: z.string().nullable(),
      sandboxDenied: z.boolean().optional(),
      writ: WritClosed.optional(),
    }),
  }),
  write: method("process/write", {
    summary: "Write to the input of a process; a `writeId` seen before is not written again",
    params: z.object({ processId: name, chunk: bytes, writeId: name }),
    result: z.object({
      status: z.enum(["accepted", "unknownProcess", "stdinClosed", "starting"]),
    }),
  }),
  signal: method("process/signal", {
    summary: "Interrupt a command and what is in its process group",
    params: z.object({
      processId: name,
      signal: z.literal("interrupt"),
      writ: z
        .strictObject({ reach: z.enum(["group", "command"]) })
        .optional()
        .describe(
          "Whether it goes to the group or to the command alone; to the group when absent.",
        ),
    }),
    result: z.object({}),
  }),
  terminate: method("process/terminate", {
    summary: "End a process and all it started; true if it was still running",
    params: ById,
    result: z.object({ running: z.boolean() }),
  }),
  closeInput: method("process/closeInput", {
    summary: "Say that no more input follows",
    params: ById,
    result: z.object({}),
  }),
  resize: method("process/resize", {
    summary: "Change the size of a terminal",
    params: z.object({
      processId: name,
      columns: z.int().min(1).max(65_535),
      rows: z.int().min(1).max(65_535),
    }),
    result: z.object({}),
  }),
};

export const processNotifications = {
  output: notification("process/output", {
    summary: "Something that a process printed",
    params: z.object({ processId: z.string(), seq, stream: OutputStream, chunk: bytes }),
  }),
  exited: notification("process/exited", {
    summary: "A process has ended; more of its output may follow",
    params: z.object({
      processId: z.string(),
      seq,
      exitCode: z.int(),
      sandboxDenied: z.boolean().optional(),
    }),
  }),
  closed: notification("process/closed", {
    summary: "Nothing more follows of a process",
    params: z.object({
      processId: z.string(),
      seq,
      writ: WritClosed.optional(),
    }),
  }),
};
