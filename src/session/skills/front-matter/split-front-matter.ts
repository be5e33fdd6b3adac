/** What stands between the first two lines of `---`, and the text below. */
export interface SplitText {
  readonly head: string;
  readonly body: string;
}

const OPENING = /^\uFEFF?---[ \t]*\r?\n/;
/** Lines end where YAML ends them: for a `^` of many lines also a character that looks like a space does. */
const CLOSING = /(?<![^\n])---[ \t]*(?![^\n])/;

/** Nothing where a text does not begin with front matter, or where that does not end. */
export function splitFrontMatter(text: string): SplitText | undefined {
  const [opening] = OPENING.exec(text) ?? [];
  if (opening === undefined) return undefined;
  const rest = text.slice(opening.length).replaceAll("\r\n", "\n");
  const closing = CLOSING.exec(rest);
  if (closing === null) return undefined;
  const body = rest.slice(closing.index + closing[0].length).trim();
  return { head: rest.slice(0, closing.index), body };
}
