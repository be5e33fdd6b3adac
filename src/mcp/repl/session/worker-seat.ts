/**
 * What is known of one worker process, from its start to its end.
 *
 * What it prints goes to the output of its session until it is replaced; what a
 * replaced one still says is nobody's.
 */
import type { ProcessExit } from "../../../exec/index.ts";
import type { WorkerListener } from "../../worker/worker-process.ts";
import type { OutputEvent } from "../output/output-event.ts";
import { WorkerLink } from "../protocol/worker-link.ts";

/** `undefined` where the interpreter itself waits, else what a program asked. */
export type Prompt = string | undefined;

export type SeatState =
  | { readonly kind: "starting" }
  | { readonly kind: "busy" }
  | { readonly kind: "waiting"; readonly prompt: Prompt }
  /** Nothing follows. `expected`: its worker said so itself. */
  | { readonly kind: "ended"; readonly expected: boolean; readonly why: string };

export class WorkerSeat implements WorkerListener {
  readonly link: WorkerLink;
  readonly #add: (event: OutputEvent) => void;
  readonly #end: () => void;
  #state: SeatState = { kind: "starting" };
  #farewell: string | undefined;
  #fault: string | undefined;
  #isReplaced = false;
  #isTold = false;
  #waiters = new Set<() => void>();

  /** `add` takes what it prints; `end` ends its process, whose word no longer counts. */
  constructor(add: (event: OutputEvent) => void, end: () => void) {
    this.#add = (event) => this.#isReplaced || add(event);
    this.#end = end;
    this.link = new WorkerLink({
      text: (bytes, stream) => this.#add({ kind: "text", stream, bytes }),
      image: (image) => this.#add({ kind: "image", ...image }),
      line: (prompt, text) => this.#add({ kind: "echo", text: `${prompt}${text}` }),
      waits: (prompt) => this.#become({ kind: "waiting", prompt }),
      ends: (message) => {
        this.#farewell = message ?? "";
      },
      broke: (why) => {
        this.#fault = why;
        this.#end();
      },
    });
  }

  get state(): SeatState {
    return this.#state;
  }

  /** Whether a reply has said how it ended, or need not. */
  get isTold(): boolean {
    return this.#isTold;
  }

  tell(): void {
    this.#isTold = true;
  }

  /** The line that hands it input; it is busy from now on. */
  input(text: string): string {
    const line = this.link.input(text);
    this.#become({ kind: "busy" });
    return line;
  }

  /** Nobody hears it any more. */
  replace(): void {
    this.#isReplaced = true;
  }

  /** The protocol is on its standard output; what reaches the other is what nobody claimed. */
  output(chunk: Uint8Array, stream: "stdout" | "stderr" | "pty"): void {
    if (stream === "stdout") this.link.hear(chunk);
    else this.#add({ kind: "text", stream: "raw", bytes: chunk });
  }

  ended(exit: ProcessExit | undefined): void {
    const expected = this.#farewell !== undefined;
    this.#become({ kind: "ended", expected, why: this.#why(exit) });
  }

  /** Waits until it is in a state that `holds`; false when the time is over or `signal` is aborted first. */
  async until(
    holds: (state: SeatState) => boolean,
    ms: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (holds(this.#state)) return true;
    if (ms <= 0 || signal.aborted) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const look = () => holds(this.#state) && resolve(true);
    const giveUp = () => resolve(false);
    const timer = setTimeout(giveUp, ms);
    signal.addEventListener("abort", giveUp, { once: true });
    this.#waiters.add(look);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
      this.#waiters.delete(look);
    }
  }

  #why(exit: ProcessExit | undefined): string {
    if (this.#fault !== undefined) return `broke its protocol (${this.#fault})`;
    if (this.#farewell !== undefined) return this.#farewell;
    if (exit === undefined) return "was lost";
    const { exitCode } = exit;
    return exitCode > 128
      ? `was ended by signal ${exitCode - 128}`
      : `exited with status ${exitCode}`;
  }

  #become(state: SeatState): void {
    this.#state = state;
    for (const look of [...this.#waiters]) look();
  }
}
