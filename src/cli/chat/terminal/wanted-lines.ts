/**
 * Who waits for what is typed: somebody for an answer, somebody for a line, or both.
 *
 * A question goes first; whoever waited for a line before or behind it still does.
 */

type Kind = "answer" | "line";
type Hand<T> = (typed: T | undefined) => void;

export class WantedLines<T> {
  #answer: Hand<T> | undefined;
  #line: Hand<T> | undefined;

  /** What the next line is for; nothing where nobody waits. */
  get first(): Kind | undefined {
    return this.#answer === undefined ? this.#line && "line" : "answer";
  }

  /** Settles with what is typed for it; with nothing where no more comes. */
  wait(kind: Kind): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<T | undefined>();
    if (kind === "answer") this.#answer = resolve;
    else this.#line = resolve;
    return promise;
  }

  hand(typed: T | undefined): void {
    const wanted = this.#answer ?? this.#line;
    if (this.#answer === undefined) this.#line = undefined;
    this.#answer = undefined;
    wanted?.(typed);
  }

  /** Nothing more is typed. */
  end(): void {
    while (this.first !== undefined) this.hand(undefined);
  }
}
