/** Limits compared; apart from their schema, which whoever only compares need not load. */
import type { Limits } from "./limits.ts";

export const LIMIT_NAMES = [
  "wallTimeMs",
  "cpuTimeMs",
  "memoryBytes",
  "processes",
  "fileSizeBytes",
  "openFiles",
  "outputBytes",
] as const satisfies readonly (keyof Limits)[];

/** The lower of each; a limit that only one side has is kept. */
export function stricterLimits(a: Limits | undefined, b: Limits | undefined): Limits | undefined {
  const merged: Partial<Record<keyof Limits, number>> = {};
  for (const name of LIMIT_NAMES) {
    const values = [a?.[name], b?.[name]].filter((value) => value !== undefined);
    if (values.length > 0) merged[name] = Math.min(...values);
  }
  return Object.keys(merged).length === 0 ? undefined : merged;
}

/** The first limit of `base` that `candidate` does not keep. */
export function exceededLimit(
  candidate: Limits | undefined,
  base: Limits | undefined,
): keyof Limits | undefined {
  return LIMIT_NAMES.find((name) => {
    const ceiling = base?.[name];
    return ceiling !== undefined && (candidate?.[name] ?? Number.POSITIVE_INFINITY) > ceiling;
  });
}
