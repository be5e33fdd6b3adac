/**
 * Runs commands on this machine: planned, put on record, started, followed to the end.
 */
import type { AbsolutePath } from "../../policy/index.ts";
import type { LaunchPlan, RunOutcome } from "../../sandbox/index.ts";
import {
  createDenialScan,
  endSpares,
  NO_PROGRAM,
  releaseLingering,
  SandboxError,
  startNext,
  startPlan,
} from "../../sandbox/index.ts";
import { anchorsFolder, prepareAnchorsFolder } from "../anchors/anchor-folder.ts";
import type { AnchorPlace } from "../anchors/anchor-place.ts";
import { LocalAnchors } from "../anchors/local-anchors.ts";
import { OPEN_SCRATCH } from "../anchors/scratch-folder.ts";
import { ExecError } from "../exec-error.ts";
import type { ExecHost } from "../exec-host.ts";
import type { Executor, RunningProcess } from "../executor.ts";
import { createLocalFiles } from "../files/create-local-files.ts";
import { withOverlays } from "../overlay/with-overlays.ts";
import { type PlannedStart, planStart } from "../plan-start.ts";
import { intentForReceipt } from "../receipts/intent-for-receipt.ts";
import { withReceipt } from "../receipts/keep-refusal.ts";
import { type ReceiptKeeper, RunReceipt } from "../receipts/run-receipt.ts";
import type { StartRequest } from "../start-request.ts";
import { findProgram } from "./find-program.ts";
import { LocalProcess } from "./local-process.ts";

/** The next command in the same folders comes soon, as a rule. */
const LINGER_MS = 250;

export interface LocalExecutorOptions {
  readonly host: ExecHost;
  readonly receipts: ReceiptKeeper;
  /** Where those receipts are kept; without it no anchor has overlays. */
  readonly home?: AbsolutePath;
}

/** An executor for this machine, within the bounds of its host. */
export function createLocalExecutor(options: LocalExecutorOptions): Executor {
  const { receipts, home } = options;
  const host = withoutAnchors(options.host);
  const live = new Set<LocalProcess>();
  const starting = new Set<Promise<LocalProcess>>();
  const closing = new AbortController();
  const anchors = new LocalAnchors(host);
  const executor: Executor = {
    files: createLocalFiles(host, { anchors, receipts }),
    anchors: host.platform === "linux" ? anchors : undefined,
    async start(request, givenUp): Promise<RunningProcess> {
      const { signal } = closing;
      signal.throwIfAborted();
      const begin = (place?: AnchorPlace) =>
        startHere(request, { host, receipts, closing: signal, givenUp }, place);
      const { anchor } = request;
      const begun = anchor === null ? begin() : anchors.start(anchor, begin);
      const started = begun.then((process) => keptIn(live, process));
      starting.add(started);
      return started.finally(() => starting.delete(started));
    },
    async close() {
      // First of all: whoever closes this may be killed at any moment, and these lie on the host.
      const spares = endSpares(host.records);
      releaseLingering();
      const running = [...live];
      const ending = endAll(running);
      closing.abort(closed());
      await Promise.allSettled(starting);
      // What was let run at that very moment.
      const late = [...live].filter((process) => !running.includes(process));
      await Promise.all([ending, endAll(late)]);
      releaseLingering();
      await Promise.all([...running, ...late].map(({ receipt }) => receipt.catch(() => {})));
      await spares;
      // One may be meant for what has ended by itself meanwhile.
      await endSpares(host.records);
      await anchors.closeAll();
      releaseLingering();
    },
  };
  if (home === undefined || executor.anchors === undefined) return executor;
  return withOverlays(executor, anchors, { host, home });
}

/** What is in anchors is for their own commands alone. */
function withoutAnchors(host: ExecHost): ExecHost {
  const base = anchorsFolder(host.records);
  prepareAnchorsFolder(base);
  const { open = OPEN_SCRATCH, hidden } = host.own;
  return { ...host, own: { ...host.own, open, hidden: [...hidden, base] } };
}

/** One of those that live, until its receipt is kept. */
function keptIn(live: Set<LocalProcess>, process: LocalProcess): LocalProcess {
  live.add(process);
  process.receipt.finally(() => live.delete(process)).catch(() => {});
  return process;
}

async function endAll(processes: readonly LocalProcess[]): Promise<void> {
  const ended = processes.map(async (process) => {
    await process.terminate();
    process.discard();
    await process.over;
  });
  await Promise.all(ended);
}

function closed(): ExecError {
  return new ExecError(
    "invalidRequest",
    "Cannot start the process: this executor is closed, expected one that is open",
  );
}

interface HereOptions extends LocalExecutorOptions {
  /** Aborted when the executor is closed. */
  readonly closing: AbortSignal;
  /** Aborted when nobody wants it any more. */
  readonly givenUp: AbortSignal | undefined;
}

