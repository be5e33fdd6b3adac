/**
 * Commands of a client, outside every thread.
 *
 * The answer comes when the command is over; what is streamed comes before it.
 * A process id belongs to the connection that chose it.
 */
import { z } from "zod";
import { method, notification } from "../../rpc/index.ts";

const Nothing = z.object({});
const flag = z.boolean().default(false);
/** Kept for as long as the command, and said again with all it prints. */
const processId = z.string().max(1024);
const cells = z.int().min(0).max(65_535);

const TerminalSize = z
  .object({ rows: cells, cols: cells })
  .meta({ id: "CommandExecTerminalSize", description: "The size of a terminal, in characters." });

const ExecParams = z
  .object({
    command: z.array(z.string()).describe("The program and its arguments; no shell reads them."),
    processId: processId.nullish().describe("Needed for `tty`, for streams and to end it."),
    tty: flag.describe("Gives it a terminal, which streams in both directions."),
    streamStdin: flag.describe("Leaves its input open for `command/exec/write`."),
    streamStdoutStderr: flag.describe("Sends what it prints at once instead of with the answer."),
    outputBytesCap: z
      .int()
      .nonnegative()
      .nullish()
      .describe("What is kept of each stream; 1 MiB when absent."),
    disableOutputCap: flag,
    timeoutMs: z.int().nullish().describe("10 s when absent; the exit code is 124 afterwards."),
    disableTimeout: flag,
    cwd: z.string().nullish().describe("Also the folder that its policy is bound to."),
    env: z
      .record(z.string(), z.string().nullable())
      .nullish()
      .describe("Its own variables; null takes an inherited one away."),
    size: TerminalSize.nullish(),
    sandboxPolicy: z.unknown().optional().describe("A SandboxPolicy; not with permissionProfile."),
    permissionProfile: z.string().nullish().describe("The id of a profile."),
    sandbox: z.unknown().optional().describe("Refused unless null."),
    permissions: z.unknown().optional().describe("Refused unless null."),
  })
  .meta({ id: "CommandExecParams", description: "A command with the policy that it runs under." });

export const commandMethods = {
  exec: method("command/exec", {
    summary: "Run a command under a policy of its own, or that of the server",
    params: ExecParams,
    result: z.object({ exitCode: z.int(), stdout: z.string(), stderr: z.string() }),
  }),
  execWrite: method("command/exec/write", {
    summary: "Write to a command, or say that no more follows",
    params: z.object({ processId, deltaBase64: z.string().nullish(), closeStdin: flag }),
    result: Nothing,
  }),
  execResize: method("command/exec/resize", {
    summary: "Change the size of its terminal",
    params: z.object({ processId, size: TerminalSize }),
    result: Nothing,
  }),
  execTerminate: method("command/exec/terminate", {
    summary: "End a command and all it started",
    params: z.object({ processId }),
    result: Nothing,
  }),
};

export const commandNotifications = {
  outputDelta: notification("command/exec/outputDelta", {
    summary: "A command printed something",
    params: z.object({
      processId: z.string(),
      stream: z.enum(["stdout", "stderr"]).describe("A terminal is all `stdout`."),
      deltaBase64: z.string(),
      capReached: z.boolean().describe("Nothing more of this stream is sent."),
    }),
  }),
};
