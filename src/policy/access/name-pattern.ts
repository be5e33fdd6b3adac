/** Patterns for one name of a path: characters, `?`, `*` and classes. */

export type NameToken =
  | { readonly kind: "char"; readonly char: string }
  | { readonly kind: "any" | "star" }
  | { readonly kind: "class"; readonly negated: boolean; readonly ranges: readonly Range[] };

export type NamePattern = readonly NameToken[];

type Range = readonly [from: number, to: number];

/** Reads the pattern of one name; every text is a pattern. */
export function parseNamePattern(text: string): NameToken[] {
  const chars = [...text];
  const lastClose = chars.lastIndexOf("]");
  const tokens: NameToken[] = [];
  for (let at = 0; at < chars.length; ) {
    const { token, next } = tokenAt(chars, at, lastClose);
    tokens.push(token);
    at = next;
  }
  return tokens;
}

function tokenAt(chars: readonly string[], at: number, lastClose: number) {
  const char = chars[at] ?? "";
  const plain = (token: NameToken, length: number) => ({ token, next: at + length });
  if (char === "*") return plain({ kind: "star" }, 1);
  if (char === "?") return plain({ kind: "any" }, 1);
  if (char === "\\" && at + 1 < chars.length) {
    return plain({ kind: "char", char: chars[at + 1] ?? "" }, 2);
  }
  // Behind the last bracket that closes, none is looked for again and again.
  const found = char === "[" && at < lastClose ? classAt(chars, at) : undefined;
  return found ?? plain({ kind: "char", char }, 1);
}

/** A class, or nothing when the bracket is never closed and therefore means itself. */
function classAt(chars: readonly string[], at: number) {
  const negated = chars[at + 1] === "!" || chars[at + 1] === "^";
  const first = at + (negated ? 2 : 1);
  const end = chars.indexOf("]", first + 1);
  if (end === -1) return undefined;
  const ranges: Range[] = [];
  for (let from = first; from < end; ) {
    const isRange = chars[from + 1] === "-" && from + 2 < end;
    const to = isRange ? from + 2 : from;
    ranges.push([codeOf(chars[from]), codeOf(chars[to])]);
    from = to + 1;
  }
  return { token: { kind: "class" as const, negated, ranges }, next: end + 1 };
}

/** True when the whole name fits. One remembered star suffices, so the cost is at most n × m. */
export function matchesName(pattern: NamePattern, name: string): boolean {
  const chars = [...name];
  let token = 0;
  let char = 0;
  let star = -1;
  let retry = 0;
  while (char < chars.length) {
    const current = pattern[token];
    if (current?.kind === "star") {
      star = token;
      token += 1;
      retry = char;
    } else if (current !== undefined && fits(current, chars[char] ?? "")) {
      token += 1;
      char += 1;
    } else if (star !== -1) {
      token = star + 1;
      retry += 1;
      char = retry;
    } else return false;
  }
  return pattern.slice(token).every(({ kind }) => kind === "star");
}

function fits(token: NameToken, char: string): boolean {
  if (token.kind === "char") return token.char === char;
  if (token.kind !== "class") return true;
  const code = codeOf(char);
  return token.ranges.some(([from, to]) => from <= code && code <= to) !== token.negated;
}

function codeOf(char: string | undefined): number {
  return char?.codePointAt(0) ?? 0;
}
