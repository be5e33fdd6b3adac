/**
 * What a shell prints, without what only an interactive one says when it is told to exit.
 *
 * It says so on the stream of the cell's errors: such a line is held until something follows it.
 */
import { withoutTerminal } from "./without-terminal.ts";

type Stream = "stdout" | "stderr";

const FAREWELL = Buffer.from("exit\n");

export class Farewell {
  readonly #print: (bytes: Uint8Array, stream: Stream) => void;
  #held: Buffer = Buffer.alloc(0);

  constructor(print: (bytes: Uint8Array, stream: Stream) => void) {
    this.#print = print;
  }

  text(bytes: Uint8Array, stream: Stream): void {
    if (stream === "stdout") {
      // Nobody knows which of the two came first.
      this.#say(bytes, stream);
      return;
    }
    const all = withoutTerminal(Buffer.concat([this.#held, bytes]));
    const isHeld = all.subarray(-FAREWELL.length).equals(FAREWELL);
    const end = isHeld ? all.length - FAREWELL.length : all.length;
    this.#say(all.subarray(0, end), stream);
    this.#held = all.subarray(end);
  }

  /** Prints what was held: the shell goes on, or a cell is over. */
  release(): void {
    this.#say(this.#held, "stderr");
    this.#held = Buffer.alloc(0);
  }

  #say(bytes: Uint8Array, stream: Stream): void {
    if (bytes.length > 0) this.#print(bytes, stream);
  }
}
