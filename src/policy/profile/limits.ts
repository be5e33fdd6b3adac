import { z } from "zod";

const amount = z.int().positive();

/** Ceilings on what one run may use up. An absent member is no limit. */
export const Limits = z
  .strictObject({
    wallTimeMs: amount.optional(),
    cpuTimeMs: amount.optional(),
    memoryBytes: amount.optional(),
    processes: amount.optional(),
    fileSizeBytes: amount.optional(),
    openFiles: amount.optional(),
    outputBytes: amount.optional(),
  })
  .meta({ id: "Limits", description: "Ceilings on what one run may use up." });
export type Limits = Readonly<z.infer<typeof Limits>>;

/** Spelled out, so that whoever only asks for the names need not load the schema. */
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
