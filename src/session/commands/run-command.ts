/**
 * One command from its start to a value, in one sandbox and once.
 *
 * It has no input, its variables go through the API, and time and patience are
 * limited. It is killed with all it started when either is over; whoever does
 * not die of that is not waited for.
 */

import type { HeldSandbox } from "../lifecycle/sandbox-holder.ts";
import type { CommandEnd, ProvidedCommand } from "../provider/provided-command.ts";
import type { SessionClock } from "../session-clock.ts";
import { unlessAborted } from "../unless-aborted.ts";
import { commandEnvironment } from "./command-environment.ts";
import { CommandLog } from "./command-log.ts";
import { type CommandResult, EXIT_ABORTED, EXIT_TIMED_OUT } from "./command-result.ts";
import { type Impatience, patienceOf } from "./patience.ts";

export interface CommandSpec {
  readonly argv: readonly [string, ...string[]];
  /** Relative to the workspace; the workspace itself when absent. */
  readonly cwd?: string | undefined;
  /** Added to the fixed variables. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Five minutes when absent. */
  readonly timeoutMs?: number | undefined;
  /** Names of the caller for the receipt. */
  readonly ids?: Readonly<Record<string, string>> | undefined;
}

export interface CommandTerms {
  readonly signal: AbortSignal;
  readonly clock: SessionClock;
}

const TIMEOUT_MS = 5 * 60_000;
/** How long the end of something that was killed is waited for. */
const GRACE_MS = 5000;

/** Begins a command as every command of a session is begun. */
export async function begin(
  { sandbox, intent }: HeldSandbox,
  { argv, cwd = ".", env = {}, ids = {} }: CommandSpec,
): Promise<ProvidedCommand> {
  return sandbox.runCommand({
    ...{ argv, cwd, intent, stdin: "none" },
    env: commandEnvironment(env),
    ids: { ...ids, session: sandbox.id },
  });
}

/** Runs a command. Throws only where it did not run, or where nobody knows how it went. */
export async function runCommand(
  held: HeldSandbox,
  spec: CommandSpec,
  { signal, clock }: CommandTerms,
): Promise<CommandResult> {
  const log = new CommandLog();
  const patience = patienceOf(clock, spec.timeoutMs ?? TIMEOUT_MS, signal);
  const started = begin(held, spec);
  const ended = started.then((command) => follow(command, log));
  const first = await Promise.race([ended, patience.over]).finally(patience.stop);
  const end = typeof first === "string" ? await killed(started, ended, clock) : first;
  const outcome = outcomeOf(typeof first === "string" ? first : null, end);
  return { ...(await shownOf(held, log, signal)), ...outcome };
}

async function follow(command: ProvidedCommand, log: CommandLog): Promise<CommandEnd> {
  command.ended.catch(() => {});
  for await (const output of command.output) log.add(output);
  return command.ended;
}

/** Its end, where that is seen in time. Also one that is still being started is killed, when it is. */
async function killed(
  started: Promise<ProvidedCommand>,
  ended: Promise<CommandEnd>,
  clock: SessionClock,
): Promise<CommandEnd | undefined> {
  const { promise: patience, resolve } = Promise.withResolvers<undefined>();
  const cancel = clock.after(GRACE_MS, () => resolve(undefined));
  started.then((command) => command.kill()).catch(() => {});
  const end = await Promise.race([ended.catch(() => undefined), patience]);
  cancel();
  return end;
}

async function shownOf(held: HeldSandbox, log: CommandLog, signal: AbortSignal) {
  const saving = unlessAborted(log.save(held, signal), signal, "keep the log");
  const saved = await saving.catch(() => null);
  const stdout = log.show("stdout", saved);
  const stderr = log.show("stderr", saved);
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    isStdoutCut: stdout.isCut,
    isStderrCut: stderr.isCut,
    log: saved,
  };
}

/** One that was cancelled may have been anywhere; one that timed out is known to be over, if it was seen to be. */
function outcomeOf(impatience: Impatience | null, end: CommandEnd | undefined) {
  const { exitCode = EXIT_ABORTED, sandboxDenied = false, receiptId = null } = end ?? {};
  const timedOut = impatience === "timedOut";
  const aborted = impatience === "aborted";
  return {
    exitCode: impatience === null ? exitCode : EXITS[impatience],
    ...{ timedOut, aborted, outcomeUnknown: aborted || end === undefined },
    ...{ sandboxDenied, receiptId },
  };
}

const EXITS: Record<Impatience, number> = { timedOut: EXIT_TIMED_OUT, aborted: EXIT_ABORTED };
