/**
 * The way to a sandbox that is ready: the one at hand, the one of an earlier
 * turn, a new one, in this order.
 *
 * Only one that is over, or that allows less than the turn, is replaced. Any
 * other error surfaces and leaves everything as it was.
 */
import type { SandboxIntent } from "../../exec/index.ts";
import type { ProvidedSandbox } from "../provider/provided-sandbox.ts";
import { codeOf, isOver, refusalOf, refuseAborted } from "../refusal.ts";
import type { SessionReference } from "../session-reference.ts";
import { createSandbox } from "./create-sandbox.ts";
import type { CurrentSandbox } from "./current-sandbox.ts";
import { LiveSandbox, type Look } from "./live-sandbox.ts";

export interface Wanted {
  readonly by: string;
  readonly intent: SandboxIntent;
  readonly signal: AbortSignal;
}

/** A sandbox that was probed, whose name is kept and which has what it needs. */
export async function establish(current: CurrentSandbox, wanted: Wanted): Promise<LiveSandbox> {
  const since = current.clock.now();
  if (current.live === undefined) {
    current.emit({ kind: "bootRequested", by: wanted.by, thread: current.options.thread });
  }
  try {
    const live =
      (await atHand(current, wanted)) ??
      (await remembered(current, wanted)) ??
      (await fresh(current, wanted));
    await prepare(current, live, wanted);
    if (current.live === live) current.makeReady(live, since);
    return live;
  } catch (error) {
    current.fail();
    throw error;
  }
}

async function atHand(current: CurrentSandbox, wanted: Wanted): Promise<LiveSandbox | undefined> {
  current.enter();
  const { live } = current;
  if (live === undefined) return undefined;
  return (await isUsable(current, live, wanted)) ? live : undefined;
}

async function remembered(
  current: CurrentSandbox,
  wanted: Wanted,
): Promise<LiveSandbox | undefined> {
  const known = current.teller.remembered;
  if (known === undefined) return undefined;
  const sandbox = await find(current, known.reference, wanted.signal);
  if (sandbox === undefined) return undefined;
  const { generation, dependencies } = known.reference;
  const { base } = known;
  const live = new LiveSandbox({ sandbox, generation, origin: "reused", base, dependencies });
  current.adopt(live);
  if (dependencies !== dependenciesNow(current)) {
    await endOutdated(current, live, wanted.signal);
    return undefined;
  }
  return (await isUsable(current, live, wanted)) ? live : undefined;
}

/** What a sandbox made now would start from. */
function dependenciesNow({ options: { snapshots } }: CurrentSandbox): string | null {
  try {
    return snapshots?.hash() ?? null;
  } catch (error) {
    throw refusalOf(error, "find out what the sandbox starts from");
  }
}

/** It is of no use to the thread any more, and nobody else would end it. */
async function endOutdated(
  current: CurrentSandbox,
  live: LiveSandbox,
  signal: AbortSignal,
): Promise<void> {
  await current.drain(live, signal);
  current.markReplaced("dependencies");
  current.enter();
}

async function find(
  current: CurrentSandbox,
  { id, generation }: SessionReference,
  signal: AbortSignal,
): Promise<ProvidedSandbox | undefined> {
  const { provider, thread } = current.options;
  try {
    return await provider.get(id, { thread, signal });
  } catch (error) {
    if (!isOver(error)) throw refusalOf(error, "find the sandbox of an earlier turn");
    current.markReplaced("lost");
    current.emit({ kind: "lost", code: codeOf(error), thread, id, generation });
    return undefined;
  }
}

/** False where it was given up. */
async function isUsable(
  current: CurrentSandbox,
  live: LiveSandbox,
  wanted: Wanted,
): Promise<boolean> {
  const look = await lookAt(current, live, wanted);
  if (look === "fits") return true;
  if (look === "tooNarrow") {
    await current.drain(live, wanted.signal);
    current.markReplaced("policy");
  } else {
    current.lose(live, look.isOver);
  }
  current.enter();
  return false;
}

async function lookAt(
  current: CurrentSandbox,
  live: LiveSandbox,
  { intent, signal }: Wanted,
): Promise<Look> {
  const since = current.clock.now();
  const probed = (error: unknown) => {
    const durationMs = current.clock.now() - since;
    const problem = error === undefined ? null : codeOf(error);
    current.emit({ kind: "probed", problem, durationMs, ...current.named(live) });
  };
  try {
    const look = await live.look(intent, signal);
    probed(typeof look === "object" ? look.isOver : undefined);
    return look;
  } catch (error) {
    probed(error);
    throw refusalOf(error, "probe the sandbox");
  }
}

/** Its name is kept before anything else is done with it; one that nobody wants any more is ended. */
async function fresh(current: CurrentSandbox, wanted: Wanted): Promise<LiveSandbox> {
  const { intent, signal } = wanted;
  refuseAborted(signal, "make a sandbox");
  const { sandbox, origin, dependencies } = await createSandbox(current, wanted);
  if (signal.aborted) await current.unwanted.stop(sandbox);
  refuseAborted(signal, "make a sandbox");
  const generation = current.teller.generation + 1;
  const live = new LiveSandbox({ sandbox, generation, origin, base: intent, dependencies });
  current.adopt(live);
  current.teller.adopt({ reference: live.reference, base: intent });
  await current.teller.tell();
  const look = await lookAt(current, live, wanted);
  if (typeof look !== "object") return live;
  current.lose(live, look.isOver);
  throw refusalOf(look.isOver, "use the sandbox that was just made");
}

/** Also for one that was made when something went wrong before this. */
async function prepare(
  current: CurrentSandbox,
  live: LiveSandbox,
  { intent, signal }: Wanted,
): Promise<void> {
  await current.teller.tell();
  const { prepare: once, skills } = current.options;
  try {
    if (!live.isPrepared) await once?.(live.sandbox, signal);
    if (skills !== undefined && live.shelfVersion !== skills.version) {
      const { version } = skills;
      await skills.sync(live.sandbox, { intent, signal });
      live.shelfVersion = version;
    }
  } catch (error) {
    throw refusalOf(error, "prepare the sandbox");
  }
  refuseAborted(signal, "prepare the sandbox");
  live.isPrepared = true;
}
