/** Shows what a terminal would obey instead of sending it: a path or a name may hold anything. */
export function visible(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu, escaped);
}

/** The same for one line, where a line break would forge another. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll("\n", escaped);
}

function escaped(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
