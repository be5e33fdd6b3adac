import { setImmediate } from "node:timers/promises";
import type { ReadStream } from "node:tty";

/**
 * Lets go of what a terminal that edits lines holds of one that has no end yet.
 *
 * The kernel keeps it to itself, and hands it out with the Enter of whatever is typed next. Without the
 * editing it can be read at once: a whole turn of reading lies between the two that are waited for.
 */
export async function takeTyped(terminal: ReadStream): Promise<void> {
  terminal.setRawMode(true);
  await setImmediate();
  await setImmediate();
  terminal.setRawMode(false);
}
