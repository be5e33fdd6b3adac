/**
 * The one sandbox of a thread, from the first call that needs it to its end.
 *
 * Nothing is asked of the provider before somebody acquires. All who ask at once
 * share the way to it, each with an abort of its own. Each replacement has a new
 * generation; what comes late from an old one is not heard.
 */
import type { SandboxIntent } from "../../exec/index.ts";
import type { ProvidedSandbox } from "../provider/provided-sandbox.ts";
import { Refusal, refusalOf, refuseAborted } from "../refusal.ts";
import type { SessionClock } from "../session-clock.ts";
import type { SessionOptions } from "../session-options.ts";
import type { SessionReference } from "../session-reference.ts";
import { unlessAborted } from "../unless-aborted.ts";
import { CurrentSandbox, type Replacement } from "./current-sandbox.ts";
import { establish } from "./establish.ts";
import { Flight } from "./flight.ts";
import type { LiveSandbox } from "./live-sandbox.ts";
import type { SessionState } from "./session-state.ts";

export interface AcquireRequest {
  /** The tool that needs it. */
  readonly by: string;
  readonly signal: AbortSignal;
}

/** A sandbox for one call. It is not drained before the call is done. */
export interface HeldSandbox {
  readonly sandbox: ProvidedSandbox;
  readonly generation: number;
  /** What the call may do. */
  readonly intent: SandboxIntent;
  done(): void;
}

interface Acquisition {
  readonly intent: SandboxIntent;
  readonly flight: Flight<LiveSandbox>;
}

export class SandboxHolder {
  readonly #current: CurrentSandbox;
  #intent: SandboxIntent;
  #acquisition: Acquisition | undefined;
  #ending: Promise<void> | undefined;
  #disposal: Promise<void> | undefined;
  #isDisposed = false;

  constructor(options: SessionOptions, clock: SessionClock) {
    this.#current = new CurrentSandbox(options, clock);
    this.#intent = options.intent;
  }

  get state(): SessionState {
    return this.#current.state;
  }

  get generation(): number {
    return this.#current.teller.generation;
  }

  get reference(): SessionReference | null | undefined {
    return this.#current.teller.reference;
  }

  get keepsWorkspace(): boolean {
    return this.#current.options.provider.keepsWorkspace;
  }

  get intent(): SandboxIntent {
    return this.#intent;
  }

  useIntent(intent: SandboxIntent): void {
    this.#intent = intent;
  }

  /** Why the sandbox is another one than before; said once. */
  takeReplacement(): Replacement | undefined {
    return this.#current.takeReplacement();
  }

