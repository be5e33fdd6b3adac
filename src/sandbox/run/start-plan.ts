/**
 * Starts a plan and keeps it in hand until its end: hold, watch, launch, check, open, wait, let go.
 *
 * The command runs only once its sandbox stands as planned and its limits hold.
 * Nothing that was made is left when `outcome` settles, unless it was asked to linger.
 */
import fs from "node:fs";
import type { Readable, Writable } from "node:stream";
import { setImmediate as soon } from "node:timers/promises";
import type { AbsolutePath } from "../../policy/index.ts";
import { lackOfFiles } from "../files/lack-of-files.ts";
import type { LaunchPlan } from "../launch-plan.ts";
import { holdPlaceholders } from "../placeholders/hold-placeholders.ts";
import { SandboxError } from "../sandbox-error.ts";
import { type Launched, launch, type Standard } from "./launch.ts";
import { observeOutput } from "./observe-output.ts";
import { type OpenPipe, openInput, openOutput } from "./open-pipe.ts";
import { DEFAULT_SIZE, openTerminal, type Terminal, type TerminalSize } from "./open-terminal.ts";
import { prepareToReap, reapWithUs } from "./reap-with-us.ts";
import { type EndReason, Run, type RunOutcome } from "./run.ts";
import { safeStdio } from "./safe-stdio.ts";
import {
  identitiesOf,
  type MountPoints,
  type MountPointWatch,
  watchMountPoints,
} from "./watch-mount-points.ts";

export interface StartOptions {
  /** Where placeholders and living sandboxes are on record; out of reach of every command. */
  readonly records: AbsolutePath;
  /** `own` gives the command the streams of this process where that is safe, and pipes elsewhere. */
  readonly streams: "pipe" | "own";
  /** `none` is /dev/null: programs tell an input that is empty from one that is not there. */
  readonly stdin?: "none";
  /** Sees what the command prints; what it would see is then never given away as it is. */
  readonly observe?: (chunk: Uint8Array, stream: "stdout" | "stderr") => void;
  /**
   * For how long what was made for this command is kept for the next one; not at all if left out.
   * For a process that starts many; it calls `releaseLingering` before it ends by a signal.
   */
  readonly lingerMs?: number;
  /**
   * What has to be done before the command may run. Begun while its sandbox is being built, where it
   * has one; if it fails nothing runs, and its error is thrown.
   */
  readonly ready?: () => void | Promise<void>;
  /** Aborted before anything is started, nothing is, and its reason is thrown; while it is being built, it is ended. */
  readonly signal?: AbortSignal;
  /** For a command with a terminal. */
  readonly size?: TerminalSize;
  /** `own` ends whatever a command without a sandbox has started along with it, and with this process. */
  readonly group?: "own" | "shared";
}

export interface RunningSandbox {
  /** Nothing where the command has a stream of this process. For a terminal, its outer side. */
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** Nothing to do without a terminal. */
  resize(size: TerminalSize): void;
  /** Sends a signal to the command itself; false when it is not there to get it. */
  signal(name: NodeJS.Signals): boolean;
  /** Ends the command and all it started. */
  end(reason: string): void;
  /** True once the command is let run; false when it never will be, and `outcome` says why. */
  readonly opened: Promise<boolean>;
  readonly outcome: Promise<RunOutcome>;
}

/** Starts the plan. Throws {@link SandboxError} when it cannot even be tried. */
export async function startPlan(plan: LaunchPlan, options: StartOptions): Promise<RunningSandbox> {
  try {
    return await started(plan, options);
  } catch (error) {
    throw lackOfFiles(error) ?? error;
  }
}

