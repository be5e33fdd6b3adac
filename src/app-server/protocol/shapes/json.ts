import { z } from "zod";

/** Any JSON that is sent: null where there is nothing, never left out. */
export const Json = z.unknown().refine((value) => value !== undefined, "expected JSON, or null");
