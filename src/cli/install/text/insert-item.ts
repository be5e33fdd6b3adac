/** Adds an item to a list in a text and takes one out, in the way the list is laid out. */
import type { ListSpan } from "./list-span.ts";
import { type Span, tokensFrom } from "./token.ts";

export interface ListLayout {
  /** How lines end. */
  readonly eol: string;
  /** How the first item of an empty list is set on a line of its own; without it, it is not. */
  readonly block?: { readonly indent: string; readonly base: string };
}

/** Puts text in the place of a span. */
export function splice(text: string, { start, end }: Span, put: string): string {
  return text.slice(0, start) + put + text.slice(end);
}

/** Adds an item at the end. */
export function insertItem(
  text: string,
  list: ListSpan,
  item: string,
  { eol, block }: ListLayout,
): string {
  const last = list.items.at(-1);
  if (last === undefined) return insertFirst(text, list, item, { eol, ...(block && { block }) });
  const indent = ownIndent(text, list, last);
  if (indent === undefined) return splice(text, at(last.end), `, ${item}`);
  const rest = restOfLine(text, last.end);
  if (rest === undefined) return splice(text, at(last.end), `,${eol}${indent}${item}`);
  const added = `${eol}${indent}${item}`;
  if (rest.comma) return splice(text, at(rest.end), `${added},`);
  return splice(splice(text, at(rest.end), added), at(last.end), ",");
}

/** Takes one item out; a comment on a line of its own or on another item's stays. */
export function removeItem(text: string, list: ListSpan, item: Span): string {
  const index = list.items.indexOf(item);
  const previous = list.items[index - 1];
  const next = list.items[index + 1];
  if (previous === undefined && next === undefined) return removeOnly(text, list, item);
  const rest = restOfLine(text, item.end);
  if (ownIndent(text, list, item) !== undefined && rest !== undefined) {
    const line = { start: lineStart(text, item.start), end: afterLine(text, rest.end) };
    const without = splice(text, line, "");
    const dangling = next === undefined && !rest.comma && previous !== undefined;
    return dangling ? removeComma(without, previous.end) : without;
  }
  if (next !== undefined) return splice(text, { start: item.start, end: next.start }, "");
  const before = { start: previous?.end ?? item.start, end: item.start };
  if (!text.slice(before.start, before.end).includes("#")) {
    return splice(text, { start: before.start, end: item.end }, "");
  }
  return removeComma(splice(text, item, ""), before.start);
}

/** Where the line of a place begins. */
export function lineStart(text: string, place: number): number {
  return text.lastIndexOf("\n", place - 1) + 1;
}

function insertFirst(
  text: string,
  list: ListSpan,
  item: string,
  { eol, block }: ListLayout,
): string {
  const inside = { start: list.start + 1, end: list.end - 1 };
  const blank = text.slice(inside.start, inside.end).trim() === "";
  if (!blank) return splice(text, at(inside.start), item);
  const set = block && `${eol}${block.base}${block.indent}${item}${eol}${block.base}`;
  return splice(text, inside, set ?? item);
}

function removeOnly(text: string, list: ListSpan, item: Span): string {
  const inside = { start: list.start + 1, end: list.end - 1 };
  const around = text.slice(inside.start, item.start) + text.slice(item.end, inside.end);
  if (/^[\s,]*$/.test(around)) return splice(text, inside, "");
  const rest = restOfLine(text, item.end);
  const without = rest?.comma ? removeComma(text, item.end) : text;
  return splice(without, item, "");
}

function removeComma(text: string, from: number): string {
  for (const token of tokensFrom(text, from)) {
    if (token.kind === "comma") return splice(text, token, "");
  }
  return text;
}

/** The white space before an item that begins its line, inside the list. */
function ownIndent(text: string, list: ListSpan, item: Span): string | undefined {
  const start = lineStart(text, item.start);
  const before = text.slice(start, item.start);
  return start > list.start && before.trim() === "" ? before : undefined;
}

/** What follows an item on its line when that is a comma and a comment at most. */
function restOfLine(text: string, from: number): { comma: boolean; end: number } | undefined {
  const pattern = /[ \t]*(,?)[ \t]*(?:#[^\r\n]*)?(?=\r?\n)/y;
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  if (match === null) return undefined;
  return { comma: match[1] === ",", end: from + match[0].length };
}

function afterLine(text: string, place: number): number {
  const end = text.indexOf("\n", place);
  return end === -1 ? text.length : end + 1;
}

function at(place: number): Span {
  return { start: place, end: place };
}
