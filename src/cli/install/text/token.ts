/**
 * The tokens that TOML and JSON share, as places in a text.
 *
 * It reads only text that a parser has already accepted: it has to find where things end, not
 * whether they are right.
 */
export interface Span {
  readonly start: number;
  /** One behind the last character. */
  readonly end: number;
}

export interface Token extends Span {
  readonly kind: "space" | "line" | "comment" | "open" | "close" | "comma" | "other";
  /** How many brackets it is in; those themselves are in. */
  readonly depth: number;
}

/** Longest first: three quotes are not one. */
const TOKEN = new RegExp(
  [
    String.raw`[ \t]+|\r?\n|#[^\r\n]*|[[\]{},]`,
    String.raw`"""(?:[^"\\]|\\[^]|"{1,2}(?!"))*"{3,5}`,
    "'''(?:[^']|'{1,2}(?!'))*'{3,5}",
    String.raw`"(?:[^"\\\n]|\\.)*"`,
    String.raw`'[^'\n]*'`,
    String.raw`[^\s"'#[\]{},]+`,
    "[^]",
  ].join("|"),
  "y",
);

/** The first character tells; every other begins a value. */
const KINDS: Readonly<Record<string, Token["kind"]>> = {
  " ": "space",
  "\t": "space",
  "\r": "line",
  "\n": "line",
  "#": "comment",
  "[": "open",
  "{": "open",
  "]": "close",
  "}": "close",
  ",": "comma",
};

/** The tokens from a place on. */
export function* tokensFrom(text: string, from: number): Generator<Token> {
  let depth = 0;
  for (let start = from; start < text.length; ) {
    TOKEN.lastIndex = start;
    const end = TOKEN.test(text) ? TOKEN.lastIndex : start + 1;
    const kind = KINDS[text[start] ?? ""] ?? "other";
    if (kind === "open") depth += 1;
    yield { kind, start, end, depth };
    if (kind === "close") depth -= 1;
    start = end;
  }
}

/** Whether a token is part of a value. */
export function isContent(kind: Token["kind"]): boolean {
  return kind !== "space" && kind !== "line" && kind !== "comment";
}
