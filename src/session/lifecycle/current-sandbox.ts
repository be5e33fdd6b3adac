/**
 * Which sandbox a thread has now, and in which state it is.
 *
 * Every change of state and every event goes through here; who decides on them
 * is in `establish.ts` and `sandbox-holder.ts`.
 */
import { codeOf, refusalOf } from "../refusal.ts";
import type { SessionClock } from "../session-clock.ts";
import { type SessionEvent, tellListener } from "../session-event.ts";
import type { SessionOptions } from "../session-options.ts";
import { unlessAborted } from "../unless-aborted.ts";
import type { LiveSandbox } from "./live-sandbox.ts";
import { ReferenceTeller } from "./reference-teller.ts";
import { type SessionState, type SessionStep, stateAfter } from "./session-state.ts";
import { UnwantedSandboxes } from "./unwanted-sandboxes.ts";

/** Why there is another sandbox than before. */
export type Replacement = "lost" | "policy" | "dependencies" | "idle";

export class CurrentSandbox {
  readonly options: SessionOptions;
  readonly clock: SessionClock;
  readonly teller: ReferenceTeller;
  readonly unwanted = new UnwantedSandboxes();
  #state: SessionState = "absent";
  #live: LiveSandbox | undefined;
  #replacement: Replacement | undefined;

  constructor(options: SessionOptions, clock: SessionClock) {
    this.options = options;
    this.clock = clock;
    this.teller = new ReferenceTeller(options);
  }

  get state(): SessionState {
    return this.#state;
  }

  get live(): LiveSandbox | undefined {
    return this.#live;
  }

  /** Why the sandbox is another one than before; said once, and only when there is one. */
  takeReplacement(): Replacement | undefined {
    if (this.#live === undefined) return undefined;
    const taken = this.#replacement;
    this.#replacement = undefined;
    return taken;
  }

  step(step: SessionStep): void {
    this.#state = stateAfter(this.#state, step);
  }

  /** A boot begins, unless there is one that was ready. */
  enter(): void {
    if (["absent", "gone", "lost"].includes(this.#state)) this.step("boot");
  }

  fail(): void {
    if (this.#state === "booting" || this.#state === "draining") this.step("fail");
  }

  adopt(live: LiveSandbox): void {
    this.#live = live;
  }

  makeReady(live: LiveSandbox, since: number): void {
    this.step("probed");
    if (live.isAnnounced) return;
    live.isAnnounced = true;
    const durationMs = this.clock.now() - since;
    this.emit({ kind: "acquired", origin: live.origin, durationMs, ...this.named(live) });
  }

  /** Drops one that is over, unless it is being ended anyway. It is ended all the same, for what may be left of it. */
  lose(live: LiveSandbox, error: unknown): void {
    if (this.#live !== live || this.#state === "draining") return;
    this.#live = undefined;
    this.step("lose");
    this.markReplaced("lost");
    this.emit({ kind: "lost", code: codeOf(error), ...this.named(live) });
    void this.unwanted.stop(live.sandbox);
  }

  /** Ends one when nobody works in it any more. */
  async drain(live: LiveSandbox, signal: AbortSignal): Promise<void> {
    this.step("drain");
    await unlessAborted(live.unused(), signal, "drain the sandbox");
    await this.stop(live);
  }

  async stop(live: LiveSandbox): Promise<void> {
    if (this.#state !== "draining") this.step("drain");
    try {
      await live.sandbox.stop();
    } catch (error) {
      this.fail();
      throw refusalOf(error, "end the sandbox");
    }
    if (this.#live === live) this.#live = undefined;
    this.step("stop");
    this.teller.markOver();
    this.emit({ kind: "released", isStopped: true, ...this.named(live) });
  }

  release(live: LiveSandbox): void {
    this.#live = undefined;
    this.step("release");
    this.emit({ kind: "released", isStopped: false, ...this.named(live) });
  }

  /** The one that was is not to be looked up again. */
  markReplaced(why: Replacement): void {
    this.#replacement = why;
    this.teller.markOver();
  }

  emit(event: SessionEvent): void {
    tellListener(this.options.onEvent, event);
  }

  named({ sandbox, generation }: LiveSandbox) {
    return { thread: this.options.thread, id: sandbox.id, generation };
  }
}
