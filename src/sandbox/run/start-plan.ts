/**
 * Starts a plan and keeps it in hand until its end: hold, watch, launch, check, open, wait, let go.
 *
 * The command runs only once its sandbox stands as planned and its limits hold.
 * Nothing that was made is left when `outcome` settles, unless it was asked to linger.
 */
import { setImmediate as soon } from "node:timers/promises";
import type { AbsolutePath } from "../../policy/index.ts";
import { lackOfFiles } from "../files/lack-of-files.ts";
import { MatchesMoved, refuseMoved } from "../files/refuse-moved.ts";
import type { LaunchPlan } from "../launch-plan.ts";
import { loadLibcSoon } from "../native/libc.ts";
import { holdPlaceholders } from "../placeholders/hold-placeholders.ts";
import { SandboxError } from "../sandbox-error.ts";
import type { Child } from "./child.ts";
import { launch } from "./launch.ts";
import { MISSING, pathIdentities } from "./path-identity.ts";
import { prepareToReap, reapWithUs } from "./reap-with-us.ts";
import { removeRemade } from "./remove-remade.ts";
import { type EndReason, Run, type RunOutcome, type SpareParts } from "./run.ts";
import type { SignalReach } from "./signals/signal-target.ts";
import { keepPermissions } from "./streams/keep-permissions.ts";
import { DEFAULT_SIZE, openTerminal, type TerminalSize } from "./streams/open-terminal.ts";
import {
  launchOn,
  type OuterStreams,
  type StreamOptions,
  standardOf,
  streamsOf,
} from "./streams/outer-streams.ts";
import { type MountPoints, type MountPointWatch, watchMountPoints } from "./watch-mount-points.ts";

export interface StartOptions extends StreamOptions {
  /** Where placeholders and living sandboxes are on record; out of reach of every command. */
  readonly records: AbsolutePath;
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
  /**
   * Plans the same command once more. Asked where the host took away what is fleeting, or somebody moved what
   * patterns match, while its sandbox was built.
   */
  readonly replan?: () => Promise<LaunchPlan>;
  /** Aborted before anything is started, nothing is, and its reason is thrown; while it is being built, it is ended. */
  readonly signal?: AbortSignal;
  /** For a command with a terminal. */
  readonly size?: TerminalSize;
  /** `own` ends whatever a command without a sandbox has started along with it, and with this process. */
  readonly group?: "own" | "shared";
}

export interface RunningSandbox extends OuterStreams {
  /** Nothing to do without a terminal. */
  resize(size: TerminalSize): void;
  /** Sends a signal to the command, and to its group if that is to be reached; false when nobody is there to get it. */
  signal(name: NodeJS.Signals, reach: SignalReach): boolean;
  /** Ends the command and all it started. */
  end(reason: string): void;
  /** True once the command is let run; false when it never will be, and `outcome` says why. */
  readonly opened: Promise<boolean>;
  readonly outcome: Promise<RunOutcome>;
}

/** A plan that was begun: its sandbox is being built, and waits for `ready` then. */
export interface BegunPlan {
  readonly running: RunningSandbox;
  /** Settles as `ready` does; a failed one when the run is over. */
  readonly ready: Promise<void>;
  readonly child: Child;
  /** Aborted when it is being ended. */
  readonly stopped: AbortSignal;
}

/** For a sandbox that is built before its command is known. */
interface SpareStart extends SpareParts {
  /** Told as soon as something is held for it, with what takes that away at once, without lingering. */
  holding(abandon: () => void): void;
  /** Told when all that it depends on is watched, before anything of it is opened. */
  watched(): void;
  /** What its shell reads the command from. */
  readonly order: number;
}

/** Starts the plan. Throws {@link SandboxError} when it cannot even be tried. */
export async function startPlan(plan: LaunchPlan, options: StartOptions): Promise<RunningSandbox> {
  try {
    const { replan } = options;
    const mayChange = plan.fleeting.length > 0 || plan.found !== undefined;
    if (replan === undefined || !mayChange) return await startOnce(plan, options);
    return await startAmongChanges(plan, { ...options, replan });
  } catch (error) {
    throw lackOfFiles(error) ?? error;
  }
}

const MOST_STARTS = 5;

/**
 * What goes, or moves, before it is covered cannot be covered. Nothing has run then, so that it can be tried
 * again as things are by then.
 */
async function startAmongChanges(
  first: LaunchPlan,
  { ready, ...options }: StartOptions & Required<Pick<StartOptions, "replan">>,
): Promise<RunningSandbox> {
  const once = memoized(async () => ready?.());
  for (let plan = first, starts = 1; ; starts += 1) {
    const before = pathIdentities(plan.fleeting);
    const isWorthAnother = (error?: unknown) =>
      starts < MOST_STARTS && (error instanceof MatchesMoved || haveMoved(before));
    try {
      const running = await startOnce(plan, { ...options, ready: once });
      if (await running.opened) return running;
      await running.outcome;
      if (!isWorthAnother()) return running;
      for (const stream of [running.stdout, running.stderr]) stream?.destroy();
    } catch (error) {
      if (!isWorthAnother(error)) throw error;
    }
    options.signal?.throwIfAborted();
    plan = await options.replan();
  }
}

function haveMoved(before: ReadonlyMap<string, string>): boolean {
  const now = pathIdentities([...before.keys()]);
  return [...now].some(
    ([point, identity]) => identity === MISSING || identity !== before.get(point),
  );
}

