/**
 * A text with one kind of line end, and the way back to what it was.
 *
 * A model writes `\n` whatever a file has. It is matched against this view, and
 * what it matched is cut out of the original, whose other lines keep their ends.
 */
export class LineView {
  readonly text: string;
  readonly #original: string;
  readonly #blocks: readonly Block[];

  constructor(original: string) {
    this.#original = original;
    const blocks: Block[] = [];
    const parts: string[] = [];
    for (let at = 0, view = 0; at < original.length; ) {
      const end = blockEnd(original, at);
      const part = original.slice(at, end).split("\r\n").join("\n");
      blocks.push({ at, view });
      parts.push(part);
      view += part.length;
      at = end;
    }
    this.text = parts.join("");
    this.#blocks = blocks;
  }

  /** Where a place of the view is in the original; in front of a line end is in front of all of it. */
  originalOf(place: number): number {
    let { at, view } = this.#blocks.findLast((block) => block.view <= place) ?? FIRST;
    for (; view < place; view += 1) at += isPair(this.#original, at) ? 2 : 1;
    return at;
  }
}

/** Where a part of the original begins, there and in the view. Each line end would be too many to keep. */
interface Block {
  readonly at: number;
  readonly view: number;
}

const FIRST: Block = { at: 0, view: 0 };
const BLOCK = 1 << 16;
const RETURN = 0x0d;
const NEW_LINE = 0x0a;

/** Not within a line end. */
function blockEnd(text: string, at: number): number {
  const end = at + BLOCK;
  return isPair(text, end - 1) ? end + 1 : end;
}

function isPair(text: string, at: number): boolean {
  return text.charCodeAt(at) === RETURN && text.charCodeAt(at + 1) === NEW_LINE;
}
