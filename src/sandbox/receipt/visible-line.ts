/**
 * Text of strangers on one line of a terminal.
 *
 * What a terminal would obey, what turns the reading direction, what cannot be seen and what breaks
 * the line is written out, so that no text can look like a line of writ's own.
 */

/** Shows `text` as one line; of a longer one the beginning, `most` characters in all. */
export function visibleLine(text: string, most = Number.POSITIVE_INFINITY): string {
  const start = text.slice(0, most + 2).toWellFormed();
  const shown = start.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029\u2800]|(?![\ufe0e\ufe0f])\p{DI}/gu,
    escaped,
  );
  if (shown.length <= most) return shown;
  const chars = [...shown];
  return chars.length <= most ? shown : `${chars.slice(0, most - 1).join("")}…`;
}

function escaped(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
