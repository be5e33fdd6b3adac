import type { z } from "zod";
import type { Notification } from "../rpc/index.ts";

/** Tells every client that has introduced itself. */
export type Broadcast = <P extends z.ZodType>(
  notification: Notification<P>,
  params: z.input<P>,
) => void;
