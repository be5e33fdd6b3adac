/**
 * What an interrupt may end of what the main thread does: code of the user's, and never the worker's own.
 *
 * To end a thread unwinds all that it is in the middle of, and nothing can catch that. In the middle of the
 * worker's own steps a cell would be told as over twice, or never, or take the process with it. A cell may
 * change whatever it reaches, so what is called here was taken hold of before it.
 */
import { AT, SLOT } from "./slots.mjs";

const { load, store } = Atomics;

export class Reach {
  #state;

  /** Nothing may be ended before the first cell runs. */
  constructor(state) {
    this.#state = state;
    store(state, SLOT.at, AT.own);
  }

  /** Does a step of the worker's own, for the loop or in the middle of a cell. */
  outside(step) {
    const before = load(this.#state, SLOT.at);
    store(this.#state, SLOT.at, AT.own);
    try {
      step();
    } finally {
      store(this.#state, SLOT.at, before === AT.cell ? AT.cell : AT.loop);
    }
  }

  /** The same where the loop calls it: a cell that was unwound may have left behind that it runs. */
  forLoop(step) {
    store(this.#state, SLOT.at, AT.loop);
    this.outside(step);
  }

  /** Runs code of the user's in the middle of such a step; the debugger holds up the end of it. */
  within(run) {
    store(this.#state, SLOT.at, AT.cell);
    run();
    store(this.#state, SLOT.at, AT.own);
  }
}
