/**
 * The edge of `command/exec`: params of the wire become what is to run.
 *
 * Members that contradict each other are refused here, before a policy is looked
 * for and before anything is started. The sentences are those that clients of the
 * protocol know.
 */
import path from "node:path";
import type { z } from "zod";
import type { TerminalSize } from "../../exec/index.ts";
import { PolicyError, parseAbsolutePath } from "../../policy/index.ts";
import { RpcError } from "../../rpc/index.ts";
import type { commandMethods } from "../protocol/command-methods.ts";
import { type CommandVariables, readVariables } from "./read-variables.ts";
import { refusePolicyMembers } from "./refuse-policy-members.ts";

export type ExecParams = z.output<typeof commandMethods.exec.params>;

/** A command as it was asked for, with every default filled in. */
export interface AskedCommand {
  /** What the client calls it; nothing where it cannot be spoken to. */
  readonly processId: string | undefined;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly variables: CommandVariables;
  readonly terminal: TerminalSize | null;
  readonly streamsInput: boolean;
  readonly streamsOutput: boolean;
  /** Of each stream; nothing where all of it is wanted. */
  readonly outputCap: number | undefined;
  /** Nothing where it may run for ever. */
  readonly timeoutMs: number | undefined;
  readonly policy: { readonly sandboxPolicy?: unknown; readonly permissionProfile?: string };
}

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_OUTPUT_CAP = 1_048_576;
const DEFAULT_SIZE: TerminalSize = { columns: 80, rows: 24 };
const WRONG_MEMBERS = {
  method: "command/exec",
  members: ["sandbox", "permissions"],
  instead: "use `sandboxPolicy` or `permissionProfile` instead",
} as const;

/** Reads the params; `serverCwd` is where a relative folder begins. Throws `RpcError`. */
export function readCommand(params: ExecParams, serverCwd: string): AskedCommand {
  refusePolicyMembers(params, WRONG_MEMBERS);
  const { tty, streamStdin, streamStdoutStderr } = params;
  const processId = params.processId ?? undefined;
  if (processId === undefined && (tty || streamStdin || streamStdoutStderr)) {
    const what = "command/exec tty or streaming requires a client-supplied processId";
    throw new RpcError("invalidRequest", what);
  }
  return {
    processId,
    argv: readArgv(params.command),
    cwd: readFolder(params.cwd ?? ".", serverCwd),
    variables: readVariables(params.env ?? {}),
    terminal: readTerminal(params),
    streamsInput: tty || streamStdin,
    streamsOutput: tty || streamStdoutStderr,
    outputCap: readOutputCap(params),
    timeoutMs: readTimeout(params),
    policy: readPolicyMembers(params),
  };
}

/** A size that a terminal can have. */
export function readSize({ rows, cols }: NonNullable<ExecParams["size"]>): TerminalSize {
  if (rows > 0 && cols > 0) return { rows, columns: cols };
  throw invalidParams("command/exec size rows and cols must be greater than 0");
}

function readArgv(command: readonly string[]): readonly string[] {
  if (command.length === 0) throw new RpcError("invalidRequest", "command must not be empty");
  const index = command.findIndex((word) => word.includes("\0"));
  if (index === -1) return command;
  throw invalidParams(`Cannot run the command: word ${index} holds a zero byte, expected none`);
}

function readFolder(cwd: string, serverCwd: string): string {
  try {
    // A zero byte is refused below; until then the path is only text.
    return parseAbsolutePath(path.resolve(serverCwd, cwd));
  } catch (cause) {
    if (!(cause instanceof PolicyError)) throw cause;
    throw new RpcError("invalidRequest", cause.message, { cause });
  }
}

function readTerminal({ tty, size }: ExecParams): TerminalSize | null {
  const isGiven = size !== undefined && size !== null;
  if (isGiven && !tty) throw invalidParams("command/exec size requires tty: true");
  if (!tty) return null;
  return isGiven ? readSize(size) : DEFAULT_SIZE;
}

function readOutputCap({ outputBytesCap, disableOutputCap }: ExecParams): number | undefined {
  const cap = outputBytesCap ?? undefined;
  if (!disableOutputCap) return cap ?? DEFAULT_OUTPUT_CAP;
  if (cap === undefined) return undefined;
  throw invalidParams("command/exec cannot set both outputBytesCap and disableOutputCap");
}

function readTimeout({ timeoutMs, disableTimeout }: ExecParams): number | undefined {
  const ms = timeoutMs ?? undefined;
  if (disableTimeout && ms !== undefined) {
    throw invalidParams("command/exec cannot set both timeoutMs and disableTimeout");
  }
  if (disableTimeout) return undefined;
  if (ms === undefined || ms >= 0) return ms ?? DEFAULT_TIMEOUT_MS;
  throw invalidParams(`command/exec timeoutMs must be non-negative, got ${ms}`);
}

function readPolicyMembers({
  sandboxPolicy,
  permissionProfile,
}: ExecParams): AskedCommand["policy"] {
  const isFull = sandboxPolicy !== undefined && sandboxPolicy !== null;
  const isNamed = permissionProfile !== undefined && permissionProfile !== null;
  if (isFull && isNamed) {
    const what = "`permissionProfile` cannot be combined with `sandboxPolicy`";
    throw new RpcError("invalidRequest", what);
  }
  return { ...(isFull && { sandboxPolicy }), ...(isNamed && { permissionProfile }) };
}

function invalidParams(message: string): RpcError {
  return new RpcError("invalidParams", message);
}
