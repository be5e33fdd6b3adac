/**
 * A process as its session has it: its events go to whoever is attached, and are kept for later.
 *
 * While nobody is attached, the process is held up once the room for what a
 * client lacks is full; nothing is pushed out then. Whoever comes back lacks what
 * was printed meanwhile until they have read it, whatever they are sent after it.
 */
import type { RunningProcess } from "../../executor.ts";
import { followEvents } from "../../local/event-queue.ts";
import type { ProcessEvent, ProcessExit } from "../../process-event.ts";
import { RetainedOutput } from "./retained-output.ts";

/** Where events go while a connection is there. */
export interface EventSink {
  /** Settles when it was taken; rejects when the connection is over. Nothing to wait for where it was taken at once. */
  send(processId: string, event: ProcessEvent, process: RunningProcess): Promise<void> | undefined;
  /** Settles when the other side has all that was sent until now; never where that cannot be known. */
  confirmed(): Promise<void>;
}

/** How much may be sent before the other side is asked whether it has it. */
const CONFIRM_BYTES = 1 << 20;
/**
 * How many may be on their way to one who is known to confirm. With what is kept while nobody is there they
 * have to fit into one answer, where each is several values.
 */
const MOST_ON_THEIR_WAY = 32_768;
/** Most processes have said everything before. */
const FIRST_ASKED = 64;
/** What a chunk counts for at least: one of a byte takes as much room. */
const LEAST_BYTES = 1024;

export class ServedProcess {
  readonly running: RunningProcess;
  readonly output = new RetainedOutput();
  readonly writes = new SeenWrites();
  /** Settles when nothing more can happen to it. */
  readonly done: Promise<void>;
  readonly #changes = new Set<() => void>();
  #sink: EventSink | undefined;
  /** The last number that was not sent to whoever is attached now. */
  #missed = 0;
  #unconfirmed = 0;
  /** How many questions have no answer yet. */
  #asked = 0;
  #isDrained = false;
  #failure: string | undefined;

  constructor(running: RunningProcess, sink: EventSink | undefined) {
    this.running = running;
    this.#sink = sink;
    this.done = this.#pump().catch((error: unknown) => {
      this.#failure = error instanceof Error ? error.message : String(error);
      return this.#end();
    });
  }

  /** From now on events go there, or nowhere. */
  attach(sink: EventSink | undefined): void {
    this.#sink = sink;
    if (sink !== undefined) this.#missed = this.output.nextSeq - 1;
    this.#changed();
  }

  /** Whoever is attached was given everything up to this number. */
  wasRead(seq: number): void {
    if (seq >= this.#missed) this.#missed = 0;
  }

  /** Why nothing more is heard of it, though it was not seen to end. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Nobody will come back: what it still prints need not be kept. Settles when it is over. */
  drain(): Promise<void> {
    this.#isDrained = true;
    this.attach(undefined);
    return this.done;
  }

  /** Settles at the next change, or when `signal` fires. */
  change(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const over = () => {
      this.#changes.delete(over);
      signal.removeEventListener("abort", over);
      resolve();
    };
    this.#changes.add(over);
    signal.addEventListener("abort", over);
    if (signal.aborted) over();
    return promise;
  }

  #pump(): Promise<void> {
    return followEvents(this.running.events, (event) => {
      const sent = this.#pass(event);
      return sent !== undefined || this.#mustWait() ? this.#afterwards(sent) : undefined;
    });
  }

  async #afterwards(sent: Promise<void> | undefined): Promise<void> {
    await sent;
    while (this.#mustWait()) await this.change(NEVER);
  }

  #pass(event: ProcessEvent): Promise<void> | undefined {
    this.output.add(event);
    this.#changed();
    return this.#send(event);
  }

  /** What it ran in is gone, and it with that; whoever follows it is told so. */
  async #end(): Promise<void> {
    const { output } = this;
    if (output.exit === undefined)
      await this.#pass({ kind: "exited", seq: output.nextSeq, exit: LOST });
    if (!output.isClosed) await this.#pass({ kind: "closed", seq: output.nextSeq });
  }

  #mustWait(): boolean {
    if (this.#isDrained) return false;
    if (this.#sink === undefined) return this.output.isFull;
    return this.#asked > 0 && this.#isFarAhead;
  }

  /** Never of one who may not confirm at all, or still has to ask for what it missed. */
  get #isFarAhead(): boolean {
    const { confirmed, nextSeq } = this.output;
    if (confirmed === 0 || this.#missed > confirmed) return false;
    return nextSeq - confirmed > MOST_ON_THEIR_WAY;
  }

  #send(event: ProcessEvent): Promise<void> | undefined {
    const sink = this.#sink;
    const taken = sink?.send(this.running.processId, event, this.running);
    // Where the connection is over, what it missed is kept.
    if (taken !== undefined) return taken.then(() => this.#sent(event, sink)).catch(() => {});
    this.#sent(event, sink);
    return undefined;
  }

  #sent(event: ProcessEvent, sink: EventSink | undefined): void {
    if (sink === undefined) return;
    this.#unconfirmed += event.kind === "output" ? Math.max(event.chunk.length, LEAST_BYTES) : 0;
    if (!this.#mustAsk(event)) return;
    // What is sent after a gap says nothing of the gap.
    if (this.#missed > this.output.confirmed) return;
    this.#unconfirmed = 0;
    this.#asked += 1;
    const answered = () => {
      this.#asked -= 1;
      this.#changed();
    };
    sink
      .confirmed()
      .then(
        () => this.output.confirm(event.seq),
        () => {},
      )
      .then(answered);
  }

  /** Also soon after the first, to know whether it confirms at all. */
  #mustAsk({ kind, seq }: ProcessEvent): boolean {
    if (this.#unconfirmed >= CONFIRM_BYTES || kind === "closed" || seq === FIRST_ASKED) return true;
    return this.#asked === 0 && this.#isFarAhead;
  }

  #changed(): void {
    if (this.#changes.size === 0) return;
    for (const one of [...this.#changes]) one();
  }
}

const NEVER = new AbortController().signal;

/** Killed, as all is that loses what it ran in. */
const LOST: ProcessExit = { exitCode: 137, sandboxDenied: false };

const REMEMBERED_WRITES = 4096;

/** The last writes by the names that the client gave them: one that is sent again is not written again. */
export class SeenWrites {
  readonly #seen = new Map<string, Promise<boolean>>();

  /** Writes, or tells what becomes of the write of that name. One that was not taken may be tried again. */
  once(id: string, write: () => Promise<boolean>): Promise<boolean> {
    const known = this.#seen.get(id);
    if (known !== undefined) return known;
    const written = write();
    this.#seen.set(id, written);
    const forget = () => void this.#seen.delete(id);
    written.then((isTaken) => isTaken || forget(), forget);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > REMEMBERED_WRITES && oldest !== undefined) this.#seen.delete(oldest);
    return written;
  }
}
