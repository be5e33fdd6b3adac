/**
 * Puts the chunks of a patch into a text, in order and each after the one before.
 *
 * Pure. A place is looked for as it is written, then without white space at the
 * end of lines, then without any around them: models do not copy it well.
 */
import type { PatchChunk } from "./parse-patch.ts";
import { PatchError } from "./patch-error.ts";

interface Splice {
  readonly at: number;
  readonly gone: number;
  readonly come: readonly string[];
}

const LIKENESS: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
];

/** The new text, with the line ends of the old one. Throws {@link PatchError} where a place is not found. */
export function applyChunks(text: string, chunks: readonly PatchChunk[]): string {
  const lineEnd = /\r\n/.test(text) ? "\r\n" : "\n";
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  let from = 0;
  const splices = chunks.map((chunk) => {
    const splice = spliceOf(lines, chunk, from);
    from = splice.at + splice.gone;
    return splice;
  });
  for (const { at, gone, come } of splices.toReversed()) lines.splice(at, gone, ...come);
  return lines.map((line) => line + lineEnd).join("");
}

function spliceOf(lines: readonly string[], chunk: PatchChunk, from: number): Splice {
  const start = chunk.after === null ? from : placeAfter(lines, chunk, from);
  if (chunk.old.length === 0) {
    const at = chunk.after === null ? lines.length : start;
    return { at, gone: 0, come: chunk.new };
  }
  const found = find(lines, chunk.old, { from: start, isAtEnd: chunk.isAtEnd });
  if (found !== undefined) return { at: found, gone: chunk.old.length, come: chunk.new };
  return withoutLastLine(lines, chunk, start);
}

function placeAfter(lines: readonly string[], { after, line }: PatchChunk, from: number): number {
  const at = find(lines, [after ?? ""], { from, isAtEnd: false });
  if (at !== undefined) return at + 1;
  throw new PatchError(line, `there is no line ${shown(after ?? "")} in the file, expected one`);
}

/** An empty line at the end of a chunk often stands for the end of the file. */
function withoutLastLine(lines: readonly string[], chunk: PatchChunk, from: number): Splice {
  const old = chunk.old.slice(0, -1);
  if (chunk.old.at(-1) === "" && old.length > 0) {
    const at = find(lines, old, { from, isAtEnd: chunk.isAtEnd });
    const come = chunk.new.at(-1) === "" ? chunk.new.slice(0, -1) : chunk.new;
    if (at !== undefined) return { at, gone: old.length, come };
  }
  const what = `the file has no lines ${shown(chunk.old.join("\n"))} here`;
  throw new PatchError(chunk.line, `${what}, expected them as they are in the file`);
}

function find(
  lines: readonly string[],
  wanted: readonly string[],
  { from, isAtEnd }: { readonly from: number; readonly isAtEnd: boolean },
): number | undefined {
  const last = lines.length - wanted.length;
  const first = isAtEnd ? Math.max(from, last) : from;
  for (const like of LIKENESS) {
    const same = wanted.map(like);
    for (let at = first; at <= last; at += 1) {
      if (same.every((line, index) => like(lines[at + index] ?? "") === line)) return at;
    }
  }
  return undefined;
}

function shown(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
