/**
 * Tells whether sending has come to a stop.
 *
 * Most sends are taken within a turn of the event loop. Sending stalls when some
 * are under way and none was taken between two turns; the next that is taken ends
 * the stall. Nothing is watched while nothing is under way, or while it stalls.
 */
export class StallWatch {
  readonly #stalled: () => void;
  #underWay = 0;
  #taken = 0;
  #takenBefore = 0;
  #watching = false;
  #isStalled = false;

  /** `stalled` is called at the beginning of each stall. */
  constructor(stalled: () => void) {
    this.#stalled = stalled;
  }

  get isStalled(): boolean {
    return this.#isStalled;
  }

  begin(): void {
    this.#underWay += 1;
    this.#watch();
  }

  end(): void {
    this.#underWay -= 1;
    this.#taken += 1;
    this.#isStalled = false;
    this.#watch();
  }

  #watch(): void {
    if (this.#watching || this.#isStalled || this.#underWay === 0) return;
    this.#watching = true;
    this.#takenBefore = this.#taken;
    setImmediate(() => this.#check());
  }

  #check(): void {
    this.#watching = false;
    if (this.#underWay === 0) return;
    if (this.#taken === this.#takenBefore) {
      this.#isStalled = true;
      this.#stalled();
    } else {
      this.#watch();
    }
  }
}
