/**
 * What is known of one worker process, from its start to its end.
 *
 * What it prints goes to the output of its session until it is replaced; what a
 * replaced one still says is nobody's.
 */
import type { ProcessExit } from "../../../exec/index.ts";
import type { WorkerListener } from "../../worker/worker-process.ts";
import type { OutputEvent } from "../output/output-event.ts";
import type { Link } from "../protocol/link.ts";
import type { LinkListener } from "../protocol/worker-link.ts";
import { LONGEST_TIMER_MS } from "./longest-timer.ts";

/** `undefined` where the interpreter itself waits, else what a program asked. */
export type Prompt = string | undefined;

export type SeatState =
  | { readonly kind: "starting" }
  | { readonly kind: "busy" }
  | { readonly kind: "waiting"; readonly prompt: Prompt; readonly exitStatus?: number | undefined }
  /** Nothing follows. `expected`: its worker said so itself. */
  | { readonly kind: "ended"; readonly expected: boolean; readonly why: string };

/** How long it may take to say that it speaks the protocol. */
const GREETING_MS = 10_000;
/** How long its process may take to end, after it said that it does. */
const FAREWELL_MS = 1_000;
/** What an exit status adds to the number of a signal, and how many signals there are. */
const SIGNALS = { base: 128, count: 64 } as const;

export class WorkerSeat implements WorkerListener {
  readonly link: Link;
  readonly #add: (event: OutputEvent) => void;
  readonly #end: () => void;
  #state: SeatState = { kind: "starting" };
  #farewell: string | undefined;
  #fault: string | undefined;
  #hasBeenReady = false;
  #ownPrompt: Prompt;
  #isReplaced = false;
  #isTold = false;
  #deadline: NodeJS.Timeout;
  #waiters = new Set<() => void>();

  /** `add` takes what it prints; `end` ends its process, whose word no longer counts. */
  constructor(
    add: (event: OutputEvent) => void,
    end: () => void,
    createLink: (listener: LinkListener) => Link,
  ) {
    this.#add = (event) => this.#isReplaced || add(event);
    this.#end = end;
    this.#deadline = setTimeout(() => {
      this.#fail(`did not start within ${GREETING_MS / 1000} s`);
    }, GREETING_MS);
    this.link = createLink({
      greets: () => clearTimeout(this.#deadline),
      text: (bytes, stream) => this.#add({ kind: "text", stream, bytes }),
      image: (image) => this.#add({ kind: "image", ...image }),
      line: (prompt, text) => this.#add({ kind: "echo", text: `${prompt}${text}` }),
      waits: (prompt, exitStatus) => {
        if (!this.#hasBeenReady) this.#ownPrompt = prompt;
        this.#hasBeenReady = true;
        if (exitStatus) this.#add({ kind: "notice", text: `[exit status ${exitStatus}]` });
        this.#become({ kind: "waiting", prompt, exitStatus });
      },
      ends: (message) => {
        this.#farewell = message ?? "";
        this.#leave();
        // What it left behind may hold its streams.
        this.#deadline = setTimeout(this.#end, FAREWELL_MS);
      },
      broke: (why) => this.#fail(`broke its protocol (${why})`),
    });
  }

  get state(): SeatState {
    return this.#state;
  }

  /** Whether it ever took input. */
  get hasBeenReady(): boolean {
    return this.#hasBeenReady;
  }

  /**
   * Whether an interrupt has something to stop. An interpreter that waits for its next input has
   * nothing, nor has one that has said its last word; a program that asks has.
   */
  get isStoppable(): boolean {
    if (this.#farewell !== undefined || this.#fault !== undefined) return false;
    const state = this.#state;
    return state.kind === "busy" || (state.kind === "waiting" && state.prompt !== undefined);
  }

  /** Waiting for the answer to a program, where it is not for the next input as at first. */
  get question(): SeatState | undefined {
    const state = this.#state;
    return state.kind === "waiting" && state.prompt !== this.#ownPrompt ? state : undefined;
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
    if (stream === "stdout") this.link.hear(chunk, stream);
    else if (stream === "stderr" && this.link.hearsErrors) this.link.hear(chunk, stream);
    else this.#add({ kind: "text", stream: "raw", bytes: chunk });
  }

  ended(exit: ProcessExit | undefined): void {
    clearTimeout(this.#deadline);
    this.link.close();
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
    const timer = setTimeout(giveUp, Math.min(ms, LONGEST_TIMER_MS));
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

  /** Waits in the same way until it is settled in another state. */
  untilNot(state: SeatState, ms: number, signal: AbortSignal): Promise<boolean> {
    return this.until((now) => now !== state && isSettled(now), ms, signal);
  }

  /** Its word no longer counts. */
  #fail(why: string): void {
    clearTimeout(this.#deadline);
    this.#fault = why;
    this.#leave();
    this.#end();
  }

  /** It takes no input any more, whatever it said, and its end is to be waited for. */
  #leave(): void {
    if (this.#state.kind === "waiting") this.#become({ kind: "busy" });
  }

  #why(exit: ProcessExit | undefined): string {
    if (this.#fault !== undefined) return this.#fault;
    if (this.#farewell !== undefined) return this.#farewell;
    const how = exit === undefined ? "was lost" : wordsOf(exit);
    return this.#hasBeenReady ? how : `${how} before it was ready`;
  }

  #become(state: SeatState): void {
    this.#state = state;
    for (const look of [...this.#waiters]) look();
  }
}

/** It does nothing that a call would have to wait for. */
export function isSettled({ kind }: SeatState): boolean {
  return kind === "waiting" || kind === "ended";
}

function wordsOf({ exitCode }: ProcessExit): string {
  const signal = exitCode - SIGNALS.base;
  return signal > 0 && signal <= SIGNALS.count
    ? `was ended by signal ${signal}`
    : `exited with status ${exitCode}`;
}
