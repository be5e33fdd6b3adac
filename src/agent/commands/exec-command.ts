/**
 * `exec_command`: one command line of the model.
 *
 * Its item is started before anything is asked or run and is completed whatever
 * comes of it: a command that was refused or denied is as visible as any other.
 */
import { joinUri, type PathUri, PolicyError } from "../../policy/index.ts";
import type { ApprovalQuestion } from "../approval.ts";
import { approvalRules, type Ruling, subjectOf } from "../approvals/approval-rules.ts";
import { BOUNDS_UNREAD } from "../approvals/bounds-unread.ts";
import { MACHINE_MOVED } from "../approvals/machine-moved.ts";
import { tooLongToAsk } from "../approvals/too-long-to-ask.ts";
import { visibleLine } from "../approvals/visible-text.ts";
import { ruleNote } from "../files/denial-sentence.ts";
import { ABORTED, orAborted } from "../or-aborted.ts";
import { toldFailure } from "../sandbox/told-failure.ts";
import { refuseCall } from "../tools/refuse-call.ts";
import type { ToolCall, ToolContext, ToolOutcome, Verdict } from "../tools/tool.ts";
import type { TurnFrame } from "../turn-frame.ts";
import type { CommandExecution } from "../turn-item.ts";
import { type CommandInput, readCommandInput } from "./command-input.ts";
import { commandItem, shellArgv } from "./command-item.ts";
import { commandReport } from "./command-report.ts";
import type { RunningCommand } from "./running-command.ts";
import type { Launch, ThreadCommands } from "./thread-commands.ts";

type Input = CommandInput<"exec_command">;

const YIELD_MS = 10_000;
const OUTPUT_TOKENS = 10_000;
const CHARACTERS_A_TOKEN = 4;
/** Of what a person reads, and of a waiver, for the receipt. */
const LONGEST_REASON = 1000;

/** Runs a call of `exec_command`. */
export async function runExecCommand(
  call: ToolCall,
  context: ToolContext,
  commands: ThreadCommands,
): Promise<ToolOutcome> {
  const read = readCommandInput("exec_command", call.input);
  if ("refusal" in read) return refuseCall(call, read.refusal, context);
  const named = folderOf(read.input, context);
  if (named === undefined) {
    return refuseCall(call, 'Cannot call "exec_command": "workdir" is no path', context);
  }
  const { cwd, unseen } = await placeOf(named, read.input, { context, commands });
  const item = startItem(call, { input: read.input, cwd }, context);
  if (unseen !== undefined) return endUnrun(item, failed(unseen), context);
  const stopped = await permit(item, read.input, context);
  if (stopped !== undefined) return stopped;
  return runPermitted({ item, cwd, input: read.input }, context, commands);
}

/** How much output a call wants, in characters. */
export function mostOutput(tokens: number = OUTPUT_TOKENS): number {
  return Math.min(tokens, OUTPUT_TOKENS * 10) * CHARACTERS_A_TOKEN;
}

function folderOf({ workdir }: Input, { frame }: ToolContext): PathUri | undefined {
  if (workdir === undefined) return frame.cwd;
  try {
    return joinUri(frame.cwd, workdir);
  } catch (error) {
    if (error instanceof PolicyError) return undefined;
    throw error;
  }
}

/** Of a command that a person is to let out, the place itself, and not a name that may come to lead elsewhere. */
async function placeOf(
  cwd: PathUri,
  input: Input,
  { context, commands }: { readonly context: ToolContext; readonly commands: ThreadCommands },
): Promise<{ readonly cwd: PathUri; readonly unseen?: string }> {
  const { frame, port } = context;
  if (!isEscalated(input) || rulingOn(input, frame).kind !== "ask") return { cwd };
  try {
    const place = await orAborted(commands.placeBehind(cwd, frame), port.signal);
    // Nobody is asked in a turn that was stopped.
    return { cwd: place === ABORTED ? cwd : place };
  } catch (error) {
    return { cwd, unseen: toldFailure(error).message };
  }
}

function rulingOn(input: Input, frame: TurnFrame): Ruling {
  const command = { line: input.cmd, escalates: isEscalated(input) };
  return approvalRules.judgeCommand(command, frame);
}

function startItem(
  { callId, name, input: text }: ToolCall,
  { input, cwd }: { readonly input: Input; readonly cwd: PathUri },
  { port, now }: ToolContext,
): CommandExecution {
  const argv = shellArgv(input.cmd, input.login === false ? "plain" : "login");
  const call = { name, input: text, output: null };
  const item = commandItem({ id: callId, argv, cwd, source: "agent", call });
  port.emit({ kind: "itemStarted", item, atMs: now() });
  return item;
}

/** Nothing where the command may run; otherwise how its call ended. */
async function permit(
  item: CommandExecution,
  input: Input,
  context: ToolContext,
): Promise<ToolOutcome | undefined> {
  const ruling = rulingOn(input, context.frame);
  if (ruling.kind === "run") return undefined;
  if (ruling.kind === "refuse") return endUnrun(item, failed(ruling.message), context);
  const tooLong = tooLongToAsk("It", input.cmd);
  if (tooLong !== undefined) return endUnrun(item, failed(tooLong), context);
  const verdict = await context.ask(questionOf(item, input, context));
  return verdict === "accepted" ? undefined : endUnrun(item, UNRUN[verdict], context);
}

