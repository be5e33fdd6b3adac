import { z } from "zod";
import { ThreadItem } from "./thread-item.ts";

const seconds = z.int().nullable().describe("Seconds since 1970.");

export const TurnError = z
  .object({
    message: z.string(),
    codexErrorInfo: z.union([z.string(), z.record(z.string(), z.unknown())]).nullable(),
    additionalDetails: z.string().nullable(),
    misalignment: z.null(),
  })
  .meta({ id: "TurnError", description: "Why a turn failed." });

export const Turn = z
  .object({
    id: z.string(),
    rootTurnId: z.string().nullable(),
    items: z.array(ThreadItem),
    itemsView: z
      .enum(["notLoaded", "summary", "full"])
      .describe("How much of the turn `items` holds."),
    status: z.enum(["completed", "interrupted", "failed", "inProgress"]),
    error: TurnError.nullable(),
    startedAt: seconds,
    completedAt: seconds,
    durationMs: z.number().nonnegative().nullable(),
  })
  .meta({ id: "Turn", description: "What was said, and all that was done about it." });
export type Turn = z.infer<typeof Turn>;

/** A part of a long list, and how to go on in both directions. */
export const TurnsPage = z
  .object({
    data: z.array(Turn),
    nextCursor: z.string().nullable(),
    backwardsCursor: z.string().nullable(),
  })
  .meta({ id: "TurnsPage", description: "Some turns of a thread, and how to get at the others." });
