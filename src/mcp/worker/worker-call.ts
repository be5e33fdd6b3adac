/**
 * One call to a worker: what it may do, by the state it brought.
 *
 * A good state is a licence for this call and no other; a call that is over can
 * do nothing any more.
 */
import type { BoundState } from "../state/bind-state.ts";
import type { StateRefusal } from "../state/read-sandbox-state.ts";
import type { CallState } from "../state/symbolic-state.ts";

/** A state that came with a call. */
export interface Licence {
  readonly kind: "licence";
  readonly state: BoundState;
  /** What it was bound from: each child gets a temporary folder of its own beside it. */
  readonly asked: CallState;
  readonly ids: Readonly<Record<string, string>>;
}

/** What came of asking for a child under the state of a call. */
export interface Applied {
  readonly kind: "applied";
  /** `changed`: it is a new one because the policy is another than before. */
  readonly child: "kept" | "started" | "changed";
  readonly state: BoundState;
}

/** The child, as a call with a licence can use it. */
export interface WorkerChild {
  isLive(): boolean;
  run(licence: Licence): Promise<Applied | StateRefusal>;
  stage(licence: Licence): Promise<StateRefusal | undefined>;
  /** False where the child is not the one of that state, or takes no input any more. */
  write(bytes: Uint8Array, state: BoundState): Promise<boolean>;
}

export class WorkerCall {
  readonly #licence: Licence | StateRefusal;
  readonly #child: WorkerChild;
  #applied: BoundState | undefined;
  #isOver = false;

  constructor(licence: Licence | StateRefusal, child: WorkerChild) {
    this.#licence = licence;
    this.#child = child;
  }

  /** Strict: the child runs under the state of this call, or nothing was touched and here is why. */
  async apply(): Promise<Applied | StateRefusal> {
    const licence = this.#inTime();
    if (licence.kind === "refused") return licence;
    const applied = await this.#child.run(licence);
    this.#applied = applied.kind === "applied" ? applied.state : undefined;
    return applied;
  }

  /** Strict: the child is over and the next one will run under the state of this call, or nothing was touched. Starts none. */
  async stage(): Promise<StateRefusal | undefined> {
    const licence = this.#inTime();
    if (licence.kind === "refused") return licence;
    return this.#child.stage(licence);
  }

  /** Lenient: a new child in place of one that has ended, if this call brought a state for it. */
  async revive(): Promise<boolean> {
    const licence = this.#inTime();
    if (licence.kind === "refused" || this.#child.isLive()) return false;
    return (await this.#child.run(licence)).kind === "applied";
  }

  /** Hands input to the child that was applied in this call. False where it takes none any more. */
  async write(input: string | Uint8Array): Promise<boolean> {
    this.#inTime();
    if (this.#applied === undefined) {
      throw new Error("Cannot write to the worker: this call has applied no state, expected one");
    }
    const bytes = typeof input === "string" ? Buffer.from(input) : input;
    return this.#child.write(bytes, this.#applied);
  }

  /** Nothing can be done with it any more. */
  end(): void {
    this.#isOver = true;
  }

  #inTime(): Licence | StateRefusal {
    if (!this.#isOver) return this.#licence;
    throw new Error("Cannot use the call: it is over, expected one that is being served");
  }
}
