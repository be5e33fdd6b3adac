/** Matches of a search, as a model reads them. */
import { linesAround, type Match } from "./find-matches.ts";
import { MAX_REPLY } from "./page-reader.ts";
import type { ListOptions, SearchPattern } from "./pager-command.ts";

const MAX_LINE_CHARS = 200;

/** The heading of what is shown of one match. */
export function matchHeading(
  { number, at, line, headings }: Match,
  pattern: SearchPattern,
): string {
  const under = headings.length > 0 ? `, under ${headings.join(" > ")}` : "";
  return `[pager] match #${number} of ${JSON.stringify(pattern.text)} at line ${line}, @${at}${under}\n`;
}

/** A list of matches, with as many of them and of the lines around them as were asked for and a reply can hold. */
export function matchList(
  text: string,
  matches: Iterable<Match>,
  { pattern, limit, context }: ListOptions & { readonly pattern: SearchPattern },
): string {
  const listed: string[] = [];
  let chars = 0;
  let total = 0;
  for (const match of matches) {
    total += 1;
    if (listed.length === limit || chars > MAX_REPLY.chars) continue;
    const entry = entryOf(text, match, context);
    listed.push(entry);
    chars += entry.length;
  }
  const left = total - listed.length;
  const more = left > 0 ? `[pager] ${left} more not listed\n` : "";
  return `[pager] ${countOf(total, pattern)}\n${listed.join("")}${more}`;
}

/** How many there are, and which is the next from `at`. */
export function matchPlaces(matches: Iterable<Match>, pattern: SearchPattern, at: number): string {
  let next: Match | undefined;
  let total = 0;
  for (const match of matches) {
    total += 1;
    if (match.at >= at) next ??= match;
  }
  const where = next ? `next is #${next.number} at line ${next.line}, @${next.at}` : "none ahead";
  return `[pager] ${countOf(total, pattern)}, ${where}\n`;
}

function countOf(total: number, pattern: SearchPattern): string {
  return `${total} ${total === 1 ? "match" : "matches"} of ${JSON.stringify(pattern.text)}`;
}

function entryOf(text: string, match: Match, context: number): string {
  const under = match.headings.length > 0 ? ` (${match.headings.join(" > ")})` : "";
  const head = `#${match.number} line ${match.line} @${match.at}${under}: `;
  const most = MAX_LINE_CHARS * (context + 1);
  const [start, end] = linesAround(text, match.at, { context, most });
  const before = text.slice(start, match.at).split("\n");
  const own = before.length - 1;
  const lines = text
    .slice(start, end)
    .replace(/\n$/, "")
    .split("\n")
    .map((line, index) => clipped(line, index === own ? before[own]?.length : 0));
  return context === 0
    ? `${head}${lines[0] ?? ""}\n`
    : `${head}\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

/** As much of a line as is listed, with what stands at `at`. */
export function clipped(line: string, at = 0): string {
  const last = line.length - MAX_LINE_CHARS;
  const from = Math.max(0, Math.min(at - MAX_LINE_CHARS / 2, last));
  const part = line.slice(from, from + MAX_LINE_CHARS).toWellFormed();
  return `${from > 0 ? "…" : ""}${part}${from < last ? "…" : ""}`;
}
