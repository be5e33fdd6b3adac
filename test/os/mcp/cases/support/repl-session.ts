/** What one process of the line REPL prints, and how far its requests are. */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { WorkerListener } from "writ/mcp";

/** Output that is longer is paged, or kept in a file. */
export const MOST_SHOWN = 2000;

export class ReplSession implements WorkerListener {
  /** Where the output of a long request is kept; nothing keeps it where this is absent. */
  readonly #bundles: string | undefined;
  readonly #decoder = new TextDecoder();
  #raw = "";
  #unread = "";
  #printed = "";
  #number = 0;
  #isRunning = false;
  #isOwed = false;
  #end: { readonly exitCode: number | undefined } | undefined;
  #moved = Promise.withResolvers<void>();

  constructor(bundles: string | undefined) {
    this.#bundles = bundles;
  }

  /** Whether a request runs. */
  get isRunning(): boolean {
    return this.#isRunning && this.#end === undefined;
  }

  /** Whether a request was not told to its caller as finished. */
  get isOwed(): boolean {
    return this.#isOwed;
  }

  /** How the process ended, once it has. */
  get end(): { readonly exitCode: number | undefined } | undefined {
    return this.#end;
  }

  /** The number of a request that now begins. */
  begin(): number {
    this.#number += 1;
    this.#isRunning = true;
    this.#isOwed = true;
    this.#printed = "";
    return this.#number;
  }

  /** What was printed since it was last asked for; a request that is over is then settled. */
  take(): string {
    if (!this.isRunning) this.#isOwed = false;
    const text = this.#unread;
    this.#unread = "";
    return this.#isKept ? `${text.slice(0, MOST_SHOWN)}\n[all of it: ${this.#bundle}]\n` : text;
  }

  /** Waits until nothing runs, at most for a while. */
  async settle(ms: number): Promise<void> {
    const waiting = new AbortController();
    let isLate = false;
    const late = sleep(ms, undefined, { signal: waiting.signal }).then(
      () => {
        isLate = true;
      },
      () => {},
    );
    while (this.isRunning && !isLate) await Promise.race([this.#moved.promise, late]);
    waiting.abort();
  }

  /** Waits until the process is over. */
  async over(): Promise<void> {
    while (this.#end === undefined) await this.#moved.promise;
  }

  output(chunk: Uint8Array): void {
    this.#raw += this.#decoder.decode(chunk, { stream: true });
    for (let mark = MARK.exec(this.#raw); mark !== null; mark = MARK.exec(this.#raw)) {
      this.#print(this.#raw.slice(0, mark.index));
      this.#raw = this.#raw.slice(mark.index + mark[0].length);
      if (Number(mark[1]) === this.#number) this.#isRunning = false;
    }
    const cut = this.#raw.indexOf("\0");
    this.#print(cut < 0 ? this.#raw : this.#raw.slice(0, cut));
    this.#raw = cut < 0 ? "" : this.#raw.slice(cut);
    this.#move();
  }

  ended(exit: { readonly exitCode: number } | undefined): void {
    this.#end = { exitCode: exit?.exitCode };
    this.#move();
  }

  get #bundle(): string {
    return `${this.#bundles}-${this.#number}`;
  }

  get #isKept(): boolean {
    return this.#bundles !== undefined && this.#printed.length > MOST_SHOWN;
  }

  #print(text: string): void {
    const wasKept = this.#isKept;
    this.#unread += text;
    this.#printed += text;
    if (this.#isKept) appendFileSync(this.#bundle, wasKept ? text : this.#printed);
  }

  #move(): void {
    this.#moved.resolve();
    this.#moved = Promise.withResolvers();
  }
}

const MARK = /\0(\d+)\0/;
