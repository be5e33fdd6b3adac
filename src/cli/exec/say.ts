import { visibleLine } from "../../sandbox/index.ts";

/** One line of our own on standard error, beside what the command prints there. */
export function say(message: string): void {
  process.stderr.write(`writ: ${visibleLine(message)}\n`);
}
