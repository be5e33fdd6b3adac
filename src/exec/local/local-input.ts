/**
 * What is written to a process on this machine, in the order in which it came.
 *
 * A process that does not read leaves it here. Past a bound it is given a while,
 * once; until it has read something, whatever else does not fit is refused at once.
 */
import type { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { ExecError } from "../exec-error.ts";

export interface InputParts {
  readonly processId: string;
  /** Nothing where the process has no input. */
  readonly stdin: Writable | null;
  readonly isTerminal: boolean;
  /** How long it may take to read some of what it was sent; 5 s when absent. */
  readonly patienceMs?: number | undefined;
}

/** What a process that does not read may leave unread. */
const MOST_UNREAD_BYTES = 16 << 20;
const PATIENCE_MS = 5000;
const LOOK_MS = 20;

export class LocalInput {
  readonly #parts: Omit<InputParts, "stdin">;
  readonly #hasInput: boolean;
  #stdin: Writable | null;
  #last: Promise<unknown> = Promise.resolve();
  #lastByte: number | undefined;
  #written = 0;
  /** How much it had read when something was refused last. */
  #readThen: number | undefined;

  constructor({ stdin, ...parts }: InputParts) {
    this.#parts = parts;
    this.#stdin = stdin;
    this.#hasInput = stdin !== null;
  }

  /** False where the process has no input, or had. Throws {@link ExecError} where it has left too much unread. */
  write(bytes: Uint8Array): Promise<boolean> {
    return this.#inTurn(() => this.#write(bytes));
  }

  /** A terminal has no end of its own: the key for it stands for it. */
  close(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#parts.isTerminal) this.#stdin?.end();
      else this.#stdin?.write(this.#isWithinLine ? EOF + EOF : EOF);
    });
  }

  /** The process is over: what is still written goes nowhere, and nothing is held of what was. */
  over(): void {
    this.#stdin = null;
  }

  /** Behind the middle of a line the first key only hands on what is there. */
  get #isWithinLine(): boolean {
    return this.#lastByte !== undefined && !LINE_ENDS.includes(this.#lastByte);
  }

  /** What fits does not overtake what has to wait, nor does the end. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  async #write(bytes: Uint8Array): Promise<boolean> {
    const stdin = this.#stdin;
    const { processId } = this.#parts;
    if (!this.#hasInput) return false;
    if (stdin === null) return true;
    if (stdin.writableEnded) return false;
    if (bytes.length === 0) return true;
    if (!(await this.#hasRoom(stdin, bytes.length))) {
      this.#readThen = this.#written - stdin.writableLength;
      throw new ExecError(
        "invalidRequest",
        `Cannot write to "${processId}": it has left ${stdin.writableLength} bytes unread, expected it to read them first`,
        { field: UNREAD },
      );
    }
    stdin.write(bytes);
    this.#written += bytes.length;
    this.#lastByte = bytes.at(-1);
    return true;
  }

  /** Waits a while for a slow reader; for ever, or again and again, would hold up whatever the same client asks next. */
  async #hasRoom(stdin: Writable, more: number): Promise<boolean> {
    // What comes alone is as much as one message holds, and has to be taken as a whole.
    const isFull = () => {
      const { writableLength: unread } = stdin;
      return this.#stdin !== null && unread > 0 && unread + more > MOST_UNREAD_BYTES;
    };
    const { patienceMs = PATIENCE_MS } = this.#parts;
    const isStuck = this.#written - stdin.writableLength === this.#readThen;
    const patience = isStuck ? 0 : patienceMs;
    for (let waited = 0; isFull() && waited < patience; waited += LOOK_MS) await sleep(LOOK_MS);
    return !isFull();
  }
}

/** Whether it was refused for want of room alone: nothing of it was written, and it may be tried again. */
export function isLeftUnread(error: unknown): boolean {
  return error instanceof ExecError && error.code === "invalidRequest" && error.field === UNREAD;
}

/** The member of the wire that has no room, and no other refusal of a write names it. */
const UNREAD = "chunk";
const EOF = "\x04";
/** A terminal hands a line on after any of them: "\n", "\r" and the key for the end. */
const LINE_ENDS: readonly number[] = [10, 13, 4];
