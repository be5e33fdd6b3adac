/**
 * Where `stderr: ` stands.
 *
 * Once before each run of it, on a line of its own. A run that something came
 * between in the middle of a line goes on without another mark.
 */
const MARK = "stderr: ";

export class StderrMarks {
  #last: "none" | "stdout" | "stderr" = "none";
  #isAtLineStart = true;

  /** What stands before `text`, which is not empty and follows what was marked before. */
  markBefore(stream: "stdout" | "stderr", text: string): string {
    const mark = stream === "stdout" || this.#last === "stderr" ? "" : this.#newMark();
    this.#last = stream;
    this.#isAtLineStart = text.endsWith("\n");
    return mark;
  }

  /** Something that is not text stands here: a picture, a line of the server, the end of a reply. */
  interrupt(): void {
    if (this.#last !== "stderr" || this.#isAtLineStart) this.reset();
  }

  /** A new request: nothing before it counts. */
  reset(): void {
    this.#last = "none";
    this.#isAtLineStart = true;
  }

  #newMark(): string {
    return this.#isAtLineStart ? MARK : `\n${MARK}`;
  }
}
