/**
 * Hands what a command says from whoever follows a command to whoever reads it, a piece at a time.
 *
 * The one waits for the other, so that a slow reader holds the command up and
 * nothing piles up here. Once nobody reads any more, pieces are let go.
 */
export class OutputHandover<Piece> implements AsyncIterable<Piece> {
  #held: Piece | undefined;
  #taken = Promise.withResolvers<void>();
  #news = Promise.withResolvers<void>();
  #failure: Error | undefined;
  #isOver = false;
  #isUnread = false;

  /** Settles once it was taken, or is let go. */
  async give(piece: Piece): Promise<void> {
    if (this.#isUnread) return;
    this.#held = piece;
    this.#taken = Promise.withResolvers();
    this.#news.resolve();
    await this.#taken.promise;
  }

  /** Nothing follows; with an error, because it will never be known. */
  end(failure?: Error): void {
    this.#isOver = true;
    this.#failure = failure;
    this.#news.resolve();
  }

  /** Nobody is waited for any more. */
  letGo(): void {
    this.#isUnread = true;
    this.#take();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Piece, void, void> {
    try {
      for (;;) {
        const piece = this.#take();
        if (piece !== undefined) yield piece;
        else if (this.#failure !== undefined) throw this.#failure;
        else if (this.#isOver) return;
        else await this.#hear();
      }
    } finally {
      this.letGo();
    }
  }

  #take(): Piece | undefined {
    const piece = this.#held;
    this.#held = undefined;
    this.#taken.resolve();
    return piece;
  }

  async #hear(): Promise<void> {
    await this.#news.promise;
    this.#news = Promise.withResolvers();
  }
}
