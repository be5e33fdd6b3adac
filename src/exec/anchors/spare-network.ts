import type { NetworkAnchor } from "../../sandbox/index.ts";

/** How a network gets somebody who holds it. */
export type Hold = () => Promise<NetworkAnchor>;

/** Whoever has so many at once opens more. */
const MANY = 2;
/** Not while what the last one was taken for is being started. */
const PAUSE_MS = 30;

/**
 * Networks for anchors, and one ahead of the next, so that its first command does not wait for it.
 *
 * A spare one is like any other that nobody has joined, and is given away once. It is made only
 * where several are in use, and goes with the last of them: one session needs no second process.
 */
export class SpareNetwork {
  readonly #hold: Hold;
  #spare: Promise<NetworkAnchor | undefined> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #taken = 0;
  #isClosed = false;

  constructor(hold: Hold) {
    this.#hold = hold;
  }

  /** One that is held now: a spare whose holder died is not given away. */
  async take(): Promise<NetworkAnchor> {
    const taking = this.#spare;
    this.#spare = undefined;
    this.#taken += 1;
    this.#makeSoon();
    if (taking === undefined) return this.#hold();
    const spare = await taking;
    if (spare?.isHeld()) return spare;
    await spare?.close();
    return this.#hold();
  }

  /** To be called when none is in use any more. Settles when nothing of a spare one is left. */
  async drop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#taken = 0;
    const dropped = this.#spare;
    this.#spare = undefined;
    await (await dropped)?.close();
  }

  /** The same, and none is made from then on. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.drop();
  }

  #makeSoon(): void {
    clearTimeout(this.#timer);
    if (this.#taken < MANY || this.#isClosed) return;
    this.#timer = setTimeout(() => this.#make(), PAUSE_MS).unref();
  }

  /** Where it cannot be made, whoever needs one is told why. */
  #make(): void {
    this.#spare ??= this.#hold().catch(() => undefined);
  }
}
