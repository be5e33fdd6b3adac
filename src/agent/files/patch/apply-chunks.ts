/**
 * Puts the chunks of a patch into a text, in order and each after the one before.
 *
 * Pure. A place is looked for as it is written, then without white space at the
 * end of lines, then without any around them: models do not copy it well.
 */
import { countLines, type FileLine, FileLines, type WhereToLook } from "./file-lines.ts";
import type { PatchChunk } from "./parse-patch.ts";
import { PatchError } from "./patch-error.ts";

/** Where a chunk is. */
interface Place {
  readonly at: number;
  readonly old: readonly string[];
  readonly new: readonly string[];
  readonly kept: readonly (number | null)[];
}

/** A line that comes has the end of the place; one that stays has its own. */
type NewLine = Pick<FileLine, "text"> & Partial<FileLine>;

const BYTE_ORDER_MARK = "\ufeff";

/**
 * The new text. What no chunk changes stays as it is, with its line ends and the mark in front; only
 * the last line gets an end. Throws {@link PatchError} where a place is not found.
 */
export function applyChunks(text: string, chunks: readonly PatchChunk[]): string {
  if (text.startsWith(BYTE_ORDER_MARK)) {
    const rest = applyChunks(text.slice(BYTE_ORDER_MARK.length), chunks);
    return rest.startsWith(BYTE_ORDER_MARK) ? rest : BYTE_ORDER_MARK + rest;
  }
  refuseMany(text, chunks);
  const lines = new FileLines(text);
  const parts: string[] = [];
  let [done, from] = [0, 0];
  for (const chunk of chunks) {
    const place = placeOf(lines, chunk, from);
    const { at, gone, come } = changeAt(place, lines);
    const { end } = lines.all[at] ?? lines.all[at - 1] ?? { end: "\n" };
    parts.push(textOf(lines, done, at), come.map((line) => line.text + (line.end ?? end)).join(""));
    done = at + gone;
    from = place.at + place.old.length;
  }
  return [...parts, textOf(lines, done, lines.all.length)].join("");
}

/** What is made of them takes a hundred times the room of a short line. */
const MOST_LINES = 2_500_000;

function refuseMany(text: string, [first]: readonly PatchChunk[]): void {
  const lines = countLines(text);
  if (lines <= MOST_LINES) return;
  const what = `the file has ${lines} lines, expected at most ${MOST_LINES}`;
  throw new PatchError(first?.line ?? 1, `${what}. A command can change it`);
}

function textOf({ all }: FileLines, start: number, end: number): string {
  const lines = all.slice(start, end);
  return lines.map((line) => line.text + line.end).join("");
}

/** Lines at its edges that go and come again only say where it is; one between changes stays as the file has it. */
function changeAt(place: Place, { all }: FileLines) {
  const { at, old, new: come, kept } = place;
  const most = Math.min(old.length, come.length);
  let [head, tail] = [0, 0];
  while (head < most && old[head] === come[head]) head += 1;
  while (tail < most - head && old.at(-1 - tail) === come.at(-1 - tail)) tail += 1;
  return {
    at: at + head,
    gone: old.length - head - tail,
    come: come.slice(head, come.length - tail).map((text, index): NewLine => {
      const from = kept[head + index] ?? old.length;
      return (from < old.length ? all[at + from] : undefined) ?? { text };
    }),
  };
}

function placeOf(lines: FileLines, chunk: PatchChunk, from: number): Place {
  const start = chunk.after === null ? from : placeAfter(lines, chunk, from);
  if (chunk.old.length === 0) {
    const at = chunk.after === null ? lines.all.length : start;
    return { ...chunk, at };
  }
  const where = { from: start, isAtEnd: chunk.isAtEnd };
  const at = find(lines, chunk, where);
  return at === undefined ? placeWithoutLastLine(lines, chunk, where) : { ...chunk, at };
}

function placeAfter(lines: FileLines, chunk: PatchChunk, from: number): number {
  const after = chunk.after ?? "";
  const at = find(lines, { old: [after], line: chunk.line }, { from, isAtEnd: false });
  if (at !== undefined) return at + 1;
  throw new PatchError(chunk.line, `there is no line ${shown(after)} in the file, expected one`);
}

/** An empty line at the end of a chunk often stands for the end of the file. */
function placeWithoutLastLine(lines: FileLines, chunk: PatchChunk, where: WhereToLook): Place {
  const { line } = chunk;
  const old = chunk.old.slice(0, -1);
  if (chunk.old.at(-1) === "" && old.length > 0) {
    const at = find(lines, { old, line }, where);
    const come = chunk.new.at(-1) === "" ? chunk.new.slice(0, -1) : chunk.new;
    if (at !== undefined) return { ...chunk, at, old, new: come };
  }
  const what = `the file has no lines ${shown(chunk.old.join("\n"))} here`;
  throw new PatchError(line, `${what}, expected them as they are in the file`);
}

function find(
  lines: FileLines,
  { old, line }: Pick<PatchChunk, "old" | "line">,
  where: WhereToLook,
): number | undefined {
  const at = lines.find(old, where);
  if (at !== "tooLong") return at;
  throw new PatchError(line, "it takes too long to find its place, expected fewer or shorter ones");
}

function shown(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
