/**
 * A sandbox that stands before its command is known.
 *
 * It is built, watched and on record like any other, and waits where any other
 * waits until what has to be done before its command is done. All that is looked
 * at before a command may run is looked at when it is used, not when it was built.
 */
import fs from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { LaunchPlan } from "../launch-plan.ts";
import { identityOf, isRunning } from "../placeholders/process-identity.ts";
import { faultOf } from "../run/await-built.ts";
import {
  type BegunPlan,
  beginPlan,
  type RunningSandbox,
  type StartOptions,
} from "../run/start-plan.ts";
import { hostStateOf } from "./host-state.ts";
import { type OrderPipe, openOrderPipe } from "./order-pipe.ts";

/** What of a start is the same for every command that a spare can be used for. */
export type SpareOptions = Omit<StartOptions, "ready" | "signal" | "observe">;

export class Spare {
  readonly #plan: LaunchPlan;
  readonly #options: SpareOptions;
  readonly #pipe: OrderPipe;
  readonly #ready = Promise.withResolvers<void>();
  /** Ends it as long as its command was not let run. */
  readonly #end = new AbortController();
  /** Settles when it stands, or is over. */
  readonly #settled = Promise.withResolvers<void>();
  #begun: BegunPlan | undefined;
  #abandon: (() => void) | undefined;
  #state: string | undefined;
  /** Whether somebody waits for it, to use it or for its end. */
  #isAwaited = false;
  /** Once it stands. */
  #first: { readonly pid: number; readonly identity: string | undefined } | undefined;

  /** For commands whose spare plan this is. */
  constructor(plan: LaunchPlan, options: SpareOptions) {
    this.#plan = plan;
    this.#options = options;
    this.#pipe = openOrderPipe();
    // It may be over before anybody waits for it.
    this.#ready.promise.catch(() => {});
  }

  /** Builds it; settles when nothing is left of it. It does not keep this process alive. */
  async live(): Promise<void> {
    try {
      const begun = await this.#begin();
      this.#begun = begun;
      if (!this.#isAwaited) for (const handle of handlesOf(begun)) handle.unref?.();
      begun.ready.catch(() => {});
      // Otherwise what is over would wait for its command.
      const over = () => this.#ready.reject(new Error("the spare is over"));
      begun.stopped.addEventListener("abort", over);
      begun.child.once("exit", over).once("error", over);
      await begun.running.outcome;
    } finally {
      this.#settled.resolve();
      this.#pipe.close();
    }
  }

  /** Settles when it can be used, or never will be. From now on it keeps this process alive. */
  settled(): Promise<void> {
    this.#await();
    return this.#settled.promise;
  }

  /** Whether it is for commands of this plan. */
  isFor(plan: LaunchPlan, { records, stdin }: SpareOptions): boolean {
    if (records !== this.#options.records || stdin !== this.#options.stdin) return false;
    return isDeepStrictEqual(plan, this.#plan);
  }

  /** Whether a command would get the same from this one as from a sandbox that is built now. */
  isGood(): boolean {
    const [begun, first] = [this.#begun, this.#first];
    if (begun === undefined || first === undefined || this.#end.signal.aborted) return false;
    const { child, stopped } = begun;
    const isOver = stopped.aborted || child.exitCode !== null || child.signalCode !== null;
    if (isOver || !isRunning(first.pid) || identityOf(first.pid) !== first.identity) return false;
    const isAsBuilt = faultOf(this.#plan, first.pid) === undefined;
    return isAsBuilt && hostStateOf(this.#plan) === this.#state;
  }

  /** Lets it run the command, once `ready` is done, as a new sandbox would be. */
  async use(order: string, { ready, signal }: StartOptions): Promise<RunningSandbox> {
    const begun = this.#begun;
    if (begun === undefined) throw new Error("Cannot use a spare: it was not built");
    signal?.throwIfAborted();
    const { running } = begun;
    const end = () => this.#end.abort();
    signal?.addEventListener("abort", end);
    void running.opened.finally(() => signal?.removeEventListener("abort", end));
    this.#pipe.send(order);
    this.#ready.resolve((async () => ready?.())());
    await begun.ready;
    return running;
  }

  /**
   * Ends it. What waits at the gate does nothing any more, so that what protects the host from it goes at
   * once; what is still being built would make some of that again.
   */
  discard(): void {
    this.#await();
    this.#end.abort();
    if (this.#first !== undefined) this.#abandon?.();
  }

  #await(): void {
    this.#isAwaited = true;
    for (const handle of this.#begun ? handlesOf(this.#begun) : []) handle.ref?.();
  }

  async #begin(): Promise<BegunPlan> {
    try {
      const waiting = { ready: () => this.#ready.promise, signal: this.#end.signal };
      const options = { ...this.#options, ...waiting };
      return await beginPlan(this.#plan, options, {
        order: this.#pipe.inner,
        holding: (abandon) => {
          this.#abandon = abandon;
        },
        watched: () => {
          this.#state = hostStateOf(this.#plan);
        },
        standing: (pid) => {
          this.#first = { pid, identity: identityOf(pid) };
          this.#settled.resolve();
        },
        hasFailed: () => this.#pipe.hasFailed(),
      });
    } finally {
      fs.closeSync(this.#pipe.inner);
    }
  }
}

interface Handle {
  readonly ref?: () => unknown;
  readonly unref?: () => unknown;
}

/** All that would keep this process alive for a sandbox: its process, its streams, and what it reads. */
function handlesOf({ child, running: { stdin, stdout, stderr } }: BegunPlan): Handle[] {
  const all: unknown[] = [child, stdin, stdout, stderr, ...child.stdio];
  return all.filter((one) => one !== null && one !== undefined) as Handle[];
}
