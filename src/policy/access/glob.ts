/**
 * The glob language of deny rules.
 *
 * `*` and `?` stay within one name, `**` stands alone and spans any number of
 * names, `[a-z]` and `[!a]` are classes (an unclosed `[` is itself), `{a,b}` are
 * alternatives, `\` takes the next character as it is. What other matchers read in
 * two ways is refused, so that a rule cannot deny less than its author meant.
 * Matching never backtracks over names: cost is linear in path and pattern.
 */
import { PolicyError } from "../policy-error.ts";
import { expandBraces } from "./expand-braces.ts";
import { type NamePattern, parseNamePattern } from "./name-pattern.ts";

export type GlobSegment =
  | { readonly kind: "literal"; readonly name: string }
  | { readonly kind: "pattern"; readonly source: string; readonly pattern: NamePattern }
  | { readonly kind: "globstar" };

const MAX_LENGTH = 4096;

/** Reads a pattern into its alternatives. Throws on `..`, on a `**` inside a name and on size. */
export function parseGlob(pattern: string): GlobSegment[][] {
  if (pattern === "" || pattern.length > MAX_LENGTH) {
    throw globError(pattern, `it has ${pattern.length} characters, expected 1 to ${MAX_LENGTH}`);
  }
  for (const inside of classesIn(pattern)) refuseOddClass(inside, pattern);
  return expandBraces(pattern).map((alternative) => segmentsOf(alternative, pattern));
}

/** What stands in each class; an escaped bracket opens none, and one that is never closed is itself. */
function classesIn(pattern: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < pattern.length; at += pattern[at] === "\\" ? 2 : 1) {
    if (pattern[at] !== "[") continue;
    const first = at + (/[!^]/.test(pattern[at + 1] ?? "") ? 2 : 1);
    const end = pattern.indexOf("]", first + 1);
    if (end === -1) break;
    found.push(pattern.slice(first, end));
    at = end;
  }
  return found;
}

/** Classes that matchers read in different ways, or that can match nothing. */
function refuseOddClass(inside: string, pattern: string): void {
  if (/[\\/{},[]/.test(inside)) {
    throw globError(pattern, `a class holds one of \\ / { } , [, expected plain characters`);
  }
  for (const [, from = "", to = ""] of inside.matchAll(/(.)-(.)/gsu)) {
    if (from > to) throw globError(pattern, `the range "${from}-${to}" is empty`);
  }
}

/** Writes a text so that it means itself in a pattern. */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]{}]/g, "\\$&");
}

/** Whether a text that people write is a pattern; braces alone do not make it one. */
export function isPattern(text: string): boolean {
  return /[*?[\]]/.test(text);
}

function segmentsOf(alternative: string, pattern: string): GlobSegment[] {
  const segments = splitNames(alternative)
    .filter((name) => name !== "" && name !== ".")
    .map((name) => segmentOf(name, pattern));
  if (segments.length === 0) throw globError(pattern, "it names nothing");
  // "a/**" means what is below "a", not "a" itself.
  if (segments.at(-1)?.kind === "globstar") segments.push(segmentOf("*", pattern));
  return segments;
}

function segmentOf(name: string, pattern: string): GlobSegment {
  if (name === "**") return { kind: "globstar" };
  if (name === "..") throw globError(pattern, 'it holds ".."');
  if (/(?<!\\)\*\*/.test(name)) {
    throw globError(pattern, '"**" is part of a name, expected it alone between slashes');
  }
  const parsed = parseNamePattern(name);
  if (parsed.every((token) => token.kind === "char")) {
    return { kind: "literal", name: parsed.map((token) => token.char).join("") };
  }
  return { kind: "pattern", source: name, pattern: parsed };
}

/** Splits at slashes; an escaped slash is a slash, since no name holds one. */
function splitNames(text: string): string[] {
  return text.replaceAll("\\/", "/").split("/");
}

function globError(pattern: string, what: string): PolicyError {
  return new PolicyError("invalidPath", `Cannot use pattern ${JSON.stringify(pattern)}: ${what}`);
}
