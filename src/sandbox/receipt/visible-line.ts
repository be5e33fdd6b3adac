/**
 * Text of strangers on one line of a terminal.
 *
 * What a terminal would obey, what turns the reading direction and what breaks
 * the line is written out, so that no text can look like a line of writ's own.
 */

/** Shows the beginning of `text` as one line of at most `most` characters. */
export function visibleLine(text: string, most: number): string {
  const start = text.slice(0, most + 2).toWellFormed();
  const chars = [...start.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, escaped)];
  return chars.length <= most ? chars.join("") : `${chars.slice(0, most - 1).join("")}…`;
}

function escaped(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
