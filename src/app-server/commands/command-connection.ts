import type { z } from "zod";
import type { commandNotifications } from "../protocol/command-methods.ts";

/** Something that a streaming command printed. */
export type OutputDelta = z.input<typeof commandNotifications.outputDelta.params>;

/**
 * What commands need of the connection that they belong to.
 *
 * One object for the whole connection: what runs is found by it.
 */
export interface CommandConnection {
  /** Fires when the connection is over; its commands end with it. */
  readonly closed: AbortSignal;
  /** Settles when it was accepted, which is how a slow reader slows the command. */
  notifyOutput(delta: OutputDelta): Promise<void>;
}
