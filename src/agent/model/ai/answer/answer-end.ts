/** How lines begin with which a provider says that its answer is over. */
const LAST_LINE =
  /^(?:data: ?\[DONE\]\r?$|(?:event: ?|data: ?\{ ?"type": ?")(?:response\.(?:completed|failed|incomplete)|message_stop)(?:"|\r?$))/;
const NEW_LINE = 0x0a;
/** Longer than any of them. */
const KEPT_BYTES = 64;

/**
 * Finds the end of an answer in its bytes, in all three dialects.
 *
 * Of each line only the beginning is looked at. No text of a model can begin one, for within JSON there
 * are no line ends. What is spelt otherwise ends with its connection, as it always did.
 */
export class AnswerEnd {
  #line = "";
  #isLast = false;

  /** How much of the chunk belongs to the answer, where it ends there. */
  take(chunk: Uint8Array): number | undefined {
    for (let from = 0; ; ) {
      const end = chunk.indexOf(NEW_LINE, from);
      this.#extend(chunk.subarray(from, end < 0 ? chunk.length : end));
      if (end < 0) return undefined;
      from = end + 1;
      if (this.#endLine()) return from;
    }
  }

  #extend(bytes: Uint8Array): void {
    const room = KEPT_BYTES - this.#line.length;
    if (room > 0) this.#line += Buffer.from(bytes.subarray(0, room)).toString("latin1");
  }

  /** An event is over with an empty line. */
  #endLine(): boolean {
    const line = this.#line;
    this.#line = "";
    if (line === "" || line === "\r") return this.#isLast;
    this.#isLast ||= LAST_LINE.test(line);
    return false;
  }
}
