/**
 * `write_stdin`: typing into a process that goes on.
 *
 * Where every command is asked about, so is what is typed: who said yes to a shell did not
 * say yes to all that comes after.
 * A process keeps the sandbox it was started in. Where that is not the sandbox
 * of the turn, whoever types into it acts under another policy, and is asked.
 */
import { approvalRules, sandboxName, subjectOf } from "../approvals/approval-rules.ts";
import { BOUNDS_UNREAD } from "../approvals/bounds-unread.ts";
import { MACHINE_MOVED } from "../approvals/machine-moved.ts";
import type { TerminalWrite } from "../items/model-call.ts";
import { ABORTED, orAborted } from "../or-aborted.ts";
import { refuseCall } from "../tools/refuse-call.ts";
import type { ToolCall, ToolContext, ToolOutcome, Verdict } from "../tools/tool.ts";
import { type CommandInput, readCommandInput } from "./command-input.ts";
import { commandReport } from "./command-report.ts";
import { mostOutput } from "./exec-command.ts";
import type { RunningCommand } from "./running-command.ts";
import type { ThreadCommands } from "./thread-commands.ts";

type Input = CommandInput<"write_stdin">;

interface Write {
  readonly item: TerminalWrite;
  readonly input: Input;
  readonly command: RunningCommand;
  readonly isElsewhere: boolean;
}

interface WriteEnd {
  readonly status: TerminalWrite["status"];
  readonly output: string;
  readonly next?: "stop";
}

/** What cannot be shown whole cannot be agreed to. */
const MOST_SHOWN = 4096;
const TOO_LONG: WriteEnd = {
  status: "failed",
  output: `Nothing was written. It is too long to be asked about, expected at most ${MOST_SHOWN} characters`,
};
/** As ^C is typed. Without an input there is no other word for a process that nobody wants any more. */
const INTERRUPT = "\u0003";
const TYPED_MS = 250;
const POLL_MS = 5000;

/** Runs a call of `write_stdin`. */
export async function runWriteStdin(
  call: ToolCall,
  context: ToolContext,
  commands: ThreadCommands,
): Promise<ToolOutcome> {
  const read = readCommandInput("write_stdin", call.input);
  if ("refusal" in read) return refuseCall(call, read.refusal, context);
  const { input } = read;
  const command = commands.find(input.session_id);
  if (command === undefined) {
    const reason = `Cannot write to session ${input.session_id}: no such process goes on, expected one that does`;
    return refuseCall(call, reason, context);
  }
  const isElsewhere = await commands.isElsewhere(command, context);
  const write = { item: startItem(call, command, context), input, command, isElsewhere };
  const end = (await permit(write, context)) ?? (await type(write, context, commands));
  return endItem(write, end, context);
}

function startItem(
  { callId, name, input }: ToolCall,
  { item: launch, receiptId }: RunningCommand,
  { port, now }: ToolContext,
): TerminalWrite {
  const item: TerminalWrite = {
    type: "terminalWrite",
    id: callId,
    launchId: launch.id,
    processId: launch.processId ?? "",
    status: "inProgress",
    receiptId,
    call: { name, input, output: null },
  };
  port.emit({ kind: "itemStarted", item, atMs: now() });
  return item;
}

/** Nothing where it may be written; otherwise how the call ended. */
async function permit(write: Write, context: ToolContext): Promise<WriteEnd | undefined> {
  const { isElsewhere, command, input } = write;
  const { launchedUnder } = command;
  const { chars = "" } = input;
  const isTyped = chars !== "" && chars !== INTERRUPT;
  const ruling = approvalRules.judgeWrite({ launchedUnder, isElsewhere, isTyped }, context.frame);
  if (ruling.kind === "run") return undefined;
  if (ruling.kind === "refuse") return { status: "failed", output: ruling.message };
  if (chars.length > MOST_SHOWN) return TOO_LONG;
  const verdict = await context.ask(questionOf(write, context));
  return verdict === "accepted" ? undefined : UNWRITTEN[verdict];
}

