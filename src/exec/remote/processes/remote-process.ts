/**
 * One process on another machine.
 *
 * Its events are numbered there. What comes is put in order; what is missing is
 * asked for, after a drop and wherever a gap does not close by itself. If the
 * server cannot tell all of it, the process is ended and its reader told: output
 * with a hole looks like output.
 */
import type { Receipt, SignalReach, TerminalSize } from "../../../sandbox/index.ts";
import { ExecError } from "../../exec-error.ts";
import type { RunningProcess } from "../../executor.ts";
import type { SandboxType } from "../../process-event.ts";
import { MOST_READ_CHUNKS } from "../../protocol/most-read-chunks.ts";
import type { FlowGate } from "../link/flow-gate.ts";
import type { SessionLink } from "../link/session-link.ts";
import { CatchUp } from "./catch-up.ts";
import { EventOrder } from "./event-order.ts";
import { ProcessCommands } from "./process-commands.ts";
import { ProcessInput } from "./process-input.ts";
import { readAfter } from "./read-after.ts";
import { recoveredEvents } from "./recovered-events.ts";
import type { ReadAnswer, RemoteEvent } from "./remote-event.ts";
import { UnreadEvents } from "./unread-events.ts";

export interface RemoteParts {
  readonly processId: string;
  readonly link: SessionLink;
  readonly gate: FlowGate;
  /** Nothing more will come of it. */
  readonly over: () => void;
}

/** How long something early may wait for what is missing before that is asked for. */
const GAP_MS = 250;

export class RemoteProcess implements RunningProcess {
  readonly processId: string;
  /** The wire tells of it at the end. */
  readonly receiptId = null;
  readonly events: UnreadEvents;
  readonly receipt: Promise<Receipt | undefined>;
  readonly #parts: RemoteParts;
  readonly #commands: ProcessCommands;
  readonly #input: ProcessInput;
  readonly #order = new EventOrder();
  readonly #recovery = new CatchUp(() => this.#catchUp());
  readonly #receipt = Promise.withResolvers<Receipt | undefined>();
  #sandboxType: SandboxType | undefined;
  #failure: ExecError | undefined;
  #isOver = false;
  #gapTimer: NodeJS.Timeout | undefined;

  constructor(parts: RemoteParts) {
    const { processId, link, gate } = parts;
    this.#parts = parts;
    this.processId = processId;
    this.#commands = new ProcessCommands(processId, link);
    this.#input = new ProcessInput(processId, link);
    this.events = new UnreadEvents(gate, (seq) => this.#commands.wasDenied(seq));
    this.receipt = this.#receipt.promise;
    // Whoever does not ask for it must not be ended by it.
    this.receipt.catch(() => {});
  }

  get sandboxType(): SandboxType {
    return this.#sandboxType ?? "none";
  }

  /** Why it is lost; nothing while it is not. */
  get failure(): ExecError | undefined {
    return this.#failure;
  }

  write(bytes: Uint8Array): Promise<boolean> {
    return this.#input.write(bytes);
  }

  /** Behind all that was written before. */
  async closeInput(): Promise<void> {
    await this.#input.write(new Uint8Array());
    await this.#commands.closeInput();
  }

  resize(size: TerminalSize): Promise<void> {
    return this.#commands.resize(size);
  }

  interrupt(reach: SignalReach): Promise<void> {
    return this.#commands.interrupt(reach);
  }

  terminate(): Promise<boolean> {
    return this.#commands.terminate();
  }

  /** It runs, and this is known to confine it. */
  begin(sandboxType: SandboxType): void {
    this.#sandboxType = sandboxType;
    this.#mindGap();
  }

  hear(event: RemoteEvent): void {
    if (this.#isOver) return;
    const ready = this.#order.add(event);
    if (ready !== "overfull") this.#give(ready);
    else if (this.#sandboxType !== undefined && !this.#recovery.isUnderWay) void this.recover();
    this.#mindGap();
  }

  /** Something of it cannot be had: it is ended, and whoever reads is told. */
  lose(why: string, cause?: unknown): void {
    const sentence = `Cannot follow "${this.processId}": ${why}. It was ended`;
    this.abandon(new ExecError("lostOutput", sentence, { cause }));
    this.#end();
  }

  /** Nothing will be heard of it any more. */
  abandon(error: ExecError): void {
    if (this.#isOver) return;
    this.#failure = error;
    this.events.fail(error);
    this.#receipt.reject(error);
    this.#close();
  }

  /** The session was taken up again. A start that has no answer yet is asked about by whoever waits for it. */
  resumed(): void {
    if (this.#sandboxType !== undefined || this.#recovery.isUnderWay) void this.recover();
  }

  /** Asks for all that has not come. Settles when it has, or when the process is lost. */
  async recover(): Promise<void> {
    await this.#recovery.request();
    this.#mindGap();
  }

  async #catchUp(): Promise<void> {
    const before = this.#order.lastSeq;
    if (this.#isOver) return;
    try {
      for (let isAll = false; !isAll && !this.#isOver; ) {
        const answer = await readAfter(this.#parts.link, this.processId, () => this.#order.lastSeq);
        this.#take(answer);
        isAll = answer.chunks.length < MOST_READ_CHUNKS;
      }
    } catch (cause) {
      this.#unreadable(cause);
    }
    const isStuck = this.#order.hasGap && this.#order.lastSeq === before;
    if (isStuck) this.lose(`number ${before + 1} never came`);
  }

  /** Held against what is known now: more may have come by itself since it was asked for. */
  #take(answer: ReadAnswer): void {
    const events = recoveredEvents(answer, this.#order);
    if (typeof events === "string") this.lose(events);
    else for (const event of events) this.hear(event);
  }

  #unreadable(cause: unknown): void {
    const why = cause instanceof Error ? cause.message : String(cause);
    const unknown = `Cannot start "${this.processId}": the connection ended before an answer came, and it is not known to have happened (${why})`;
    if (cause instanceof ExecError) this.abandon(cause);
    else if (this.#sandboxType !== undefined) this.lose(why, cause);
    else this.abandon(new ExecError("disconnected", unknown, { cause }));
  }

  #give(events: readonly RemoteEvent[]): void {
    for (const event of events) {
      if (!this.events.add(event)) {
        this.lose("too much of its output waits for a reader, expected one that takes it");
        return;
      }
      if (event.kind !== "closed") continue;
      if (event.unkept === undefined) this.#receipt.resolve(event.receipt);
      else this.#receipt.reject(new ExecError("unkept", event.unkept));
      this.#close();
    }
  }

  #close(): void {
    this.#isOver = true;
    clearTimeout(this.#gapTimer);
    this.#parts.over();
  }

  /** It must not go on unheard; where it cannot be reached, it ends with its session. */
  #end(): void {
    this.terminate().catch(() => {});
  }

  /** Reordering heals by itself within moments; what does not was lost. */
  #mindGap(): void {
    const isOpen = this.#order.hasGap && !this.#isOver && !this.#recovery.isUnderWay;
    if (!isOpen) {
      clearTimeout(this.#gapTimer);
      this.#gapTimer = undefined;
    } else if (this.#sandboxType !== undefined) {
      this.#gapTimer ??= setTimeout(() => void this.recover(), GAP_MS);
    }
  }
}
