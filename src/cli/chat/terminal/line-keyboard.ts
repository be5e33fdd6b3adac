/** Lines of a pipe, a file, or a terminal that can only do lines. */
import { isUtf8 } from "node:buffer";
import net from "node:net";
import type { Readable } from "node:stream";
import { ReadStream } from "node:tty";
import { ChatInputError } from "../commands/chat-command.ts";
import { ByteLines } from "./byte-lines.ts";
import type { Keyboard } from "./keyboard.ts";
import { takeTyped } from "./take-typed.ts";
import { WantedLines } from "./wanted-lines.ts";

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
  readonly #lines = new ByteLines();
  readonly #prompt: (text: string) => void;
  readonly #waiting: Buffer[] = [];
  readonly #wanted = new WantedLines<Buffer>();
  #isOver = false;

  constructor({ input, isPerson, prompt }: LineKeyboardOptions) {
    this.#input = input;
    this.asksAgain = isPerson;
    this.echoes = !isPerson;
    this.#prompt = isPerson ? prompt : () => {};
    input.on("data", (chunk: Buffer | string) => {
      this.#read(this.#lines.push(Buffer.from(chunk)));
    });
    input.on("end", () => this.#read(this.#lines.finish()));
    for (const end of ["end", "error", "close"]) input.on(end, () => this.#end());
  }

  async line(): Promise<string | undefined> {
    const line = await this.#next("line");
    return line && textOf(line);
  }

  /** A person began it before they saw what is asked; a pipe has its answer ready. */
  async unsay(): Promise<void> {
    if (this.#input instanceof ReadStream) await takeTyped(this.#input);
    if (this.asksAgain) this.#lines.finish();
  }

  async answer(signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted) return undefined;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const stop = () => {
      if (this.#wanted.first === "answer") this.#hand(undefined);
    };
    signal.addEventListener("abort", stop, { once: true });
    // What cannot be read is none of the answers.
    void this.#next("answer").then((line) => resolve(line?.toString()));
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

  #next(kind: "line" | "answer"): Promise<Buffer | undefined> {
    const next = this.#wanted.wait(kind);
    this.#serve();
    return next;
  }

  /** Hands over what waits, and asks for more where nothing does. */
  #serve(): void {
    const { first } = this.#wanted;
    if (first === undefined) return;
    const line = this.#mayTake(first) ? this.#waiting.shift() : undefined;
    if (line !== undefined || this.#isOver) this.#hand(line);
    else {
      this.#prompt(first === "line" ? "> " : "? ");
      this.#input.resume();
    }
  }

  /** What a person typed before they saw a question does not answer it, and is a line all the same. */
  #mayTake(kind: "line" | "answer"): boolean {
    return kind === "line" || !this.asksAgain;
  }

  /** A pipe that is faster than turns waits; what a person types is read at once, to know what came before a question. */
  #read(lines: readonly Buffer[]): void {
    if (this.#isOver) return;
    for (const line of lines) {
      if (this.#wanted.first !== undefined) this.#hand(line);
      else this.#waiting.push(line);
    }
    if (this.#waiting.length > 0 && !this.asksAgain) this.#input.pause();
  }

  #end(): void {
    this.#isOver = true;
    this.#wanted.end();
  }

  #hand(line: Buffer | undefined): void {
    this.#wanted.hand(line);
    this.#serve();
  }
}

const SHOWN_CHARS = 100;

/** Put right it would be another line than was typed. Throws where it is none. */
function textOf(line: Buffer): string {
  if (isUtf8(line)) return line.toString();
  const shown = JSON.stringify(line.toString().slice(0, SHOWN_CHARS));
  throw new ChatInputError(`Cannot take the line ${shown}: it is not UTF-8, expected text that is`);
}
