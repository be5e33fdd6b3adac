/**
 * What a shell prints, without what only an interactive one says when it is told to exit.
 *
 * It says so on the stream of the cell's errors: such a line is held until something follows it.
 */
type Stream = "stdout" | "stderr";

const FAREWELL = Buffer.from("exit\n");
const NEWLINE = 0x0a;

export class Farewell {
  readonly #print: (bytes: Uint8Array, stream: Stream) => void;
  #held: Buffer = Buffer.alloc(0);
  #last: { readonly stream: Stream; readonly isLine: boolean } = { stream: "stdout", isLine: true };

  constructor(print: (bytes: Uint8Array, stream: Stream) => void) {
    this.#print = print;
  }

  text(bytes: Uint8Array, stream: Stream): void {
    if (stream === "stdout") {
      // Nobody knows which of the two came first.
      this.#say(bytes, stream);
      return;
    }
    const all = Buffer.concat([this.#held, bytes]);
    const isHeld = all.subarray(-FAREWELL.length).equals(FAREWELL);
    const end = isHeld ? all.length - FAREWELL.length : all.length;
    this.#say(all.subarray(0, end), stream);
    this.#held = all.subarray(end);
  }

  /** Prints what was held: the shell goes on. */
  release(): void {
    this.#say(this.#held, "stderr");
    this.#held = Buffer.alloc(0);
  }

  /** A cell is over: a status other than 0 is said, on a line of its own. */
  finish(status: number): void {
    this.release();
    if (status === 0) return;
    const feed = this.#last.stream === "stderr" && !this.#last.isLine ? "\n" : "";
    this.#say(Buffer.from(`${feed}[exit status ${status}]\n`), "stderr");
  }

  #say(bytes: Uint8Array, stream: Stream): void {
    if (bytes.length === 0) return;
    this.#last = { stream, isLine: bytes.at(-1) === NEWLINE };
    this.#print(bytes, stream);
  }
}
