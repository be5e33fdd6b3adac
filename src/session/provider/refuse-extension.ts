import { attemptError } from "./attempt.ts";

/** Throws `invalidInput` where a sandbox would not live longer for it. */
export function refuseExtension(id: string, ms: number): void {
  if (Number.isSafeInteger(ms) && ms > 0) return;
  const what = `it is by ${ms} ms, expected a whole number from 1 on`;
  throw attemptError(["invalidInput", what], { verb: "extend", thing: id, work: "look" });
}
