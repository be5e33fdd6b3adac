/**
 * Edits of a text, each of a passage that is there exactly once.
 *
 * Pure. Either all of them apply or none does; what is not edited stays as it
 * is to the last byte, and what is new gets the line ends of its surroundings.
 */
import { Refusal } from "../../refusal.ts";
import { LineView } from "./line-view.ts";
import { Passages } from "./passages.ts";

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
}

/** A passage of the original and what takes its place. */
export interface Change {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

export interface Edited {
  readonly text: string;
  /** In the order of the text. */
  readonly changes: readonly Change[];
}

/** Throws where an edit matches nothing, more than one passage or another edit's, or where nothing changes. */
export function applyEdits(original: string, edits: readonly Edit[]): Edited {
  const view = new LineView(original);
  const source = { original, view, passages: new Passages(view.text) };
  const changes = edits
    .map((edit, index) => changeOf(source, edit, index))
    .sort((a, b) => a.start - b.start);
  changes.forEach((change, index) => {
    const before = changes[index - 1];
    if (before && before.end > change.start) {
      throw refusal("two edits overlap, expected passages apart from each other");
    }
  });
  const text = replaceAll(original, changes);
  if (text === original) throw refusal("the edits change nothing, expected a change");
  return { text, changes };
}

interface Source {
  readonly original: string;
  readonly view: LineView;
  readonly passages: Passages;
}

function changeOf({ original, view, passages }: Source, edit: Edit, index: number): Change {
  const old = edit.oldText.replaceAll("\r\n", "\n");
  const name = `edit ${index + 1}`;
  if (old === "") throw refusal(`${name} has no old text, expected the passage to replace`);
  const found = passages.find(old);
  if (found === "tooLong") {
    throw refusal(`${name} takes too long to find, expected fewer edits of one call, or shorter`);
  }
  const [at, another] = found;
  if (at === undefined)
    throw refusal(`${name} matches nothing, expected text as it is in the file`);
  if (another !== undefined) {
    throw refusal(`${name} matches more than one passage, expected one that is there once`);
  }
  const start = view.originalOf(at);
  const end = view.originalOf(at + old.length);
  const passage = original.slice(start, end);
  const lineEnd = lineEndOf(passage) ?? lineEndOf(original) ?? "\n";
  const replacement = edit.newText.replaceAll("\r\n", "\n").replaceAll("\n", lineEnd);
  return { start, end, replacement };
}

function replaceAll(original: string, changes: readonly Change[]): string {
  let from = 0;
  const parts = changes.flatMap(({ start, end, replacement }) => {
    const kept = original.slice(from, start);
    from = end;
    return [kept, replacement];
  });
  return [...parts, original.slice(from)].join("");
}

/** The first one decides. */
function lineEndOf(text: string): "\r\n" | "\n" | undefined {
  const at = text.indexOf("\n");
  if (at < 0) return undefined;
  return text[at - 1] === "\r" ? "\r\n" : "\n";
}

function refusal(problem: string): Refusal {
  return new Refusal("invalidInput", `Cannot run "editFile": ${problem}`);
}
