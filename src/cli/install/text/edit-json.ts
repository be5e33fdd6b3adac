/** Carries an edit out in the text of a JSON file; all else stays as it was written. */
import type { SettingsEdit } from "../settings-edit.ts";
import type { SettingsPath } from "../value-at.ts";
import { insertItem, lineStart, removeItem, splice } from "./insert-item.ts";
import { type ListSpan, listAt } from "./list-span.ts";
import type { Span } from "./token.ts";

/** The text after an edit; an empty one begins as an empty object. */
export function editJson(text: string, edit: SettingsEdit): string {
  const { kind, path } = edit;
  switch (kind) {
    case "put":
      return put(text, path, edit.value);
    case "drop":
      return drop(text, path);
    case "add":
      return add(text, path, edit.item);
    case "take":
      return take(text, path, edit.item);
    case "nest":
      return put(text, path, { [edit.into]: JSON.parse(slice(text, spanOf(text, path))) });
  }
}

function put(text: string, path: SettingsPath, value: unknown): string {
  const found = spanOf(text, path);
  if (found !== undefined) return splice(text, found, printed(value, layoutAt(text, found)));
  const depth = path.findIndex((_, index) => spanOf(text, path.slice(0, index + 1)) === undefined);
  const [name = "", ...rest] = path.slice(depth);
  const nested = rest.reduceRight((inner, one) => ({ [one]: inner }), value);
  const parent = spanOf(text, path.slice(0, depth));
  return parent === undefined ? text : insert(text, parent, nested, `${JSON.stringify(name)}:`);
}

/** Objects that are then empty go with it. */
function drop(text: string, path: SettingsPath): string {
  const list = listOf(text, path.slice(0, -1));
  const item = list && memberOf(text, list, path.at(-1) ?? "")?.item;
  if (list === undefined || item === undefined) return text;
  if (list.items.length === 1 && path.length > 1) return drop(text, path.slice(0, -1));
  return removeItem(text, list, item);
}

function add(text: string, path: SettingsPath, item: string): string {
  const list = spanOf(text, path);
  return list === undefined ? put(text, path, [item]) : insert(text, list, item);
}

function take(text: string, path: SettingsPath, item: string): string {
  const list = listOf(text, path);
  const found = list?.items.find((one) => JSON.parse(slice(text, one)) === item);
  if (list === undefined || found === undefined) return text;
  return list.items.length === 1
    ? drop(text, path)
    : take(removeItem(text, list, found), path, item);
}

/** Adds to an object or a list, on a line of its own where its neighbours or its file have such. */
function insert(text: string, into: Span, value: unknown, name = ""): string {
  const list = listAt(text, into.start);
  const { eol, unit, base } = layoutAt(text, list);
  const last = list.items.at(-1);
  const isInline = unit === "" || (last !== undefined && !isOwnLine(text, list, last));
  const indent = isInline ? "" : last === undefined ? base + unit : layoutAt(text, last).base;
  const space = name === "" || unit === "" ? "" : " ";
  const item = name + space + printed(value, { eol, unit: isInline ? "" : unit, base: indent });
  return insertItem(text, list, item, { eol, ...(!isInline && { block: { indent: unit, base } }) });
}

function isOwnLine(text: string, list: Span, item: Span): boolean {
  const start = lineStart(text, item.start);
  return start > list.start && text.slice(start, item.start).trim() === "";
}

interface JsonLayout {
  readonly eol: string;
  /** What one level is set in by; nothing in a file of one line. */
  readonly unit: string;
  /** The white space that the line begins with. */
  readonly base: string;
}

function layoutAt(text: string, { start }: Span): JsonLayout {
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  const unit = /^\s*\{[ \t]*\r?\n([ \t]*)/.exec(text)?.[1];
  const isOneLine = !text.trim().includes("\n") && text.trim() !== "{}";
  const base = /^[ \t]*/.exec(text.slice(lineStart(text, start)))?.[0] ?? "";
  return { eol, unit: isOneLine ? "" : unit || "  ", base };
}

function printed(value: unknown, { eol, unit, base }: JsonLayout): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", eol + base);
}

function spanOf(text: string, path: SettingsPath): Span | undefined {
  const start = text.search(/\S/);
  let found: Span | undefined = { start, end: text.trimEnd().length };
  for (const name of path) {
    if (found === undefined || text[found.start] !== "{") return undefined;
    found = memberOf(text, listAt(text, found.start), name)?.value;
  }
  return found;
}

function listOf(text: string, path: SettingsPath): ListSpan | undefined {
  const found = spanOf(text, path);
  return found && listAt(text, found.start);
}

/** Of two members with one name the last counts, as for every parser. */
function memberOf(
  text: string,
  list: ListSpan,
  name: string,
): { readonly item: Span; readonly value: Span } | undefined {
  for (const item of list.items.toReversed()) {
    const written = /"(?:[^"\\]|\\.)*"/y.exec(slice(text, item))?.[0] ?? '""';
    if (JSON.parse(written) !== name) continue;
    const colon = text.indexOf(":", item.start + written.length);
    const start = colon + 1 + text.slice(colon + 1).search(/\S/);
    return { item, value: { start, end: item.end } };
  }
  return undefined;
}

function slice(text: string, span: Span | undefined): string {
  return span === undefined ? "null" : text.slice(span.start, span.end);
}
