/**
 * A deny pattern as a regular expression for Seatbelt.
 *
 * It denies what the policy layer's matcher denies, and all below it, in any
 * spelling that the disk takes for the same name. Whether Seatbelt reads bytes
 * or characters is not documented: one character beyond printable ASCII is
 * therefore also up to four of its bytes, which may deny more and never less.
 */
import type { GlobSegment } from "../../policy/index.ts";
import { DEEPER, inAnySpelling, oneOf, spellingsOf } from "./any-spelling.ts";

type NameToken = Extract<GlobSegment, { kind: "pattern" }>["pattern"][number];
type ClassToken = Extract<NameToken, { kind: "class" }>;

/** What is not printable ASCII: one character, or the bytes of one. */
const HIGH = "[^ -~]";
const HIGH_CHARACTER = `${HIGH}${HIGH}?${HIGH}?${HIGH}?`;
const PRINTABLE = Array.from({ length: 0x7f - 0x20 }, (_, index) => 0x20 + index);
const SLASH = 0x2f;

/** How many characters beyond ASCII a class may spell out before it stands for all of them. */
const MAX_SPELLED = 64;

/** The expression for one alternative of a pattern. */
export function regexOfGlob(segments: readonly GlobSegment[]): string {
  return `^${segments.map(regexOfSegment).join("")}${DEEPER}$`;
}

/** The expressions for the folders above a match, as far as the pattern says which they are. */
export function foldersOfGlob(segments: readonly GlobSegment[]): string[] {
  const spanning = segments.findIndex(({ kind }) => kind === "globstar");
  const known = segments.slice(0, spanning === -1 ? segments.length - 1 : spanning);
  return known.map(
    (_, at) =>
      `^${known
        .slice(0, at + 1)
        .map(regexOfSegment)
        .join("")}$`,
  );
}

function regexOfSegment(segment: GlobSegment): string {
  if (segment.kind === "globstar") return DEEPER;
  if (segment.kind === "literal") return `/${inAnySpelling(segment.name)}`;
  // No name is empty, so a star alone is at least one character; else "/*" would match "/".
  if (segment.pattern.every(({ kind }) => kind === "star")) return "/[^/]+";
  return `/${runsOf(segment.pattern).map(regexOfRun).join("")}`;
}

/** Plain characters are kept together: an accent may be a character of its own. */
function runsOf(tokens: readonly NameToken[]): (string | NameToken)[] {
  const runs: (string | NameToken)[] = [];
  for (const token of tokens) {
    const last = runs.at(-1);
    if (token.kind !== "char") runs.push(token);
    else if (typeof last === "string") runs[runs.length - 1] = last + token.char;
    else runs.push(token.char);
  }
  return runs;
}

function regexOfRun(run: string | NameToken): string {
  if (typeof run === "string") return inAnySpelling(run);
  if (run.kind === "star") return "[^/]*";
  if (run.kind === "class") return regexOfClass(run);
  return `([^/]|${HIGH_CHARACTER})`;
}

function regexOfClass({ ranges, negated }: ClassToken): string {
  const holds = (code: number) => ranges.some(([from, to]) => from <= code && code <= to);
  const ascii = PRINTABLE.filter((code) => code !== SLASH && holds(code) !== negated);
  const characters = ascii.map((code) => String.fromCodePoint(code));
  // Another spelling of what is left out is not what the pattern names.
  const plain = negated ? characters : characters.flatMap(spellingsOf);
  const high = negated ? undefined : highCharacters(ranges);
  const texts = [...new Set([...plain, ...(high ?? []).flatMap(spellingsOf)])];
  if (high !== undefined) return oneOf(texts);
  return `(${[...(texts.length > 0 ? [oneOf(texts)] : []), HIGH_CHARACTER].join("|")})`;
}

/** The characters of a class that are not printable ASCII; nothing where there are too many. */
function highCharacters(ranges: ClassToken["ranges"]): string[] | undefined {
  const codes: number[] = [];
  for (const [from, to] of ranges) {
    for (let code = from; code <= to; code += 1) {
      if (code < 0x20 || code > 0x7e) codes.push(code);
      if (codes.length > MAX_SPELLED) return undefined;
    }
  }
  return codes
    .map((code) => String.fromCodePoint(code))
    .filter((char) => char !== "\0" && char.isWellFormed());
}
