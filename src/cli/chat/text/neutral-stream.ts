/**
 * Text of strangers for a terminal, in the pieces in which it comes.
 *
 * A terminal obeys some characters and turns its reading direction by others. Here only line
 * breaks and tabs are left of them; the rest is written out, so that nothing is hidden and nothing
 * is obeyed. Colours are dropped: they say nothing. Where a piece ends makes no difference.
 */

/** The beginning of colours, and of "clear to the end of the line", which tools print with them. */
const COLOUR = String.raw`\u001b\[[0-9;:]{0,32}`;
/** What has no look of its own; but for the signs that say how a picture is drawn. */
const UNSEEN = String.raw`(?![\ufe0e\ufe0f])\p{DI}|\u2800`;
const SPECIAL = new RegExp(
  `${COLOUR}[mK]|\\r\\n?|[\\p{Cc}\\p{Cf}\\p{Cs}\\u2028\\u2029]|${UNSEEN}`,
  "gu",
);
/** What the next piece may complete. */
const UNFINISHED = new RegExp(`(?:${COLOUR}|\\r|\\u001b|[\\ud800-\\udbff])$`);

export class NeutralStream {
  #held = "";

  /** What can be shown now. */
  write(piece: string): string {
    const text = this.#held + piece;
    this.#held = UNFINISHED.exec(text)?.[0] ?? "";
    return neutral(text.slice(0, text.length - this.#held.length));
  }

  /** The rest, when nothing more comes. */
  end(): string {
    const rest = this.#held;
    this.#held = "";
    return neutral(rest);
  }
}

function neutral(text: string): string {
  return text.replace(SPECIAL, (found) => {
    if (found === "\n" || found === "\t") return found;
    // Alone it would let what follows be written over what was shown.
    if (found.startsWith("\r")) return "\n";
    if (found.length > 1 && found.startsWith("\u001b")) return "";
    const code = found.codePointAt(0) ?? 0;
    return code >= 0xd800 && code <= 0xdfff ? "\ufffd" : `\\u{${code.toString(16)}}`;
  });
}
