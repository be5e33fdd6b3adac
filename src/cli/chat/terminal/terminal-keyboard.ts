/**
 * A person at a terminal, with a line to edit and a history.
 *
 * While nothing is asked the line is out of sight, and what is typed is handed over or waits for the
 * next prompt. A question is never answered by what was typed before it was seen.
 */
import { clearScreenDown, createInterface, type Interface, moveCursor } from "node:readline";
import { Writable } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import type { Paint } from "../view/paint.ts";
import type { Keyboard } from "./keyboard.ts";
import { WantedLines } from "./wanted-lines.ts";

export interface TerminalKeyboardOptions {
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly paint: Paint;
  /** ^C was pressed. */
  readonly interrupted: () => void;
}

export class TerminalKeyboard implements Keyboard {
  readonly asksAgain = true;
  readonly echoes = false;
  readonly #lines: Interface & { prevRows?: number };
  readonly #output: WriteStream;
  /** In colour, so that what somebody typed is found again between all that came of it. */
  readonly #mark: string;
  readonly #typed: string[] = [];
  #heed: (line: string) => boolean = () => false;
  readonly #wanted = new WantedLines<string>();
  #isOver = false;

  constructor({ input, output, paint, interrupted }: TerminalKeyboardOptions) {
    this.#output = output;
    this.#mark = paint.good("> ");
    const shown = new ShownLine(output, () => this.isPrompting);
    this.#lines = createInterface({ input, output: shown, terminal: true, historySize: 500 });
    output.on("resize", () => shown.emit("resize"));
    this.#lines.on("line", (line) => this.#take(line));
    this.#lines.on("SIGINT", interrupted);
    this.#lines.on("SIGTSTP", () => this.#suspend(input));
    this.#lines.on("close", () => {
      this.#isOver = true;
      // Whoever writes next, perhaps the shell, does not do so behind the mark.
      if (this.isPrompting) this.#output.write("\n");
      this.#wanted.end();
    });
  }

  /** Whether the line that is edited is on the screen. */
  get isPrompting(): boolean {
    return this.#wanted.first !== undefined;
  }

  line(): Promise<string | undefined> {
    return this.#wait("line");
  }

  /** `answer` does. */
  async unsay(): Promise<void> {}

  answer(signal: AbortSignal): Promise<string | undefined> {
    this.forget();
    const stop = () => {
      if (this.#wanted.first !== "answer") return;
      this.forget();
      this.#output.write("\n");
      this.#hand(undefined);
    };
    signal.addEventListener("abort", stop, { once: true });
    return this.#wait("answer").finally(() => signal.removeEventListener("abort", stop));
  }

  heed(typed: (line: string) => boolean): void {
    this.#heed = typed;
  }

  /** Empties the line that is edited. */
  forget(): void {
    if (this.#isOver) return;
    this.#takeAway();
    this.#lines.write(null, { ctrl: true, name: "e" });
    this.#lines.write(null, { ctrl: true, name: "u" });
  }

  /** Takes the prompt away while something else is written. */
  around(write: () => void): void {
    this.#takeAway();
    write();
    if (this.isPrompting) this.#lines.prompt(true);
  }

  close(): void {
    this.#lines.close();
  }

  /** All rows of the line; the editor forgets some, and would look for others where they were. */
  #takeAway(): void {
    if (!this.isPrompting) return;
    moveCursor(this.#output, 0, -this.#lines.getCursorPos().rows);
    this.#output.write("\r");
    clearScreenDown(this.#output);
    this.#lines.prevRows = 0;
  }

  /**
   * ^Z. The process stands still in the middle of it until a shell brings it back; where none can, it
   * goes on at once. The editor's own way waits for that shell, and then hears no key any more.
   */
  #suspend(input: ReadStream): void {
    input.setRawMode(false);
    process.kill(process.pid, "SIGTSTP");
    input.setRawMode(true);
    this.#lines.prevRows = 0;
    if (this.isPrompting) this.#lines.prompt(true);
  }

  #wait(kind: "line" | "answer"): Promise<string | undefined> {
    const typed = this.#wanted.wait(kind);
    this.#serve();
    return typed;
  }

  /** Hands over what was typed early, which is a line and no answer; asks for more where there is none. */
  #serve(): void {
    const early = this.#wanted.first === "line" ? this.#typed.shift() : undefined;
    if (early !== undefined) {
      this.#output.write(`${this.#mark}${early}\n`);
      this.#wanted.hand(early);
    }
    if (this.#isOver) this.#wanted.end();
    else this.#prompt();
  }

  #prompt(): void {
    if (!this.isPrompting) return;
    this.#lines.setPrompt(this.#wanted.first === "line" ? this.#mark : "? ");
    this.#lines.prompt(true);
  }

  #take(line: string): void {
    if (this.isPrompting) this.#hand(line);
    else if (this.#typed.length > 0 || !this.#heed(line)) this.#typed.push(line);
  }

  #hand(line: string | undefined): void {
    this.#wanted.hand(line);
    this.#serve();
  }
}

/** The terminal as the editor of lines sees it: there only while something is asked. */
class ShownLine extends Writable {
  readonly #terminal: WriteStream;
  readonly #isShown: () => boolean;

  constructor(terminal: WriteStream, isShown: () => boolean) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
    this.#isShown = isShown;
  }

  get columns(): number {
    return this.#terminal.columns;
  }

  override _write(text: string | Uint8Array, _encoding: string, done: () => void): void {
    if (this.#isShown()) this.#terminal.write(text);
    done();
  }
}
