import { setImmediate as nextTurn } from "node:timers/promises";

/** Called for each of many small steps; now and then it lets others work. */
export type Pause = () => Promise<void> | undefined;

const STEPS = 64;

/** A pause that counts its steps, and throws once what the steps are for is over. */
export function createPause(...over: readonly (AbortSignal | undefined)[]): Pause {
  let steps = 0;
  return () => {
    for (const signal of over) signal?.throwIfAborted();
    steps += 1;
    return steps % STEPS === 0 ? nextTurn() : undefined;
  };
}