async function started(plan: LaunchPlan, options: StartOptions): Promise<RunningSandbox> {
  const stop = new AbortController();
  const held = holdPlaceholders(plan.placeholders, options.records, options.lingerMs);
  const open: (() => void)[] = [() => held.release()];
  const close = () => {
    for (const one of open.splice(0).reverse()) one();
  };
  try {
    let inPlace: MountPoints["inPlace"] = () => "unknown";
    const watch = await watchOrRefuse(plan, { stop, inPlace: () => inPlace() });
    open.push(() => watch.close());
    const isGated = plan.descriptors.some(({ kind }) => kind === "gate");
    if (!isGated) await options.ready?.();
    options.signal?.throwIfAborted();
    const terminal =
      plan.terminal === "pty" ? openTerminal(options.size ?? DEFAULT_SIZE) : undefined;
    const group = groupOf(plan, options);
    if (group === "own") prepareToReap();
    const place = { records: options.records, run: held.run, group };
    const standard = standardOf(plan, options, terminal);
    const launched = launchOn(standard, (inner) => launch(plan, { ...place, standard: inner }));
    const { records } = options;
    const ready = isGated ? begun(options.ready) : undefined;
    const run = new Run({ plan, records, name: held.run, launched, stop, watch, ready, group });
    inPlace = () => run.inPlace();
    endWith(options.signal, { stop, until: run.opened });
    const { pid } = launched.child;
    if (group === "own" && pid !== undefined) open.push(reapWithUs(pid).release);
    const streams = streamsOf(standard, launched.child, seen(run, plan, options));
    // Nobody is left to read it, and nobody would be told.
    if (terminal === undefined) open.push(() => streams.stdin?.destroy());
    const outcome = run.outcome();
    await failing(ready, { outcome, streams });
    return {
      ...streams,
      resize: (size) => terminal?.resize(size),
      signal: (name) => run.signal(name),
      end: (reason) => stop.abort({ reason } satisfies EndReason),
      opened: run.opened,
      outcome: outcome.finally(close),
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** From then on whoever has it ends it. */
function endWith(
  signal: AbortSignal | undefined,
  { stop, until }: { stop: AbortController; until: Promise<unknown> },
): void {
  const end = () => stop.abort({ reason: "it was ended while it was built" } satisfies EndReason);
  signal?.addEventListener("abort", end);
  void until.finally(() => signal?.removeEventListener("abort", end));
}

/** Not before the back-end has got all that it reads first, which takes a turn. */
async function begun(ready: StartOptions["ready"]): Promise<void> {
  if (ready === undefined) return;
  await soon();
  await ready();
}

/** A run that may not go on is over before anybody is told why, and nobody reads what it printed. */
async function failing(
  ready: Promise<void> | undefined,
  { outcome, streams }: { outcome: Promise<unknown>; streams: Outer },
): Promise<void> {
  try {
    await ready;
  } catch (error) {
    await outcome;
    for (const stream of Object.values(streams)) stream?.destroy();
    throw error;
  }
}

/** A sandbox needs none: it ends as a whole, and with this process. */
function groupOf({ tier }: LaunchPlan, { group = "shared" }: StartOptions): "own" | "shared" {
  return tier === "namespaces" || tier === "seatbelt" ? "shared" : group;
}

/** Without a watch nothing may run, and nothing that is lost already is tried. */
async function watchOrRefuse(
  { watched }: LaunchPlan,
  { stop, inPlace }: { stop: AbortController; inPlace: MountPoints["inPlace"] },
): Promise<MountPointWatch> {
  const before = identitiesOf(watched);
  const watch = await watchMountPoints({ before, inPlace }, (point) =>
    stop.abort({ reason: `"${point}" was replaced on the host` } satisfies EndReason),
  );
  if (!stop.signal.aborted) return watch;
  const { reason }: EndReason = stop.signal.reason;
  throw new SandboxError("backendFailed", `Cannot start the command: ${reason}`);
}

/** What the command gets for its first three descriptors, and what is ours of it. */
interface StandardStreams {
  readonly inner: Standard;
  readonly outer: Partial<Outer>;
  readonly terminal?: Terminal;
}

type Outer = Pick<RunningSandbox, "stdin" | "stdout" | "stderr">;

/** The command has the inner sides then; should there be none, nobody needs the outer ones either. */
function launchOn(
  { inner, outer }: StandardStreams,
  start: (inner: Standard) => Launched,
): Launched {
  try {
    return start(inner);
  } catch (error) {
    for (const stream of Object.values(outer)) stream?.destroy();
    throw error;
  } finally {
    for (const fd of new Set(inner)) if (typeof fd === "number") fs.closeSync(fd);
  }
}

/** What has to be seen or counted goes through a pipe; a terminal on stdout is left to the command all the same. */
function standardOf(
  plan: LaunchPlan,
  options: StartOptions,
  terminal: Terminal | undefined,
): StandardStreams {
  if (terminal !== undefined) {
    const { inner, input } = terminal;
    return { inner: [inner, inner, inner], outer: { stdin: input }, terminal };
  }
  if (options.streams === "pipe") return pipes(options);
  const [stdin = "pipe", stdout = "pipe", stderr = "pipe"] = safeStdio();
  if (isCounted(plan)) return { inner: [stdin, "pipe", "pipe"], outer: {} };
  const { observe } = options;
  return { inner: [stdin, stdout, observe === undefined ? stderr : "pipe"], outer: {} };
}

function pipes({ stdin }: StartOptions): StandardStreams {
  const made: OpenPipe<Readable | Writable>[] = [];
  const keep = <T extends Readable | Writable>(pipe: OpenPipe<T>) => {
    made.push(pipe);
    return pipe;
  };
  try {
    const input = stdin === "none" ? undefined : keep(openInput());
    const [output, errors] = [keep(openOutput()), keep(openOutput())];
    return {
      inner: [input?.inner ?? "ignore", output.inner, errors.inner],
      outer: { stdin: input?.outer ?? null, stdout: output.outer, stderr: errors.outer },
    };
  } catch (error) {
    for (const { inner, outer } of made) {
      fs.closeSync(inner);
      outer.destroy();
    }
    throw error;
  }
}

type See = (chunk: Buffer, stream: "stdout" | "stderr") => boolean;

/** Nothing where nobody looks at what the command prints. */
function seen(run: Run, plan: LaunchPlan, { observe }: StartOptions): See | undefined {
  if (observe === undefined && !isCounted(plan)) return undefined;
  return (chunk, stream) => {
    const isWithin = run.count(chunk.length);
    if (isWithin) observe?.(chunk, stream);
    return isWithin;
  };
}

function isCounted({ limits }: LaunchPlan): boolean {
  return limits?.applied.some(({ limit }) => limit === "outputBytes") ?? false;
}

function streamsOf(
  { outer, terminal }: StandardStreams,
  child: Outer,
  see: See | undefined,
): Outer {
  const { stdin, stdout, stderr } = { ...child, ...outer };
  // A reader or writer that has left is the caller's to notice, not a reason to fall over.
  for (const stream of [stdin, stdout, stderr]) stream?.on("error", () => {});
  if (terminal !== undefined) {
    const printed = observeOutput(terminal.outer, (chunk) => see?.(chunk, "stdout") ?? true);
    return { stdin, stdout: printed, stderr: null };
  }
  if (see === undefined) return { stdin, stdout, stderr };
  return {
    stdin,
    stdout: stdout && observeOutput(stdout, (chunk) => see(chunk, "stdout")),
    stderr: stderr && observeOutput(stderr, (chunk) => see(chunk, "stderr")),
  };
}