const UNWRITTEN: Readonly<Record<Exclude<Verdict, "accepted">, WriteEnd>> = {
  declined: { status: "declined", output: "Nothing was written. Rejected by the user" },
  cancelled: {
    status: "declined",
    output: "Nothing was written. Rejected by the user, who stopped the turn",
    next: "stop",
  },
  unanswered: { status: "failed", output: "Nothing was written. Nobody answered the question" },
  moved: { status: "failed", output: `Nothing was written. ${MACHINE_MOVED}` },
  unbounded: { status: "failed", output: `Nothing was written. ${BOUNDS_UNREAD}` },
};

const OTHER_POLICY = ": the process was started under another policy";
const OTHER_MACHINE = ": the process runs on another machine";

/** Bound to the process and to what would be typed. */
function questionOf({ item, input, command, isElsewhere }: Write, { frame }: ToolContext) {
  const { argv, command: line, cwd, id } = command.item;
  const asked = { kind: "writeStdin", argv, cwd, escalates: false } as const;
  const subject = subjectOf(asked, frame, [item.processId, id, input.chars ?? ""]);
  const what = input.chars ? `Type ${JSON.stringify(input.chars)}` : "Read what it prints";
  const isOther = command.launchedUnder !== sandboxName(frame);
  const why = isOther ? OTHER_POLICY : isElsewhere ? OTHER_MACHINE : "";
  const reason = what + why;
  return { ...asked, itemId: id, approvalId: item.id, command: line, reason, subject };
}

async function type(
  { item, input, command }: Write,
  context: ToolContext,
  commands: ThreadCommands,
): Promise<WriteEnd> {
  const { chars = "", max_output_tokens } = input;
  if (chars === "") tellTyped(item, chars, context);
  const refused = chars === "" ? undefined : await typed({ item, command, chars }, context);
  if (refused !== undefined) return refused;
  const patience = input.yield_time_ms ?? (chars === "" ? POLL_MS : TYPED_MS);
  const state = await commands.wait(command, patience, context);
  const isOver = command.end !== undefined;
  if (isOver) commands.forget(input.session_id);
  const { exitCode = null, denial = null } = command.end ?? {};
  const output = commandReport({
    elapsedMs: command.elapsedMs,
    ...{ exitCode, denial, sessionId: isOver ? null : input.session_id },
    output: command.takeOutput(mostOutput(max_output_tokens)),
  });
  if (state === "aborted") return { status: "failed", output, next: "stop" };
  return { status: "completed", output };
}

async function isEnded(command: RunningCommand, { port }: ToolContext): Promise<boolean> {
  await orAborted(command.stop("Ended as was asked for"), port.signal);
  return true;
}

/** Nothing where it was typed, or the turn was stopped. */
async function typed(
  { item, command, chars }: { item: TerminalWrite; command: RunningCommand; chars: string },
  context: ToolContext,
): Promise<WriteEnd | undefined> {
  const { processId } = item;
  try {
    const isTaken = await orAborted(command.write(chars), context.port.signal);
    // Whoever waits for the command next ends it.
    if (isTaken === ABORTED) return undefined;
    if (isTaken || (chars === INTERRUPT && (await isEnded(command, context)))) {
      return tellTyped(item, chars, context);
    }
    const output = `Cannot write to session ${processId}: it has no input, expected it to be started with "tty", or "\\u0003" to end it`;
    return { status: "failed", output };
  } catch (error) {
    const output = error instanceof Error ? error.message : String(error);
    return { status: "failed", output };
  }
}

/** Also that nothing was: then what it prints was asked for. */
function tellTyped(
  { launchId: itemId, processId }: TerminalWrite,
  stdin: string,
  { port }: ToolContext,
): undefined {
  port.emit({ kind: "terminalInteraction", itemId, processId, stdin });
}

function endItem(
  { item, command: { receiptId } }: Write,
  end: WriteEnd,
  { port, now }: ToolContext,
): ToolOutcome {
  const call = { ...item.call, output: end.output };
  const ended: TerminalWrite = { ...item, status: end.status, receiptId, call };
  port.emit({ kind: "itemCompleted", item: ended, atMs: now() });
  return { item: ended, next: end.next ?? "goOn" };
}
