/** How much of what a server printed is kept to say why it ended. */
const MOST_KEPT = 2048;
const MOST_LINES = 5;

/** The end of what one process printed for people. */
export class LastWords {
  readonly #decoder = new TextDecoder();
  #text = "";

  add(chunk: Uint8Array): void {
    const text = this.#text + this.#decoder.decode(chunk, { stream: true });
    this.#text = text.slice(-MOST_KEPT);
  }

  /** What it said last; empty where it said nothing. */
  get text(): string {
    // It is read by a model or shown in a terminal.
    const plain = this.#text.replace(/[^\P{Cc}\n]/gu, " ").toWellFormed();
    const lines = plain.split("\n").filter((line) => line.trim() !== "");
    return lines.slice(-MOST_LINES).join("\n");
  }
}
