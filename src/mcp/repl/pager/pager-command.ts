/** What a line says to a pager. */

export interface SearchPattern {
  /** Taken as it is written: it is no expression. */
  readonly text: string;
  readonly ignoresCase: boolean;
}

export interface ListOptions {
  readonly pattern: SearchPattern | undefined;
  readonly limit: number;
  readonly context: number;
}

export type PagerCommand =
  | { readonly kind: "next" | "skip"; readonly pages: number }
  | { readonly kind: "all" | "help" | "quit" }
  | { readonly kind: "tail"; readonly chars?: number; readonly lines?: number }
  | { readonly kind: "range"; readonly start: number; readonly end: number }
  | { readonly kind: "seek"; readonly unit: "chars" | "percent" | "line"; readonly to: number }
  | { readonly kind: "search"; readonly pattern: SearchPattern }
  | { readonly kind: "where"; readonly pattern: SearchPattern }
  | { readonly kind: "again"; readonly step: number }
  | { readonly kind: "goto"; readonly hit: number }
  | ({ readonly kind: "list" } & ListOptions);

/** Nobody searches for more, and the engine takes no expression of any length. */
const MAX_PATTERN = 1000;
const MAX_PAGES = 50;
const MAX_HITS = 500;
const MAX_CONTEXT = 5;
const DEFAULT_MATCHES = 50;
const DEFAULT_HITS = 5;
const UNITS: Readonly<Record<string, number>> = { "": 1, b: 1, k: 1024, m: 1024 * 1024 };

/** Reads a line: a command, `malformed` if it looks like one and is none, `undefined` if it is not for a pager. */
export function parsePagerCommand(line: string): PagerCommand | "malformed" | undefined {
  const trimmed = line.trim();
  if (trimmed === "") return { kind: "next", pages: 1 };
  // A shell has commands that begin with a colon and a space, and one that is nothing else.
  if (!/^:[a-z/]/i.test(trimmed)) return undefined;
  if (trimmed.startsWith(":/")) return searchOf(trimmed.slice(2));
  const [, name = "", rest = ""] = /^:(\w*)\s*(.*)$/s.exec(trimmed) ?? [];
  return Object.hasOwn(COMMANDS, name) ? (COMMANDS[name]?.(rest) ?? "malformed") : "malformed";
}

const COMMANDS: Readonly<Record<string, (rest: string) => PagerCommand | undefined>> = {
  next: (rest) =>
    withCount(rest, 1, (pages) => ({ kind: "next", pages: within(pages, MAX_PAGES) })),
  skip: (rest) => withCount(rest, undefined, (pages) => ({ kind: "skip", pages })),
  a: (rest) => alone(rest, { kind: "all" }),
  tail: tailOf,
  range: rangeOf,
  seek: seekOf,
  n: (rest) => withCount(rest, 1, (step) => ({ kind: "again", step })),
  p: (rest) => withCount(rest, 1, (step) => ({ kind: "again", step: -step })),
  goto: (rest) => withCount(rest, undefined, (hit) => ({ kind: "goto", hit })),
  where: (rest) => whereOf(rest),
  matches: (rest) => listOf(rest, { limit: DEFAULT_MATCHES, context: 0 }),
  hits: (rest) => listOf(rest, { limit: DEFAULT_HITS, context: 1 }),
  help: (rest) => alone(rest, { kind: "help" }),
  q: (rest) => alone(rest, { kind: "quit" }),
};

function alone(rest: string, command: PagerCommand): PagerCommand | undefined {
  return rest === "" ? command : undefined;
}

/** A command with a count from one, which may be left out if there is a `fallback`. */
function withCount(
  rest: string,
  fallback: number | undefined,
  make: (count: number) => PagerCommand,
): PagerCommand | undefined {
  if (rest === "") return fallback === undefined ? undefined : make(fallback);
  return /^[1-9]\d{0,8}$/.test(rest) ? make(Number(rest)) : undefined;
}

function tailOf(rest: string): PagerCommand | undefined {
  if (rest === "") return { kind: "tail" };
  const lines = /^(\d{1,9})l$/i.exec(rest)?.[1];
  if (lines !== undefined) return { kind: "tail", lines: Number(lines) };
  const chars = charsOf(rest);
  return chars === undefined ? undefined : { kind: "tail", chars };
}

function rangeOf(rest: string): PagerCommand | undefined {
  const [from = "", to = "", ...more] = rest.split(/\s*-\s*|\s+/);
  const start = charsOf(from);
  const end = charsOf(to);
  if (start === undefined || end === undefined || more.length > 0 || start > end) return undefined;
  return { kind: "range", start, end };
}

function seekOf(rest: string): PagerCommand | undefined {
  const line = /^line\s+(\d{1,9})$/.exec(rest)?.[1];
  if (line !== undefined) return { kind: "seek", unit: "line", to: Number(line) };
  const percent = /^(\d{1,3}(?:\.\d+)?)%$/.exec(rest)?.[1];
  if (percent !== undefined) return { kind: "seek", unit: "percent", to: Number(percent) };
  const chars = charsOf(rest);
  return chars === undefined ? undefined : { kind: "seek", unit: "chars", to: chars };
}

function charsOf(word: string): number | undefined {
  const [, count, unit = ""] = /^(\d{1,12})([bkm]?)$/i.exec(word) ?? [];
  return count === undefined ? undefined : Number(count) * (UNITS[unit.toLowerCase()] ?? 1);
}

function searchOf(rest: string): PagerCommand | "malformed" {
  const [, flag, pattern = ""] = /^(i\s+)?(.*)$/s.exec(rest) ?? [];
  if (pattern === "" || pattern.length > MAX_PATTERN) return "malformed";
  return { kind: "search", pattern: { text: pattern, ignoresCase: flag !== undefined } };
}

function whereOf(rest: string): PagerCommand | undefined {
  const options = listOf(rest, { limit: 1, context: 0 });
  return options?.kind === "list" && options.pattern
    ? { kind: "where", pattern: options.pattern }
    : undefined;
}

type ListDefaults = Pick<ListOptions, "limit" | "context">;

function listOf(rest: string, defaults: ListDefaults): PagerCommand | undefined {
  let { limit, context } = defaults;
  let ignoresCase = false;
  let left = rest;
  for (let option = optionOf(left); option; option = optionOf(left)) {
    if (option.name === "i") ignoresCase = true;
    else if (option.name === "C") context = within(option.value, MAX_CONTEXT);
    else limit = within(Math.max(1, option.value), MAX_HITS);
    left = left.slice(option.length);
  }
  if (left.length > MAX_PATTERN) return undefined;
  const pattern = left === "" ? undefined : { text: left, ignoresCase };
  return { kind: "list", pattern, limit, context };
}

/** The option that `text` begins with. */
function optionOf(
  text: string,
): { name: "i" | "C" | "n"; value: number; length: number } | undefined {
  const ignore = /^-i(?:\s+|$)/.exec(text);
  if (ignore) return { name: "i", value: 0, length: ignore[0].length };
  const counted = /^(-C|-n|--count)\s+(\d{1,9}|all)(?:\s+|$)/.exec(text);
  if (!counted) return undefined;
  const value = counted[2] === "all" ? MAX_HITS : Number(counted[2]);
  return { name: counted[1] === "-C" ? "C" : "n", value, length: counted[0].length };
}

function within(count: number, max: number): number {
  return Math.min(count, max);
}