/** Without a sandbox there is nothing to leave. */
const isEscalated = ({ sandbox_permissions }: Input) => sandbox_permissions === "require_escalated";

function questionOf(
  { id, argv, command, cwd }: CommandExecution,
  input: Input,
  { frame }: ToolContext,
): ApprovalQuestion {
  const asked = { kind: "command", argv, cwd, escalates: isEscalated(input) } as const;
  const subject = subjectOf(asked, frame);
  return { ...asked, itemId: id, approvalId: null, command, reason: reasonOf(input), subject };
}

/**
 * That no sandbox would hold is ours to say: clients show the reason alone, and a model may give
 * another. A long one would push what runs off the screen.
 */
function reasonOf(input: Input): string | null {
  const justification = input.justification && shortened(input.justification);
  if (!isEscalated(input)) return justification ?? null;
  return justification ? `${BEYOND}: ${justification}` : BEYOND;
}

function shortened(reason: string): string {
  return reason.length <= LONGEST_REASON ? reason : `${reason.slice(0, LONGEST_REASON)}…`;
}

const BEYOND = "It would run without the sandbox";

interface Unrun {
  readonly status: "failed" | "declined";
  readonly denial: string;
  readonly receiptId?: string | undefined;
  readonly next?: "stop";
}

const failed = (denial: string): Unrun => ({ status: "failed", denial });

const UNRUN: Readonly<Record<Exclude<Verdict, "accepted">, Unrun>> = {
  declined: { status: "declined", denial: "Rejected by the user" },
  cancelled: {
    status: "declined",
    denial: "Rejected by the user, who stopped the turn",
    next: "stop",
  },
  unanswered: failed("Not approved: nobody answered the question"),
  moved: failed(MACHINE_MOVED),
  unbounded: failed(BOUNDS_UNREAD),
};

function endUnrun(item: CommandExecution, unrun: Unrun, { port, now }: ToolContext): ToolOutcome {
  const { status, receiptId = null, next = "goOn" } = unrun;
  const denial = visibleLine(unrun.denial);
  const output = `The command did not run. ${denial}`;
  const call = item.call && { ...item.call, output };
  const ended: CommandExecution = { ...item, status, denial, receiptId, call };
  port.emit({ kind: "itemCompleted", item: ended, atMs: now() });
  return { item: ended, next };
}

async function runPermitted(
  { item, cwd, input }: { readonly item: CommandExecution; readonly cwd: PathUri; input: Input },
  context: ToolContext,
  commands: ThreadCommands,
): Promise<ToolOutcome> {
  const launch = {
    item,
    cwd,
    hasTerminal: input.tty === true,
    waivedFor: waivedFor(input, context),
  };
  const command = await launched(launch, context, commands);
  if ("next" in command) return command;
  const state = await commands.wait(command, input.yield_time_ms ?? YIELD_MS, context);
  if (state === "running") return goOn(command, input, { context, commands });
  const text = report(command, input, null);
  if (state === "over") return { item: command.complete({ modelOutput: text }), next: "goOn" };
  const told = { status: "failed", modelOutput: `Ended: the turn was stopped\n${text}` } as const;
  return { item: command.complete(told), next: "stop" };
}

/** Accepted by a person, unless there was nothing to ask them. */
function waivedFor(input: Input, { frame }: ToolContext): string | null {
  if (!isEscalated(input) || frame.profile.type === "disabled") return null;
  const reason = input.justification?.slice(0, LONGEST_REASON).toWellFormed();
  return reason || "the model asked to run it without the sandbox";
}

/** The command, or how its call ended because nothing was started. */
export async function launched(
  launch: Launch,
  context: ToolContext,
  commands: ThreadCommands,
): Promise<RunningCommand | ToolOutcome> {
  try {
    const command = await commands.launch(launch, context);
    if (command !== ABORTED) return command;
    return endUnrun(launch.item, { ...failed("The turn was stopped"), next: "stop" }, context);
  } catch (error) {
    const { message, receiptId } = toldFailure(error);
    const denial = message + noteOn(launch, context);
    return endUnrun(launch.item, { ...failed(denial), receiptId }, context);
  }
}

/** The rule that closes the folder it was to start in. */
function noteOn({ waivedFor, item }: Launch, { frame }: ToolContext): string {
  if (waivedFor !== null || frame.profile.type !== "managed") return "";
  return ruleNote({ verb: "read", path: item.cwd, frame });
}

function goOn(
  command: RunningCommand,
  input: Input,
  { context, commands }: { readonly context: ToolContext; readonly commands: ThreadCommands },
): ToolOutcome {
  const id = commands.keep(command, context.turn);
  return { item: command.goOn(String(id), report(command, input, id)), next: "goOn" };
}

function report(command: RunningCommand, input: Input, sessionId: number | null): string {
  const { elapsedMs, end, notice } = command;
  const output = command.takeOutput(mostOutput(input.max_output_tokens));
  const { exitCode = null, denial = null } = end ?? {};
  return commandReport({ elapsedMs, exitCode, sessionId, denial, notice, output });
}
