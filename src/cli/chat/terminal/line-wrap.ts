/**
 * Breaks lines before the terminal does, and puts their mark before each part.
 *
 * Where the terminal breaks one, whoever wrote it begins the next row, and could begin it with the
 * mark of somebody else.
 */

/** It takes no room. */
const COLOUR = String.raw`\u001b\[[0-9;]*m`;
const PIECES = new RegExp(`${COLOUR}|[\\s\\S]`, "gu");
const MARK_CHARACTERS = 2;
const TAB_COLUMNS = 8;
/** Less is no terminal to read in. */
const FEWEST_COLUMNS = 20;

export class LineWrap {
  readonly #columns: () => number;
  #column = 0;
  #mark = "";

  constructor(columns: () => number) {
    this.#columns = columns;
  }

  /** The next piece of what is shown, which goes on where the last one ended. */
  wrap(text: string): string {
    const most = Math.max(FEWEST_COLUMNS, this.#columns());
    let shown = "";
    for (const [piece] of text.matchAll(PIECES)) shown += this.#next(piece, most);
    return shown;
  }

  #next(piece: string, most: number): string {
    if (piece === "\n") {
      this.#column = 0;
      this.#mark = "";
      return piece;
    }
    if (piece.length > 1 && piece.startsWith("\u001b")) return piece;
    if (this.#mark.length < MARK_CHARACTERS) this.#mark += piece;
    const end = endOf(piece, this.#column);
    if (end <= most) {
      this.#column = end;
      return piece;
    }
    this.#column = endOf(piece, this.#mark.length);
    return `\n${this.#mark}${piece}`;
  }
}

/** The column behind a character; where terminals differ, the one that is further. */
function endOf(piece: string, column: number): number {
  if (piece === "\t") return (Math.floor(column / TAB_COLUMNS) + 1) * TAB_COLUMNS;
  return column + (isNarrow(piece.codePointAt(0) ?? 0) ? 1 : 2);
}

/** Below the first wide letters, and marks, arrows and lines of boxes. */
function isNarrow(code: number): boolean {
  return code < 0x1100 || (code >= 0x2010 && code < 0x2300) || (code >= 0x2500 && code < 0x25a0);
}
