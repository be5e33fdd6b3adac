/**
 * What outlives a connection: the processes and anchors of one client, and where events go.
 *
 * A session without a connection is kept for a while, so that a client can come
 * back; then all it started is ended. A closed process can be read for a while.
 */
import { RpcError } from "../../../rpc/index.ts";
import type { AnchorOperations } from "../../anchor-operations.ts";
import { ExecError } from "../../exec-error.ts";
import type { RunningProcess } from "../../executor.ts";
import { cancelledAnswer, cancelledStart } from "./cancelled-start.ts";
import { type EventSink, ServedProcess } from "./served-process.ts";
import { SessionAnchors } from "./session-anchors.ts";

/** Where events go, and how that is given up. */
export interface Attachment extends EventSink {
  end(reason: string): void;
}

export interface SessionTimes {
  /** How long a session waits for its client to come back. */
  readonly detachedMs: number;
  /** How long a closed process can be read, and its id is taken. */
  readonly closedMs: number;
}

export const SESSION_TIMES: SessionTimes = { detachedMs: 30_000, closedMs: 30_000 };

/** Well within the 25 s for which clients try to come back. */
const ANSWER_MS = 5_000;

type Slot =
  | { readonly kind: "starting"; readonly cancel: AbortController }
  | { readonly kind: "running"; readonly process: ServedProcess };

/** Begins to start something; aborted, it is not let run if that can be helped. */
type Begin = (givenUp: AbortSignal) => Promise<RunningProcess>;

export class ExecSession {
  readonly id: string;
  readonly anchors: SessionAnchors;
  readonly #times: SessionTimes;
  readonly #slots = new Map<string, Slot>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #sink: Attachment | undefined;
  #isDoubted = false;
  #over = false;

  constructor(id: string, times: SessionTimes, anchors?: AnchorOperations) {
    this.id = id;
    this.anchors = new SessionAnchors(anchors);
    this.#times = times;
  }

  get isAttached(): boolean {
    return this.#sink !== undefined;
  }

  /** Nothing of it is there to come back for: no process, not even one that is over, and no anchor. */
  get isUnused(): boolean {
    return this.#slots.size === 0 && this.anchors.isUnused;
  }

  attach(sink: Attachment | undefined): void {
    this.#sink = sink;
    this.#isDoubted = false;
    for (const slot of this.#slots.values()) {
      if (slot.kind === "running") slot.process.attach(sink);
    }
  }

  /**
   * Gives up a connection that does not answer in time. Somebody who knows the id asks for the session:
   * mostly its own client, whose connection ended without the server being told.
   */
  async doubt(): Promise<void> {
    const sink = this.#sink;
    if (sink === undefined || this.#isDoubted) return;
    this.#isDoubted = true;
    const { promise: late, resolve } = Promise.withResolvers<"late">();
    const timer = setTimeout(resolve, ANSWER_MS, "late");
    timer.unref();
    const said = await Promise.race([sink.confirmed().catch(() => "gone"), late]);
    clearTimeout(timer);
    if (this.#sink !== sink) return;
    this.#isDoubted = false;
    if (said === "late") sink.end("it did not answer, and its session was asked for");
  }

  /** Starts a process under an id of its own; of two starts at once with one id, one fails. */
  async start(id: string, begin: Begin): Promise<RunningProcess> {
    if (this.#over) throw new RpcError("invalidRequest", `session ${this.id} is over`);
    if (this.#slots.has(id)) {
      throw new RpcError("invalidRequest", `process ${id} already exists`);
    }
    const cancel = new AbortController();
    this.#slots.set(id, { kind: "starting", cancel });
    try {
      const running = await begin(cancel.signal);
      if (cancel.signal.aborted) throw await endedAtOnce(id, running);
      const process = new ServedProcess(running, this.#sink);
      this.#slots.set(id, { kind: "running", process });
      void process.done.then(() => this.#forgetLater(id));
      return running;
    } catch (error) {
      this.#slots.delete(id);
      throw cancel.signal.aborted ? toldOf(id, error) : error;
    }
  }

  /** The process of that id; `starting` where there is none yet, nothing where there is none at all. */
  find(id: string): ServedProcess | "starting" | undefined {
    const slot = this.#slots.get(id);
    return slot?.kind === "running" ? slot.process : slot?.kind;
  }

  async terminate(id: string): Promise<boolean> {
    const slot = this.#slots.get(id);
    if (slot?.kind !== "starting") return (await slot?.process.running.terminate()) ?? false;
    slot.cancel.abort(cancelledStart(id));
    return true;
  }

  /** Ends all of it. */
  async close(): Promise<void> {
    this.#over = true;
    this.attach(undefined);
    for (const timer of this.#timers) clearTimeout(timer);
    const slots = [...this.#slots];
    this.#slots.clear();
    await Promise.all(
      slots.map(async ([id, slot]) => {
        if (slot.kind === "starting") slot.cancel.abort(cancelledStart(id));
        else await abandon(slot.process.running, slot.process);
      }),
    );
    await this.anchors.closeAll();
  }

  #forgetLater(id: string): void {
    if (this.#over) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#slots.delete(id);
    }, this.#times.closedMs);
    timer.unref();
    this.#timers.add(timer);
  }
}

async function endedAtOnce(id: string, running: RunningProcess): Promise<RpcError> {
  await abandon(running);
  const receipt = await running.receipt.catch(() => undefined);
  return cancelledAnswer(id, { ran: true, receiptId: receipt?.id });
}

/** A refusal of what was cancelled is one for that reason, whatever came first. */
function toldOf(id: string, error: unknown): unknown {
  if (!(error instanceof ExecError)) return error;
  return cancelledAnswer(id, { ran: false, receiptId: error.receiptId });
}

/** Ends a process that nobody will hear of, and waits until it is over. */
async function abandon(running: RunningProcess, served?: ServedProcess): Promise<void> {
  const done = served?.drain() ?? drain(running);
  await running.terminate();
  await done.catch(() => {});
}

async function drain(running: RunningProcess): Promise<void> {
  for await (const _ of running.events) {
    // Whoever wanted it is gone.
  }
}