async function startHere(
  request: StartRequest,
  { host, receipts, closing, givenUp }: HereOptions,
  place?: AnchorPlace,
): Promise<LocalProcess> {
  const receipt = receiptOf(request, { host, receipts });
  try {
    const plans = () => planStart(request, host, place);
    const replan = async () => (await plans()).plan;
    const ends = [place?.over ?? closing, ...(givenUp ? [givenUp] : [])];
    const over = AbortSignal.any(ends);
    return await startPlanned(request, await plans(), { host, receipt, replan, over });
  } catch (error) {
    throw refused(error, receipt);
  }
}

function receiptOf(
  { argv, cwd, ids, sandbox }: StartRequest,
  { receipts }: LocalExecutorOptions,
): RunReceipt {
  const question = {
    command: argv.length === 0 ? [""] : argv,
    cwd,
    ids,
    intent: intentForReceipt(sandbox),
    look: { denials: createDenialScan },
  };
  return new RunReceipt(question, receipts);
}

interface StartPlace {
  readonly host: ExecHost;
  readonly receipt: RunReceipt;
  readonly replan: () => Promise<LaunchPlan>;
  /** Aborted when what it is started in is over, or nobody wants it. */
  readonly over: AbortSignal;
}

async function startPlanned(
  { processId, argv, terminal, pipeStdin }: StartRequest,
  planned: PlannedStart,
  { host, receipt, replan, over }: StartPlace,
): Promise<LocalProcess> {
  const { plan } = planned;
  receipt.know(planned);
  refuseNoProgram(plan);
  // What is talked to, such as an interpreter, lives long, and mostly no other follows it.
  const start = pipeStdin ? startPlan : startNext;
  const running = await start(plan, {
    records: host.records,
    streams: "pipe",
    ...(!pipeStdin && { stdin: "none" as const }),
    ready: () => receipt.begin(),
    replan,
    signal: over,
    group: "own",
    lingerMs: LINGER_MS,
    ...(terminal !== null && { size: terminal }),
  });
  if (await running.opened) {
    const { observe, id: receiptId } = receipt;
    const close = (outcome: RunOutcome) => receipt.end(outcome);
    return new LocalProcess({ processId, plan, running, pipeStdin, receiptId, observe, close });
  }
  const outcome = await running.outcome;
  for (const stream of [running.stdout, running.stderr]) stream?.destroy();
  receipt.end(outcome);
  throw neverRan(explained(outcome, plan), argv[0] ?? "", receipt.id);
}

/** What makes a session for the terminal starts in any case, and would run for it without a program. */
function refuseNoProgram(plan: LaunchPlan): void {
  const { terminal, tier, argv } = plan;
  if (terminal === "none" || (tier !== "none" && tier !== "external")) return;
  if (findProgram(argv[0], plan) !== undefined) return;
  const why = `${NO_PROGRAM}, or it cannot be executed`;
  throw new ExecError("spawnFailed", `Cannot start ${JSON.stringify(argv[0])}: ${why}`);
}

/** The command was planned and put on record, and still never ran. */
function neverRan(outcome: RunOutcome, name: string, receiptId: string): ExecError {
  const sentence = (what: string, why: string) => `Cannot start ${what}: ${why}`;
  if (outcome.kind !== "notStarted") {
    const why = outcome.kind === "ended" ? outcome.reason : `it was over first (${outcome.kind})`;
    return new ExecError("spawnFailed", sentence("the process", why), { receiptId });
  }
  const { what, reason } = outcome;
  return what === "command"
    ? new ExecError("spawnFailed", sentence(JSON.stringify(name), reason), { receiptId })
    : new ExecError("unenforceable", sentence("the process", reason), { receiptId });
}

/** The system says the same of a program that is missing and of one whose interpreter is. */
function explained(outcome: RunOutcome, plan: LaunchPlan): RunOutcome {
  const isMissing = outcome.kind === "notStarted" && outcome.reason === NO_PROGRAM;
  if (!isMissing || findProgram(plan.argv[0], plan) === undefined) return outcome;
  return { ...outcome, reason: "there is no such program as its first line names to run it" };
}

/** A refusal is kept like a run; one that was kept already has its receipt. */
function refused(error: unknown, receipt: RunReceipt): unknown {
  const told = error instanceof SandboxError ? asExecError(error) : error;
  if (!(told instanceof ExecError) || told.receiptId !== undefined) return error;
  receipt.refuse(told.code, told.message);
  return withReceipt(told, receipt.id);
}

function asExecError(error: SandboxError): ExecError {
  return new ExecError("unenforceable", error.message, { cause: error, field: "sandbox" });
}
