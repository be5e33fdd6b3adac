/**
 * Reads the patches that models were taught to write.
 *
 * Pure, and strict: what is not understood is refused with its line, for half a
 * patch is another patch.
 */
import { PatchError } from "./patch-error.ts";

/** Lines that go and come at one place of a file. */
export interface PatchChunk {
  /** Of the patch, from 1. */
  readonly line: number;
  /** A line of the file that comes before the place; null where none is named. */
  readonly after: string | null;
  readonly old: readonly string[];
  readonly new: readonly string[];
  /** Of each new line, which of the old ones it is; null for one that comes. */
  readonly kept: readonly (number | null)[];
  readonly isAtEnd: boolean;
}

export type PatchStep =
  | { readonly kind: "add"; readonly path: string; readonly line: number; readonly content: string }
  | { readonly kind: "delete"; readonly path: string; readonly line: number }
  | {
      readonly kind: "update";
      readonly path: string;
      readonly line: number;
      readonly movePath: string | null;
      readonly chunks: readonly PatchChunk[];
    };

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const END_OF_FILE = "*** End of File";
const MOVE = "*** Move to: ";
const STEP = /^\*\*\* (Add|Delete|Update) File:(.*)$/;
const MOST_STEPS = 500;

/** The steps in order. Throws {@link PatchError}. */
export function parsePatch(text: string): PatchStep[] {
  const lines = new PatchLines(text);
  lines.demand(BEGIN);
  const steps: PatchStep[] = [];
  while (lines.current !== END) {
    steps.push(parseStep(lines));
    if (steps.length > MOST_STEPS) throw lines.error(`it has more than ${MOST_STEPS} files`);
  }
  lines.demand(END);
  if (lines.current !== undefined) throw lines.error("something follows the end, expected nothing");
  if (steps.length === 0) throw new PatchError(1, "it changes no file, expected one that does");
  return steps;
}

class PatchLines {
  readonly #lines: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#lines = text.replaceAll("\r\n", "\n").trim().split("\n");
  }

  /** From 1. */
  get number(): number {
    return this.#at + 1;
  }

  /** Undefined after the last. */
  get current(): string | undefined {
    const line = this.#lines[this.#at];
    return line?.startsWith("***") ? line.trimEnd() : line;
  }

  /** Whether a step, or the patch, ends here. */
  get isMark(): boolean {
    const line = this.current;
    return line === undefined || line === END || STEP.test(line);
  }

  next(): void {
    this.#at += 1;
  }

  demand(mark: string): void {
    if (this.current !== mark) throw this.error(`expected "${mark}"`);
    this.next();
  }

  error(problem: string): PatchError {
    const line = this.current;
    const found = line === undefined ? "it ends here" : JSON.stringify(line.slice(0, 100));
    return new PatchError(this.number, `${found}: ${problem}`);
  }
}

function parseStep(lines: PatchLines): PatchStep {
  const { number: line } = lines;
  const [, verb, rest = ""] = STEP.exec(lines.current ?? "") ?? [];
  if (verb === undefined)
    throw lines.error(
      `expected "*** Add File: ", "*** Delete File: ", "*** Update File: " or "${END}"`,
    );
  const path = pathOf(rest, lines);
  lines.next();
  if (verb === "Add") return { kind: "add", path, line, content: parseContent(lines) };
  if (verb === "Delete") return { kind: "delete", path, line };
  return parseUpdate(lines, { path, line });
}

function pathOf(text: string, lines: PatchLines): string {
  const path = text.trim();
  if (path === "" || path.includes("\0")) throw lines.error("it names no path, expected one");
  return path;
}

function parseContent(lines: PatchLines): string {
  const content: string[] = [];
  while (!lines.isMark) {
    const line = lines.current ?? "";
    if (!line.startsWith("+")) throw lines.error('expected a line of the new file, with "+"');
    content.push(`${line.slice(1)}\n`);
    lines.next();
  }
  if (content.length === 0) throw lines.error("the new file has no lines, expected some");
  return content.join("");
}

function parseUpdate(
  lines: PatchLines,
  { path, line }: { readonly path: string; readonly line: number },
): PatchStep {
  const movePath = parseMove(lines);
  const chunks: PatchChunk[] = [];
  while (!lines.isMark) chunks.push(parseChunk(lines, chunks.length === 0));
  if (chunks.length > 0) return { kind: "update", path, line, movePath, chunks };
  throw lines.error("the update has no lines, expected some");
}

function parseMove(lines: PatchLines): string | null {
  const line = lines.current;
  if (!line?.startsWith(MOVE)) return null;
  const path = pathOf(line.slice(MOVE.length), lines);
  lines.next();
  return path;
}

function parseChunk(lines: PatchLines, isFirst: boolean): PatchChunk {
  const { number: line } = lines;
  const after = parsePlace(lines, isFirst);
  const chunk: OpenChunk = { old: [], new: [], kept: [] };
  let isAtEnd = false;
  while (!isAtEnd && !lines.isMark && !isPlace(lines.current ?? "")) {
    if (lines.current === END_OF_FILE) isAtEnd = true;
    else addLine(chunk, lines);
    lines.next();
  }
  if (chunk.old.length + chunk.new.length > 0) return { line, after, ...chunk, isAtEnd };
  throw lines.error("there are no lines here, expected some that go or come");
}

const isPlace = (line: string) => line === "@@" || line.startsWith("@@ ");

/** The first place may be left out. */
function parsePlace(lines: PatchLines, isFirst: boolean): string | null {
  const line = lines.current ?? "";
  if (!isPlace(line)) {
    if (isFirst) return null;
    throw lines.error('expected "@@"');
  }
  lines.next();
  const named = line.slice(3);
  return named.trim() === "" ? null : named;
}

interface OpenChunk {
  readonly old: string[];
  readonly new: string[];
  readonly kept: (number | null)[];
}

function addLine(chunk: OpenChunk, lines: PatchLines): void {
  const line = lines.current ?? "";
  const text = line.slice(1);
  switch (line[0]) {
    case "-":
      chunk.old.push(text);
      return;
    case "+":
      chunk.new.push(text);
      chunk.kept.push(null);
      return;
    case " ":
    case undefined:
      chunk.kept.push(chunk.old.length);
      chunk.old.push(text);
      chunk.new.push(text);
      return;
    default:
      throw lines.error('expected a line that begins with " ", "-" or "+"');
  }
}
