/**
 * One command of a thread, from its start to its item.
 *
 * What it prints is read whoever waits for it, since a process that nobody reads
 * stands still. Its item is completed once: by the call that waited for its end,
 * by the end itself, or by the end of the turn that started it.
 */
import { TextDecoder } from "node:util";
import type { Executor, ProcessExit, RunningProcess } from "../../exec/index.ts";
import type { AgentClock } from "../agent-clock.ts";
import { visibleLine } from "../approvals/visible-text.ts";
import type { CommandExecution } from "../turn-item.ts";
import type { TurnPort } from "../turn-port.ts";
import { BoundedText } from "./bounded-text.ts";
import { denialText } from "./denial-text.ts";

export interface RunningCommandParts {
  readonly process: RunningProcess;
  /** As it was started. */
  readonly item: CommandExecution;
  readonly emit: TurnPort["emit"];
  readonly clock: AgentClock;
  /** Names the sandbox it was started in. */
  readonly launchedUnder: string;
  /** What it runs on: the same name may come to stand for another machine. */
  readonly machine: Executor;
  /** What the model has to know of where it runs. */
  readonly notice: string | null;
}

type Receipt = Awaited<RunningProcess["receipt"]>;
type End = Pick<CommandExecution, "exitCode" | "receiptId" | "denial">;

/** Of one item, and of what is shown of it while it runs. */
const MOST_KEPT = 1 << 20;
const MOST_UNREAD = 400_000;
/** How long the end of something that was ended is waited for. */
const GRACE_MS = 5000;
const WITH_ITS_SANDBOX = "Ended with its sandbox, which the thread has no more";

export class RunningCommand {
  readonly launchedUnder: string;
  /** Settles when it is over and all it printed was seen. Never rejects. */
  readonly over: Promise<void>;
  readonly #parts: RunningCommandParts;
  readonly #startedAt: number;
  readonly #output = new BoundedText(MOST_KEPT);
  readonly #decoders = new Map<string, TextDecoder>();
  #unread = new BoundedText(MOST_UNREAD);
  #item: CommandExecution;
  #end: End | undefined;
  #endedAt: number | undefined;
  #isTold = false;
  #whyStopped: string | null = null;

  constructor(parts: RunningCommandParts) {
    this.#parts = parts;
    this.#item = parts.item;
    this.launchedUnder = parts.launchedUnder;
    this.#startedAt = parts.clock.now();
    this.over = this.#follow();
  }

  /** As it was last told. */
  get item(): CommandExecution {
    return this.#item;
  }

  /** Undefined while it runs. */
  get end(): End | undefined {
    return this.#end;
  }

  /** What is on record of it; nothing where that is not known before its end. */
  get receiptId(): string | null {
    return this.#end?.receiptId ?? this.#parts.process.receiptId;
  }

  get machine(): Executor {
    return this.#parts.machine;
  }

  get notice(): string | null {
    return this.#parts.notice;
  }

