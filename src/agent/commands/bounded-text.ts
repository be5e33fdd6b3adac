/**
 * The beginning and the end of what a command printed, however much it was.
 *
 * It holds text: bytes of one stream are decoded before they come here, so that
 * a character that arrived in two parts is one.
 */
export class BoundedText {
  readonly #half: number;
  #head = "";
  #tail = "";
  #total = 0;

  /** `most` is in UTF-16 units. */
  constructor(most: number) {
    this.#half = halfOf(most);
  }

  /** All that was added, kept or not. */
  get total(): number {
    return this.#total;
  }

  add(text: string): void {
    const room = this.#half - this.#head.length;
    this.#total += text.length;
    if (room > 0) this.#head += text.slice(0, room);
    if (text.length <= room) return;
    this.#tail += text.slice(Math.max(0, room));
    // Now and then, so that many small parts cost no more than they are.
    if (this.#tail.length > 4 * this.#half) this.#tail = this.#tail.slice(-this.#half);
  }

  /** What is kept, or at most so much of it, with a line that says how much is not. */
  render(most = Number.POSITIVE_INFINITY): string {
    const half = Math.min(this.#half, halfOf(most));
    const head = this.#head.slice(0, half);
    const tail = (this.#head.slice(half) + this.#tail).slice(-half);
    const missing = this.#total - head.length - tail.length;
    if (missing === 0) return head + tail;
    return `${head}\n[${missing} of ${this.#total} characters left out]\n${tail}`.toWellFormed();
  }
}

function halfOf(most: number): number {
  return Math.max(1, Math.floor(most / 2));
}
