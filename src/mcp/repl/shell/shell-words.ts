/** The words that the keeper of a shell takes: one character, and text as `printf %b` reads it, on a line. */
import { isLowSurrogate } from "../output/visible-text.ts";

/** So much fits into a pipe that is empty, however small it is. */
const FITTING_CHARS = 1024;

export const SHELL_WORDS = {
  interrupt: "i\n",
  shutdown: "h\n",
  /** Lets go of input that was not read. */
  discard: "d\n",
  /** Sets the prompt again. */
  repair: "p\n",
  quit: "q\n",
} as const;

/** Runs a cell. */
export function runWord(cell: string): string {
  const quoted = `'${cell.replaceAll("\0", "").replaceAll("'", "'\\''")}'`;
  return `r${encoded(quoted)}\n`;
}

/** Asks what the shell waits for; the mark that answers has the number. */
export function lookWord(number: number): string {
  return `l${number}\n`;
}

/** Hands a cell its input; `isLast` is the end of it. What does not fit at once waits beside. */
export function feedWords(text: string, isLast: boolean): string {
  const cut = isLowSurrogate(text, FITTING_CHARS) ? FITTING_CHARS - 1 : FITTING_CHARS;
  const [now, later] = [text.slice(0, cut), text.slice(cut)];
  const waiting = later === "" ? "" : `b${encoded(later)}\n`;
  return `f${encoded(now)}\n${waiting}${isLast ? "e\n" : ""}`;
}

function encoded(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\0", "\\0000");
}