  get elapsedMs(): number {
    // A clock may be set back.
    return Math.max(0, (this.#endedAt ?? this.#parts.clock.now()) - this.#startedAt);
  }

  /** What it printed since this was asked last, at most so much of it. */
  takeOutput(most: number): string {
    const output = this.#unread.render(most);
    this.#unread = new BoundedText(MOST_UNREAD);
    return output;
  }

  write(text: string): Promise<boolean> {
    return this.#parts.process.write(new TextEncoder().encode(text));
  }

  /** Goes on without the call that started it; completes its item by itself. */
  goOn(processId: string, modelOutput: string): CommandExecution {
    this.#item = { ...this.#item, processId, call: withOutput(this.#item, modelOutput) };
    void this.over.then(() => this.complete({}));
    return this.#item;
  }

  /** Completes the item as things stand now; the first one counts. */
  complete(told: { readonly status?: "failed"; readonly modelOutput?: string }): CommandExecution {
    if (this.#isTold) return this.#item;
    this.#isTold = true;
    const end = this.#end;
    this.#item = {
      ...this.#item,
      ...(end ?? {}),
      receiptId: this.receiptId,
      status: told.status ?? statusOf(end),
      output: this.#output.render(),
      durationMs: end === undefined ? null : this.elapsedMs,
      call:
        told.modelOutput === undefined ? this.#item.call : withOutput(this.#item, told.modelOutput),
    };
    this.#tell({ kind: "itemCompleted", item: this.#item, atMs: this.#parts.clock.now() });
    return this.#item;
  }

  /** Ends it with all it started, for a reason that its item says. Where that cannot be seen, it is not waited for. */
  async stop(why: string | null = null): Promise<void> {
    this.#whyStopped ??= why;
    const ending = this.#parts.process.terminate().then(
      () => this.over,
      () => {},
    );
    await this.#inTime(ending);
  }

  async #inTime<T>(work: Promise<T>): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const cancel = this.#parts.clock.after(GRACE_MS, () => resolve(undefined));
    const first = await Promise.race([work, promise]);
    cancel();
    return first;
  }

  async #follow(): Promise<void> {
    try {
      this.#end = await this.#toTheEnd();
    } catch (error) {
      this.#end = await this.#unseen(error);
    }
    this.#endedAt = this.#parts.clock.now();
  }

  async #toTheEnd(): Promise<End> {
    const { process } = this.#parts;
    let exit: ProcessExit | undefined;
    for await (const event of process.events) {
      if (event.kind === "exited") exit = event.exit;
      if (event.kind === "output") this.#add(event.stream, event.chunk);
    }
    this.#flush();
    if (exit === undefined) throw new Error("its events ended before it did");
    const receipt = await process.receipt.catch(() => undefined);
    return {
      exitCode: exit.exitCode,
      receiptId: receipt?.id ?? process.receiptId,
      denial: denialText(exit, receipt) ?? (wasEnded(receipt) ? this.#whyStopped : null),
    };
  }

  /** What it would have come to nobody can say; its receipt may still tell that it was ended. */
  async #unseen(error: unknown): Promise<End> {
    const kept = this.#parts.process.receipt.catch(() => undefined);
    const receipt = await this.#inTime(kept);
    const why = error instanceof Error ? error.message : String(error);
    const denial = wasEnded(receipt)
      ? (this.#whyStopped ?? WITH_ITS_SANDBOX)
      : visibleLine(`Its end was not seen: ${why}`);
    return { exitCode: null, receiptId: receipt?.id ?? this.#parts.process.receiptId, denial };
  }

  #add(stream: string, chunk: Uint8Array): void {
    const decoder = this.#decoders.get(stream) ?? new TextDecoder();
    this.#decoders.set(stream, decoder);
    this.#show(decoder.decode(chunk, { stream: true }));
  }

  /** A character that was begun and not ended. */
  #flush(): void {
    for (const decoder of this.#decoders.values()) this.#show(decoder.decode());
  }

  #show(delta: string): void {
    if (delta === "") return;
    const isShown = !this.#isTold && this.#output.total < MOST_KEPT;
    this.#output.add(delta);
    this.#unread.add(delta);
    if (isShown) this.#tell({ kind: "outputDelta", itemId: this.#item.id, delta });
  }

  /** A turn whose events cannot be kept ends by itself; the process must be read all the same. */
  #tell(event: Parameters<TurnPort["emit"]>[0]): void {
    try {
      this.#parts.emit(event);
    } catch {
      // The port has told the turn.
    }
  }
}

/** By somebody, and not by itself. */
function wasEnded(receipt: Receipt): boolean {
  return receipt?.outcome.kind === "ended";
}

/** One that goes on when its turn ends has not failed. */
function statusOf(end: End | undefined): "completed" | "failed" {
  return end === undefined || end.exitCode === 0 ? "completed" : "failed";
}

function withOutput({ call }: CommandExecution, output: string): CommandExecution["call"] {
  return call === null ? null : { ...call, output };
}
