/**
 * Starts commands that follow each other, each in a sandbox that was built while nobody needed one.
 *
 * The next command of an agent is mostly held to what the last one was, and
 * comes soon. So a while after a command its sandbox is built once more, ahead,
 * for a command that would get exactly the same. For any other command, and
 * when none comes for a moment, it is taken down unused.
 */
import { isMainThread } from "node:worker_threads";
import type { AbsolutePath } from "../../policy/index.ts";
import { lackOfFiles } from "../files/lack-of-files.ts";
import { MatchesMoved } from "../files/refuse-moved.ts";
import type { LaunchPlan } from "../launch-plan.ts";
import { type RunningSandbox, type StartOptions, startPlan } from "../run/start-plan.ts";
import { Spare } from "./spare.ts";

/** Whoever waited for the end of a command goes on first: to build one takes this process some time. */
const REST_MS = 25;
/** Its placeholders lie in people's folders meanwhile. */
const KEEP_MS = 2000;
const MOST_SPARES = 4;

interface Kept {
  readonly spare: Spare;
  readonly records: AbsolutePath;
  readonly over: Promise<void>;
  readonly timer: NodeJS.Timeout;
}

const kept = new Set<Kept>();
/** Those that are being taken down, until nothing is left of them. */
const ending = new Set<Kept>();
/** Spares that will be built in a moment. */
const coming = new Set<{ readonly records: AbsolutePath; readonly timer: NodeJS.Timeout }>();
/** How many starts are under way. */
let starting = 0;

/** Starts the plan, in a spare if a good one stands. Throws as {@link startPlan} does. */
export async function startNext(plan: LaunchPlan, options: StartOptions): Promise<RunningSandbox> {
  starting += 1;
  try {
    const running = await startInSpareOrNew(plan, options);
    prepareAfter(running, plan, options);
    return running;
  } catch (error) {
    throw lackOfFiles(error) ?? error;
  } finally {
    starting -= 1;
  }
}

/** Takes down what was built for commands that did not come; settles when nothing is left of it. */
export async function endSpares(records: AbsolutePath): Promise<void> {
  for (const one of [...coming].filter((soon) => soon.records === records)) {
    clearTimeout(one.timer);
    coming.delete(one);
  }
  for (const one of [...kept].filter((ready) => ready.records === records)) discard(one);
  // Also those that what they were in has ended first, such as the network of an anchor.
  const last = [...ending].filter((one) => one.records === records);
  await Promise.all(last.map(({ over }) => over));
}

async function startInSpareOrNew(plan: LaunchPlan, options: StartOptions): Promise<RunningSandbox> {
  const running = await startInSpare(plan, options).catch(unlessMoved);
  if (running === undefined) return startPlan(plan, options);
  if (running !== "moved" && (await running.opened)) return running;
  // It has run nothing and never will. What had to be done first is done.
  const { ready: _, ...again } = options;
  return startPlan(plan, again);
}

/** A new sandbox can be planned for what patterns match by now. */
function unlessMoved(error: unknown): "moved" {
  if (error instanceof MatchesMoved) return "moved";
  throw error;
}

/** Nothing where there is none for it. One that is being built is waited for: a new one takes longer. */
async function startInSpare(
  { spare: wanted }: LaunchPlan,
  options: StartOptions,
): Promise<RunningSandbox | undefined> {
  if (wanted === undefined || !canBeAhead(options)) return undefined;
  const found = keptFor(wanted.plan, options);
  if (found === undefined) return undefined;
  const { spare } = found;
  // From here on nobody else gets it, or ends it.
  forget(found);
  try {
    await spare.settled();
    if (spare.isGood() && !options.signal?.aborted) return await spare.use(wanted.order, options);
  } catch (error) {
    takeDown(found);
    throw error;
  }
  takeDown(found);
  return undefined;
}

/** Streams of this process, and whoever looks at them, are those of one command. A thread has no pipe for an order. */
function canBeAhead({ streams, observe }: StartOptions): boolean {
  return streams === "pipe" && observe === undefined && isMainThread;
}

/** A command that was ended from outside tells nothing of a next one. */
function prepareAfter(running: RunningSandbox, plan: LaunchPlan, options: StartOptions): void {
  const ahead = plan.spare?.plan;
  if (ahead === undefined || !canBeAhead(options)) return;
  running.outcome.then(
    ({ kind }) => kind === "exited" && buildSoon(ahead, options),
    () => {},
  );
}

function buildSoon(plan: LaunchPlan, options: StartOptions): void {
  const timer = setTimeout(() => {
    coming.delete(one);
    build(plan, options);
  }, REST_MS).unref();
  const one = { records: options.records, timer };
  coming.add(one);
}

/** Only while nobody waits for a sandbox. Where it cannot be built, the next command tells why. */
function build(plan: LaunchPlan, options: StartOptions): void {
  const { ready: _, observe: __, replan: ___, signal, ...common } = options;
  const isWanted = starting === 0 && kept.size < MOST_SPARES && signal?.aborted !== true;
  if (!isWanted || keptFor(plan, options) !== undefined) return;
  try {
    keep(new Spare(plan, common), options);
  } catch {
    // Said above.
  }
}

function keep(spare: Spare, { records, signal }: StartOptions): void {
  discardAtExit();
  const timer = setTimeout(() => discard(one), KEEP_MS).unref();
  const end = () => discard(one);
  const over = spare.live().catch(() => {});
  const one: Kept = { spare, records, timer, over };
  kept.add(one);
  // What it is in, such as the network of an anchor, may be over before it is needed.
  signal?.addEventListener("abort", end);
  void over.then(() => {
    signal?.removeEventListener("abort", end);
    forget(one);
  });
}

function keptFor(plan: LaunchPlan, options: StartOptions): Kept | undefined {
  return kept.values().find(({ spare }) => spare.isFor(plan, options));
}

function forget(one: Kept): void {
  clearTimeout(one.timer);
  kept.delete(one);
}

/** Once it is used it is no longer ours to end. */
function discard(one: Kept): void {
  if (!kept.has(one)) return;
  forget(one);
  takeDown(one);
}

function takeDown(one: Kept): void {
  ending.add(one);
  void one.over.then(() => ending.delete(one));
  one.spare.discard();
}

/** One listener for all: many of them on a process are taken for a leak. */
function discardAtExit(): void {
  if (!process.listeners("exit").includes(discardAll)) process.once("exit", discardAll);
}

function discardAll(): void {
  for (const one of [...kept]) discard(one);
}
