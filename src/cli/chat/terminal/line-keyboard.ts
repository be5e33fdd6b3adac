/** Lines of a pipe, a file, or a terminal that can only do lines. */
import net from "node:net";
import { createInterface, type Interface } from "node:readline";
import type { Readable } from "node:stream";
import type { Keyboard } from "./keyboard.ts";

export interface LineKeyboardOptions {
  readonly input: Readable;
  /** Whether a person types them. */
  readonly isPerson: boolean;
  /** Called before a person has to type. */
  readonly prompt: (text: string) => void;
}

/** Line by line. What is read too early waits for its turn. */
export class LineKeyboard implements Keyboard {
  readonly asksAgain: boolean;
  readonly echoes: boolean;
  readonly #input: Readable;
  readonly #lines: Interface;
  readonly #prompt: (text: string) => void;
  readonly #waiting: string[] = [];
  #wanted: ((line: string | undefined) => void) | undefined;
  #isOver = false;

  constructor({ input, isPerson, prompt }: LineKeyboardOptions) {
    this.#input = input;
    this.asksAgain = isPerson;
    this.echoes = !isPerson;
    this.#prompt = isPerson ? prompt : () => {};
    this.#lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY, terminal: false });
    this.#lines.on("line", (line) => this.#take(line));
    this.#lines.on("close", () => {
      this.#isOver = true;
      if (this.#waiting.length === 0) this.#hand(undefined);
    });
  }

  line(): Promise<string | undefined> {
    this.#prompt("> ");
    return this.#next();
  }

  answer(signal: AbortSignal): Promise<string | undefined> {
    this.#prompt("? ");
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const stop = () => {
      this.#wanted = undefined;
      resolve(undefined);
    };
    signal.addEventListener("abort", stop, { once: true });
    void this.#next().then(resolve);
    return promise.finally(() => signal.removeEventListener("abort", stop));
  }

  /** Lines of a pipe come when it is their turn, however early they were written. */
  heed(): void {}

  /** Who only does lines keeps them. */
  forget(): void {}

  close(): void {
    this.#waiting.length = 0;
    this.#lines.close();
    // Whoever holds the other end of a pipe need not let go of it for this process to end.
    if (this.#input instanceof net.Socket) this.#input.unref();
  }

  #next(): Promise<string | undefined> {
    const line = this.#waiting.shift();
    if (line !== undefined || this.#isOver) return Promise.resolve(line);
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.#wanted = resolve;
    this.#lines.resume();
    return promise;
  }

  #take(line: string): void {
    if (this.#wanted !== undefined) this.#hand(line);
    else {
      this.#waiting.push(line);
      // Closing is told while it pauses; what was read by then is kept above.
      if (!this.#isOver) this.#lines.pause();
    }
  }

  #hand(line: string | undefined): void {
    const wanted = this.#wanted;
    this.#wanted = undefined;
    wanted?.(line);
  }
}
