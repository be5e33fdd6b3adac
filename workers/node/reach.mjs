/**
 * What an interrupt may end of what the main thread does: code of the user's, and never the worker's own.
 *
 * To end a thread unwinds all that it is in the middle of, and nothing can catch that. In the middle of the
 * worker's own steps a cell would be told as over twice, or never, or take the process with it. A cell may
 * change whatever it reaches, so what is called here was taken hold of before it.
 */
import { SLOT } from "./slots.mjs";

const { store } = Atomics;

export class Reach {
  #state;

  /** Nothing may be ended before the first cell runs. */
  constructor(state) {
    this.#state = state;
    store(state, SLOT.isOwn, 1);
  }

  /** The interrupt of a cell has come through: nothing more is to be ended for it. */
  heard(cell) {
    store(this.#state, SLOT.heard, cell);
  }

  /** Does a step of the worker's own; whatever the event loop does next is the user's again. */
  outside(step) {
    store(this.#state, SLOT.isOwn, 1);
    try {
      step();
    } finally {
      store(this.#state, SLOT.isOwn, 0);
    }
  }

  /** Runs code of the user's in the middle of such a step; the debugger holds up the end of it. */
  within(run) {
    store(this.#state, SLOT.isOwn, 0);
    run();
    store(this.#state, SLOT.isOwn, 1);
  }
}
