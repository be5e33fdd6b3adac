import { setImmediate as nextTurn } from "node:timers/promises";

/** Called for each of many small steps; now and then it lets others work. */
export type Pause = () => Promise<void> | undefined;

const STEPS = 64;

/** A pause that counts its steps. */
export function createPause(): Pause {
  let steps = 0;
  return () => {
    steps += 1;
    return steps % STEPS === 0 ? nextTurn() : undefined;
  };
}
