/**
 * Carries an edit out in the text of a TOML file; all else stays as it was written.
 *
 * A new key goes behind its neighbours, a new table to the end. What is not written as a table or
 * with dots is not understood: then the outcome says something else than was meant, or nothing at
 * all, and whoever compares the two refuses it.
 */
import { isDeepStrictEqual } from "node:util";
import type { SettingsEdit } from "../settings-edit.ts";
import type { SettingsPath } from "../value-at.ts";
import { insertItem, removeItem, splice } from "./insert-item.ts";
import { listAt } from "./list-span.ts";
import { scanToml, type TomlHeader, type TomlPair, type TomlStatement } from "./scan-toml.ts";
import type { Span } from "./token.ts";

/** The text after an edit. */
export function editToml(text: string, edit: SettingsEdit): string {
  switch (edit.kind) {
    case "put":
      return put(text, edit.path, literal(edit.value));
    case "drop":
      return drop(text, edit.path);
    case "add":
      return add(text, edit.path, edit.item);
    case "take":
      return take(text, edit.path, edit.item);
    case "nest": {
      const key = pairOf(text, edit.path)?.key;
      return key ? splice(text, { start: key.end, end: key.end }, `.${edit.into}`) : text;
    }
  }
}

function put(text: string, path: SettingsPath, value: string): string {
  const pair = pairOf(text, path);
  if (pair !== undefined) return splice(text, pair.value, value);
  const statements = scanToml(text);
  const parent = path.slice(0, -1);
  const header = headerOf(statements, parent);
  if (header !== undefined) {
    const section = sectionOf(statements, header);
    return insertLine(text, section.at(-1) ?? header, `${path.at(-1)} = ${value}`);
  }
  const sibling = statements.findLast(
    (one) => one.kind === "pair" && one.path.length > parent.length && startsWith(one.path, parent),
  );
  if (sibling?.kind !== "pair") return append(text, parent, `${path.at(-1)} = ${value}`);
  return insertLine(text, sibling, `${path.slice(sibling.table.length).join(".")} = ${value}`);
}

/** The table of the last key goes with it, and the empty line before. */
function drop(text: string, path: SettingsPath): string {
  const pair = pairOf(text, path);
  if (pair === undefined) return text;
  const without = removeLines(text, pair.line);
  const statements = scanToml(without);
  const header = headerOf(statements, path.slice(0, -1));
  if (header === undefined || sectionOf(statements, header).length > 0) return without;
  const blank = /\r?\n$/.exec(without.slice(0, header.line.start))?.[0].length ?? 0;
  const start = header.line.start - blank;
  const isEmptyLine = blank > 0 && (start === 0 || without[start - 1] === "\n");
  return removeLines(without, {
    start: isEmptyLine ? start : header.line.start,
    end: header.line.end,
  });
}

function add(text: string, path: SettingsPath, item: string): string {
  const pair = pairOf(text, path);
  if (pair === undefined) return put(text, path, literal([item]));
  return insertItem(text, listAt(text, pair.value.start), literal(item), { eol: eolOf(text) });
}

function take(text: string, path: SettingsPath, item: string): string {
  const pair = pairOf(text, path);
  if (pair === undefined) return text;
  const list = listAt(text, pair.value.start);
  const found = list.items.find(({ start, end }) => isWritten(text.slice(start, end), item));
  if (found === undefined) return text;
  return list.items.length === 1
    ? drop(text, path)
    : take(removeItem(text, list, found), path, item);
}

function isWritten(written: string, item: string): boolean {
  return written === `'${item}'` || written === literal(item);
}

function append(text: string, table: SettingsPath, line: string): string {
  const eol = eolOf(text);
  const ends = text === "" || text.endsWith("\n");
  const gap = text === "" ? "" : ends ? eol : eol + eol;
  return `${text}${gap}[${table.join(".")}]${eol}${line}${ends ? eol : ""}`;
}

function insertLine(text: string, after: TomlStatement, line: string): string {
  const eol = eolOf(text);
  const { start, end } = after.line;
  const indent = /^[ \t]*/.exec(text.slice(start, end))?.[0] ?? "";
  const ends = text[end - 1] === "\n";
  const put = ends ? `${indent}${line}${eol}` : `${eol}${indent}${line}`;
  return splice(text, { start: end, end }, put);
}

/** Where the last line has no end, the one before it then has none. */
function removeLines(text: string, lines: Span): string {
  const isOpen = lines.end === text.length && !text.endsWith("\n");
  const before = isOpen ? (/\r?\n$/.exec(text.slice(0, lines.start))?.[0].length ?? 0) : 0;
  return splice(text, { start: lines.start - before, end: lines.end }, "");
}

function pairOf(text: string, path: SettingsPath): TomlPair | undefined {
  return scanToml(text).find(
    (one): one is TomlPair => one.kind === "pair" && isDeepStrictEqual(one.path, path),
  );
}

function headerOf(
  statements: readonly TomlStatement[],
  path: SettingsPath,
): TomlHeader | undefined {
  return statements.find(
    (one): one is TomlHeader => one.kind === "header" && isDeepStrictEqual(one.path, path),
  );
}

/** The pairs below a header, up to the next. */
function sectionOf(statements: readonly TomlStatement[], header: TomlHeader): TomlStatement[] {
  const below = statements.slice(statements.indexOf(header) + 1);
  const next = below.findIndex(({ kind }) => kind === "header");
  return next === -1 ? below : below.slice(0, next);
}

function startsWith(path: SettingsPath, prefix: SettingsPath): boolean {
  return isDeepStrictEqual(path.slice(0, prefix.length), prefix);
}

/** JSON's way to write strings, numbers and truth is TOML's, but for one character. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  return JSON.stringify(value).replaceAll("\x7f", "\\u007f");
}

function eolOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n";
}
