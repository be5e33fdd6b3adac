/** Where the statements of a TOML text stand; the text is one that a parser has accepted. */
import { isContent, type Span, tokensFrom } from "./token.ts";

export type TomlStatement = TomlHeader | TomlPair;

export interface TomlHeader {
  readonly kind: "header";
  readonly path: readonly string[];
  readonly line: Span;
}

export interface TomlPair {
  readonly kind: "pair";
  /** With the table it stands in. */
  readonly path: readonly string[];
  readonly table: readonly string[];
  readonly key: Span;
  readonly value: Span;
  /** All its lines, with the end of the last. */
  readonly line: Span;
}

/** What stands in an entry of a list of tables is at no path that is looked for. */
const ENTRY = "\0";

const SPACE = /[ \t]*/y;
const NAME = /[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s.=\]"'#]+)[ \t]*/y;

/** The statements of a text, in their order. */
export function scanToml(text: string): TomlStatement[] {
  const statements: TomlStatement[] = [];
  let table: readonly string[] = [];
  for (let at = 0; at < text.length; ) {
    SPACE.lastIndex = at;
    const space = { start: at, end: at + (SPACE.exec(text)?.[0].length ?? 0) };
    const statement = statementAt(text, space, table);
    at = statement?.line.end ?? afterLine(text, space.end);
    if (statement === undefined) continue;
    statements.push(statement);
    if (statement.kind === "header") table = statement.path;
  }
  return statements;
}

/** The statement behind the white space of a line, or nothing where there is none. */
function statementAt(
  text: string,
  space: Span,
  table: readonly string[],
): TomlStatement | undefined {
  const first = text[space.end];
  if (first === undefined || /[\r\n#\s]/.test(first)) return undefined;
  return first === "[" ? headerAt(text, space) : pairAt(text, space, table);
}

function headerAt(text: string, space: Span): TomlHeader {
  const isEntry = text.startsWith("[[", space.end);
  const { path, end } = namesAt(text, space.end + (isEntry ? 2 : 1));
  return {
    kind: "header",
    path: isEntry ? [...path, ENTRY] : path,
    line: { start: space.start, end: afterLine(text, end) },
  };
}

function pairAt(text: string, space: Span, table: readonly string[]): TomlPair {
  const { path, end } = namesAt(text, space.end);
  const value = valueAfter(text, text.indexOf("=", end) + 1);
  return {
    kind: "pair",
    path: [...table, ...path],
    table,
    key: { start: space.end, end: space.end + text.slice(space.end, end).trimEnd().length },
    value,
    line: { start: space.start, end: afterLine(text, value.end) },
  };
}

/** Names with dots between them. */
function namesAt(text: string, from: number): { path: string[]; end: number } {
  const path: string[] = [];
  for (let at = from; ; at += 1) {
    NAME.lastIndex = at;
    const match = NAME.exec(text);
    if (match === null) return { path, end: at };
    path.push(nameOf(match[1] ?? ""));
    at += match[0].length;
    if (text[at] !== ".") return { path, end: at };
  }
}

/** An escape that JSON does not know stays as it is: such a name is none that is looked for. */
function nameOf(written: string): string {
  if (written.startsWith("'")) return written.slice(1, -1);
  if (!written.startsWith('"')) return written;
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
}

function valueAfter(text: string, from: number): Span {
  let value: Span | undefined;
  for (const { kind, depth, start, end } of tokensFrom(text, from)) {
    if (depth === 0 && (kind === "line" || kind === "comment")) break;
    if (isContent(kind)) value = { start: value?.start ?? start, end };
  }
  return value ?? { start: from, end: from };
}

function afterLine(text: string, place: number): number {
  const end = text.indexOf("\n", place);
  return end === -1 ? text.length : end + 1;
}