  /**
   * One that was just probed and may do what the turn may. The call is held to what it was asked under,
   * and to what was set meanwhile.
   */
  async acquire({ by, signal }: AcquireRequest, asked = this.#intent): Promise<HeldSandbox> {
    const what = `get a sandbox for "${by}"`;
    for (;;) {
      this.#refuseDisposed(what);
      refuseAborted(signal, what);
      const intent = this.#intent;
      const busy = this.#busyWithOther(intent);
      if (busy !== undefined) {
        await unlessAborted(busy, signal, what);
        continue;
      }
      const { flight } = this.#acquisition ?? this.#begin(by, intent);
      const live = await flight.wait(signal, what);
      if (live !== this.#current.live || intent !== this.#intent) continue;
      const { sandbox, generation } = live;
      const done = live.use();
      if (asked === intent) return { sandbox, generation, intent, done };
      const both = await narrowest({ sandbox, asked, intent, what }).catch((error: unknown) => {
        done();
        throw error;
      });
      if (intent === this.#intent) return { sandbox, generation, intent: both, done };
      done();
    }
  }

  /** The one at hand, if any, without a look at it. */
  peek(): { readonly sandbox: ProvidedSandbox; readonly generation: number } | undefined {
    return this.#current.live;
  }

  /** Drops a generation that is known to be over; a later one is not touched. */
  lose(generation: number, error: unknown): void {
    const { live } = this.#current;
    if (live?.generation === generation) this.#current.lose(live, error);
  }

  /** Nothing runs and nobody waits. */
  quiet(): void {
    if (this.#current.state === "ready") this.#current.step("quiet");
  }

  /** Ends a sandbox that nobody needs; nothing where somebody came back to it. */
  async endIdle(): Promise<void> {
    const { live } = this.#current;
    if (this.#current.state !== "idle" || live === undefined) return;
    this.#ending = this.#endIdle(live).finally(() => {
      this.#ending = undefined;
    });
    await this.#ending;
  }

  async #endIdle(live: LiveSandbox): Promise<void> {
    try {
      await this.#current.stop(live);
      this.#current.markReplaced("idle");
      this.#current.teller.forget();
      await this.#current.teller.tell();
    } catch {
      // Nobody waits for this. The next call, or the end of the session, meets the same error.
    }
  }

  /** Leaves the sandbox to a later turn; ends it only where nobody would find it again. */
  async release(): Promise<void> {
    await this.#cancelBoot();
    const { live, teller } = this.#current;
    if (live === undefined) return;
    if (!teller.isTold(live.reference)) await this.#current.stop(live);
    else this.#current.release(live);
  }

  /** Ends everything. Again is allowed, also after it failed. */
  dispose(): Promise<void> {
    this.#isDisposed = true;
    this.#disposal ??= this.#dispose().catch((error: unknown) => {
      this.#disposal = undefined;
      throw error;
    });
    return this.#disposal;
  }

  async #dispose(): Promise<void> {
    await this.#cancelBoot();
    const { live, teller, unwanted, state } = this.#current;
    if (live !== undefined) await this.#current.stop(live);
    else if (state !== "gone") this.#current.step("stop");
    await unwanted.stopAll();
    if (teller.isOver) teller.forget();
    await teller.tell();
  }

  async #cancelBoot(): Promise<void> {
    const { flight } = this.#acquisition ?? {};
    flight?.cancel();
    await flight?.settled;
    await this.#ending;
  }

  #refuseDisposed(what: string): void {
    if (!this.#isDisposed) return;
    throw new Refusal(
      "stopped",
      `Cannot ${what}: the session was closed, expected one that is open`,
    );
  }

  /** What has to be over first: an end, a boot that nobody wants, one for another policy. */
  #busyWithOther(intent: SandboxIntent): Promise<void> | undefined {
    const acquisition = this.#acquisition;
    if (acquisition === undefined) return this.#ending;
    const isOther = acquisition.intent !== intent || acquisition.flight.isCancelled;
    return isOther ? acquisition.flight.settled : undefined;
  }

  #begin(by: string, intent: SandboxIntent): Acquisition {
    const flight = new Flight(async (signal) => {
      try {
        return await establish(this.#current, { by, intent, signal });
      } finally {
        // Before anybody learns of the outcome: whoever asks then gets a new look, not this one.
        this.#acquisition = undefined;
      }
    });
    this.#acquisition = { intent, flight };
    return this.#acquisition;
  }
}

interface TwoIntents {
  readonly sandbox: ProvidedSandbox;
  readonly asked: SandboxIntent;
  readonly intent: SandboxIntent;
  readonly what: string;
}

/** The one that lies within the other: whoever set one of them meant what runs then to be held to it. */
async function narrowest({ sandbox, asked, intent, what }: TwoIntents): Promise<SandboxIntent> {
  try {
    if (await sandbox.isWithin(asked, intent)) return asked;
    if (await sandbox.isWithin(intent, asked)) return intent;
  } catch (error) {
    throw refusalOf(error, what);
  }
  throw new Refusal(
    "forbidden",
    `Cannot ${what}: the policy was changed meanwhile to one that it cannot be held to as well, expected the one that it was asked under. Ask again`,
  );
}
