import { setImmediate as nextTurn } from "node:timers/promises";

/** Called for each of many small steps; now and then it lets others work. */
export type Pause = () => Promise<void> | undefined;

const STEPS = 64;

/** Throws the reason of `signal` once that is given. */
export function createPause(signal?: AbortSignal): Pause {
  let steps = 0;
  return () => {
    steps += 1;
    if (steps % STEPS !== 0) return undefined;
    signal?.throwIfAborted();
    return nextTurn();
  };
}
