import { z } from "zod";

const text = z.string().nullable();
const Window = z
  .object({
    usedPercent: z.number(),
    windowDurationMins: z.number().nullable(),
    resetsAt: z.number().nullable(),
  })
  .nullable();

/** How much of an account is used up. Providers that do not say leave it all null. */
export const RateLimits = z
  .object({
    limitId: text,
    limitName: text,
    normalModelSlug: text,
    primary: Window,
    secondary: Window,
    credits: z.null(),
    individualLimit: z.null(),
    spendControlReached: z.boolean().nullable(),
    planType: z.null(),
    rateLimitReachedType: z.null(),
  })
  .meta({ id: "RateLimits", description: "How much of an account is used up." });
