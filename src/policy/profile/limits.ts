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
