/**
 * Names in quotes, as error messages write them.
 *
 * coreutils quotes for a shell (`'a'$'\n''b'`), Python and Rust escape with
 * backslashes, others escape nothing. Reading goes over the text once: a mark
 * that is never closed is looked for only once, so cost is the length.
 */

export interface QuotedText {
  readonly text: string;
  readonly start: number;
  /** Behind the closing quote. */
  readonly end: number;
}

/** How a program escapes inside quotes. */
export type Quoting = "shell" | "backslash";

const CLOSING: ReadonlyMap<string, string> = new Map([
  ["'", "'"],
  ['"', '"'],
  ["‘", "’"],
  ["“", "”"],
  ["`", "`"],
]);

/** Every quoted name from left to right. A mark inside a word is an apostrophe. */
export function quotedTexts(text: string, quoting: Quoting): QuotedText[] {
  const found: QuotedText[] = [];
  const unclosed = new Set<string>();
  for (let at = 0; at < text.length; at += 1) {
    const mark = text[at] ?? "";
    if (!CLOSING.has(mark) || unclosed.has(mark) || /[^\s([=:,<]/.test(text[at - 1] ?? " "))
      continue;
    const quoted = quoting === "shell" ? shellWord(text, at) : escapedText(text, at);
    if (quoted === undefined) {
      unclosed.add(mark);
      continue;
    }
    found.push(quoted);
    at = quoted.end - 1;
  }
  return found;
}

/** Pieces in quotes with nothing between them, as a shell joins them. */
function shellWord(text: string, start: number): QuotedText | undefined {
  let word = "";
  let at = start;
  for (;;) {
    const piece = shellPiece(text, at, at === start);
    if (piece === undefined) return undefined;
    if (piece.end === at) return { text: word, start, end: at };
    word += piece.text;
    at = piece.end;
  }
}

/** The next piece; an empty one at its own start where the word is over; nothing if it is not closed. */
function shellPiece(text: string, at: number, first: boolean) {
  if (!first && text.startsWith("\\'", at)) return { text: "'", end: at + 2 };
  if (!first && text.startsWith("$'", at)) return escapedText(text, at + 1);
  const mark = text[at] ?? "";
  const close = first || mark === "'" ? CLOSING.get(mark) : undefined;
  if (close === undefined) return { text: "", end: at };
  const end = text.indexOf(close, at + 1);
  return end === -1 ? undefined : { text: text.slice(at + 1, end), end: end + 1 };
}

function escapedText(text: string, start: number): QuotedText | undefined {
  const close = CLOSING.get(text[start] ?? "");
  for (let at = start + 1; at < text.length; at += text[at] === "\\" ? 2 : 1) {
    if (text[at] !== close) continue;
    return { text: unescaped(text.slice(start + 1, at)), start, end: at + 1 };
  }
  return undefined;
}

const ESCAPE =
  /(?<octal>(?:\\[0-3][0-7]{2})+)|\\(?:x(?<hex>[0-9a-f]{2})|u(?<unit>[0-9a-f]{4})|u\{(?<point>[0-9a-f]{1,6})\}|U(?<wide>[0-9a-f]{8})|(?<char>.))/gis;
const NAMED: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

function unescaped(text: string): string {
  return text.replace(ESCAPE, (...found) => {
    const groups: Readonly<Record<string, string | undefined>> = found.at(-1);
    if (groups.octal !== undefined) return bytesOf(groups.octal);
    if (groups.char !== undefined) return NAMED[groups.char] ?? groups.char;
    const code = groups.hex ?? groups.unit ?? groups.point ?? groups.wide ?? "";
    const point = Number.parseInt(code, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd";
  });
}

/** Octal escapes are bytes; several together make one character. */
function bytesOf(octal: string): string {
  const bytes = octal
    .slice(1)
    .split("\\")
    .map((digits) => Number.parseInt(digits, 8));
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