function memoized<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

async function startOnce(plan: LaunchPlan, options: StartOptions): Promise<RunningSandbox> {
  const { running, ready } = await beginPlan(plan, options);
  await ready;
  return running;
}

/** Begins to start the plan; nothing runs before `ready` has settled. */
export async function beginPlan(
  plan: LaunchPlan,
  options: StartOptions,
  spare?: SpareStart,
): Promise<BegunPlan> {
  const stop = new AbortController();
  const held = holdPlaceholders(plan.placeholders, options.records, options.lingerMs);
  const open: ((when?: "now") => void)[] = [(when) => held.release(when)];
  const close = (when?: "now") => {
    for (const one of open.splice(0).reverse()) one(when);
  };
  spare?.holding(() => close("now"));
  try {
    let inPlace: MountPoints["inPlace"] = () => "unknown";
    const watch = await watchOrRefuse(plan, { stop, inPlace: () => inPlace() });
    open.push(() => watch.close());
    spare?.watched();
    const isGated = plan.descriptors.some(({ kind }) => kind === "gate");
    if (!isGated) await options.ready?.();
    options.signal?.throwIfAborted();
    const terminal =
      plan.terminal === "pty" ? openTerminal(options.size ?? DEFAULT_SIZE) : undefined;
    const remade = { before: pathIdentities(plan.fleeting), sinceMs: Date.now() };
    let isOpened = false;
    // What the back-end made by itself was seen in the place of something else: then nothing ran.
    open.push(() => isOpened || removeRemade(remade));
    const group = groupOf(plan, options);
    if (group === "own") prepareToReap();
    const place = { records: options.records, run: held.run, group, order: spare?.order };
    if (isGated) open.push(keepPermissions(handedOn(plan, options)));
    const standard = standardOf(options, { terminal, isCounted: isCounted(plan) });
    const launched = launchOn(standard, (inner) => launch(plan, { ...place, standard: inner }));
    if (options.lingerMs !== undefined) loadLibcSoon();
    const { records } = options;
    const ready = isGated ? soonReady(plan, options.ready) : undefined;
    const name = held.run;
    const run = new Run({ plan, records, name, launched, stop, watch, ready, group, spare });
    inPlace = () => run.inPlace();
    void run.opened.then((is) => {
      isOpened = is;
    });
    endWith(options.signal, { stop, until: run.opened });
    const { pid } = launched.child;
    if (group === "own" && pid !== undefined) open.push(reapWithUs(pid).release);
    const streams = streamsOf(standard, launched.child, seen(run, plan, options));
    // Nobody is left to read it, and nobody would be told.
    if (terminal === undefined) open.push(() => streams.stdin?.destroy());
    const outcome = run.outcome();
    const running: RunningSandbox = {
      ...streams,
      resize: (size) => terminal?.resize(size),
      signal: (name, reach) => run.signal(name, reach),
      end: (reason) => stop.abort({ reason } satisfies EndReason),
      opened: run.opened,
      outcome: outcome.finally(close),
    };
    return {
      running,
      ready: failing(ready, { outcome, streams }),
      child: launched.child,
      stopped: stop.signal,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Descriptors of this process that the command may get as they are. */
function handedOn({ terminal }: LaunchPlan, { streams }: StartOptions): readonly number[] {
  return streams === "own" && terminal === "none" ? [0, 1, 2] : [];
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
async function soonReady(plan: LaunchPlan, ready: StartOptions["ready"]): Promise<void> {
  if (ready === undefined && plan.found === undefined) return;
  await soon();
  await ready?.();
  // For a spare, too, when it is used: what matches now need not have been there when it was built.
  await refuseMoved(plan);
}

/** A run that may not go on is over before anybody is told why, and nobody reads what it printed. */
async function failing(
  ready: Promise<void> | undefined,
  { outcome, streams }: { outcome: Promise<unknown>; streams: OuterStreams },
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
  { watched, fleeting }: LaunchPlan,
  { stop, inPlace }: { stop: AbortController; inPlace: MountPoints["inPlace"] },
): Promise<MountPointWatch> {
  const before = pathIdentities(watched);
  // Else the back-end would make something to mount on.
  const gone = fleeting.find((point) => before.get(point) === MISSING);
  if (gone !== undefined) throw cannotStart(`"${gone}" was removed on the host`);
  const watch = await watchMountPoints({ before, inPlace }, (point) =>
    stop.abort({ reason: `"${point}" was replaced on the host` } satisfies EndReason),
  );
  if (!stop.signal.aborted) return watch;
  const { reason }: EndReason = stop.signal.reason;
  throw cannotStart(reason);
}

function cannotStart(reason: string): SandboxError {
  return new SandboxError("backendFailed", `Cannot start the command: ${reason}`);
}

/** Nothing where nobody looks at what the command prints. */
function seen(run: Run, plan: LaunchPlan, { observe }: StartOptions) {
  if (observe === undefined && !isCounted(plan)) return undefined;
  return (chunk: Buffer, stream: "stdout" | "stderr") => {
    const isWithin = run.count(chunk.length);
    if (isWithin) observe?.(chunk, stream);
    return isWithin;
  };
}

function isCounted({ limits }: LaunchPlan): boolean {
  return limits?.applied.some(({ limit }) => limit === "outputBytes") ?? false;
}
