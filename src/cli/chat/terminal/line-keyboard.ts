/** Lines of a pipe, a file, or a terminal that can only do lines. */
import { isUtf8 } from "node:buffer";
import net from "node:net";
import type { Readable } from "node:stream";
import { ChatInputError } from "../commands/chat-command.ts";
import { ByteLines } from "./byte-lines.ts";
import type { Keyboard } from "./keyboard.ts";

export interface LineKeyboardOptions {
  readonly input: Readable;
  /** Whether a person types them. */
  readonly isPerson: boolean;
  /** Called before a person has to type. */
  readonly prompt: (text: string) => void;
}

type Wanted = (line: Buffer | undefined) => void;

/** Line by line. What is read too early waits for its turn. */
export class LineKeyboard implements Keyboard {
  readonly asksAgain: boolean;
  readonly echoes: boolean;
  readonly #input: Readable;
  readonly #lines = new ByteLines();
  readonly #prompt: (text: string) => void;
  readonly #waiting: Buffer[] = [];
  /** Who waits for a line; behind a question, where one is open. */
  #line: Wanted | undefined;
  #answer: Wanted | undefined;
  #isOver = false;

  constructor({ input, isPerson, prompt }: LineKeyboardOptions) {
    this.#input = input;
    this.asksAgain = isPerson;
    this.echoes = !isPerson;
    this.#prompt = isPerson ? prompt : () => {};
    input.on("data", (chunk: Buffer | string) => this.#read(this.#lines.push(Buffer.from(chunk))));
    input.on("end", () => this.#read(this.#lines.finish()));
    for (const end of ["end", "error", "close"]) input.on(end, () => this.#end());
  }

  async line(): Promise<string | undefined> {
    const line = await this.#next((wanted) => (this.#line = wanted));
    return line && textOf(line);
  }

  answer(signal: AbortSignal): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const stop = () => {
      if (this.#answer !== undefined) this.#hand(undefined);
    };
    signal.addEventListener("abort", stop, { once: true });
    // What cannot be read is none of the answers.
    void this.#next((wanted) => (this.#answer = wanted)).then((line) => resolve(line?.toString()));
    return promise.finally(() => signal.removeEventListener("abort", stop));
  }

  /** Lines of a pipe come when it is their turn, however early they were written. */
  heed(): void {}

  /** Who only does lines keeps them. */
  forget(): void {}

  close(): void {
    this.#waiting.length = 0;
    this.#input.pause();
    this.#end();
    // Whoever holds the other end of a pipe need not let go of it for this process to end.
    if (this.#input instanceof net.Socket) this.#input.unref();
  }

  #next(put: (wanted: Wanted) => void): Promise<Buffer | undefined> {
    const { promise, resolve } = Promise.withResolvers<Buffer | undefined>();
    put(resolve);
    this.#ask();
    if (this.#waiting.length > 0 || this.#isOver) this.#hand(this.#waiting.shift());
    else this.#input.resume();
    return promise;
  }

  #ask(): void {
    if (this.#isWanted) this.#prompt(this.#answer === undefined ? "> " : "? ");
  }

  get #isWanted(): boolean {
    return (this.#answer ?? this.#line) !== undefined;
  }

  /** Whoever writes faster than turns take waits. */
  #read(lines: readonly Buffer[]): void {
    if (this.#isOver) return;
    for (const line of lines) {
      if (this.#isWanted) this.#hand(line);
      else this.#waiting.push(line);
    }
    if (this.#waiting.length > 0) this.#input.pause();
  }

  #end(): void {
    this.#isOver = true;
    while (this.#isWanted) this.#hand(undefined);
  }

  /** A question goes first; whoever waited for a line before or behind it still does. */
  #hand(line: Buffer | undefined): void {
    const wanted = this.#answer ?? this.#line;
    if (this.#answer === undefined) this.#line = undefined;
    this.#answer = undefined;
    wanted?.(line);
    if (!this.#isOver) this.#ask();
  }
}

const SHOWN_CHARS = 100;

/** Put right it would be another line than was typed. Throws where it is none. */
function textOf(line: Buffer): string {
  if (isUtf8(line)) return line.toString();
  const shown = JSON.stringify(line.toString().slice(0, SHOWN_CHARS));
  throw new ChatInputError(`Cannot take the line ${shown}: it is not UTF-8, expected text that is`);
}
