/**
 * One end of a connection: asks, answers and notifies over a transport.
 *
 * It owns order (what arrives is worked off as the schedule says, what is sent
 * leaves in the order of the calls), bounds (it stops reading rather than hoard)
 * and the end (every open call gets a typed outcome, every handler its signal or,
 * while somebody may still read its answer, some time).
 * Wording and strictness belong to the dialect, bytes to the transport.
 */
import type { z } from "zod";
import type { CallOptions } from "../declare/handlers.ts";
import type { Method, Notification } from "../declare/method.ts";
import type { Malformed, Unexpected } from "../dialect.ts";
import { RpcError } from "../rpc-error.ts";
import { quietLog } from "../to-wire-error.ts";
import type { CloseReason, Incoming } from "../transports/transport.ts";
import { Answerer } from "./answerer.ts";
import { Caller } from "./caller.ts";
import { Intake } from "./intake.ts";
import { type Job, JobQueue } from "./job-queue.ts";
import { closedFailure, Notifier } from "./notifier.ts";
import { Outbox } from "./outbox.ts";
import type { Peer } from "./peer.ts";
import { PEER_LIMITS, type PeerLimits, type PeerOptions } from "./peer-options.ts";
import { type Arrival, readIncoming } from "./read-incoming.ts";
import type { Schedule } from "./schedule.ts";

/** Starts a peer on a transport that nobody has opened yet. */
export function createPeer<Context>(options: PeerOptions<Context>): Peer {
  return new TransportPeer(options);
}

class TransportPeer<Context> implements Peer {
  readonly #options: PeerOptions<Context>;
  readonly #limits: PeerLimits;
  readonly #intake: Intake;
  readonly #queue: JobQueue;
  readonly #outbox: Outbox;
  readonly #caller: Caller;
  readonly #notifier: Notifier;
  readonly #answerer: Answerer<Context>;
  readonly #closed = Promise.withResolvers<CloseReason>();
  readonly #settled = Promise.withResolvers<void>();
  #over: CloseReason | undefined;
  /** Over in both directions: nothing more is sent. */
  #stopped = false;
  #paused = false;
  #grace: NodeJS.Timeout | undefined;
  #hurrying: NodeJS.Timeout | undefined;

  constructor(options: PeerOptions<Context>) {
    const log = quietLog(options.log);
    const { transport, dialect, schedule } = options;
    this.#options = { ...options, log };
    this.#limits = { ...PEER_LIMITS, ...options.limits };
    this.#intake = new Intake(this.#limits);
    this.#queue = new JobQueue({
      left: (job) => this.#left(job),
      idle: () => this.#settleIfOver(),
    });
    if (schedule) this.#queue.use(schedule);
    const overrun = () => this.#fail("the other side does not read what it is sent");
    const changed = () => this.#regulate();
    const limits = this.#limits;
    this.#outbox = new Outbox({ transport, dialect, log, limits, overrun, changed });
    const send = this.#outbox.send.bind(this.#outbox);
    this.#caller = new Caller({ dialect, send, changed, maxCalls: limits.maxCalls });
    const [caller, outbox, isOver] = [this.#caller, this.#outbox, () => this.#stopped];
    this.#notifier = new Notifier({ caller, outbox, log, isOver });
    this.#answerer = this.#createAnswerer();
    transport.open({
      message: (incoming) => this.#receive(incoming),
      ending: () => this.#hurry(),
      closed: (reason) => this.#end(reason),
    });
  }

  get closed(): Promise<CloseReason> {
    return this.#closed.promise;
  }

  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  call<P extends z.ZodType, R extends z.ZodType>(
    method: Method<P, R>,
    params: z.input<P>,
    options: CallOptions = {},
  ): Promise<z.output<R>> {
    if (this.#over) return Promise.reject(closedFailure(method.name));
    return this.#caller.call(method, params, options);
  }

  notify<P extends z.ZodType>(declared: Notification<P>, params: z.input<P>): Promise<void> {
    return this.#notifier.notify(declared, params) ?? Promise.resolve();
  }

  notifyBytes(
    declared: Notification,
    params: unknown,
    bytes: Uint8Array,
  ): Promise<void> | undefined {
    return this.#notifier.notify(declared, params, bytes);
  }

  useSchedule(schedule: Schedule): void {
    this.#queue.use(schedule);
    this.#regulate();
  }

  close(reason = "closed by this side"): void {
    this.#end({ kind: "local", reason });
  }

  #createAnswerer(): Answerer<Context> {
    const { serve, dialect, log } = this.#options;
    // Without a router no handler is found, so nobody sees an absent context.
    const context = this.#createContext() as Context;
    return new Answerer<Context>({ router: serve?.router, context, dialect, log });
  }

  #createContext(): Context | undefined {
    const { serve, transport } = this.#options;
    try {
      return serve?.context(this);
    } catch (fault) {
      transport.close("a fault of this side");
      throw fault;
    }
  }

  #receive(incoming: Incoming): void {
    if (this.#over) return;
    try {
      this.#take(incoming);
    } catch (fault) {
      // Only code handed in can throw here. Without knowing how far it came, going on is a guess.
      this.#fail("a fault of this side");
      this.#options.log(fault);
    }
  }

  #take(incoming: Incoming): void {
    const { transport, dialect } = this.#options;
    const limits = this.#limits.json;
    const arrival = readIncoming(incoming, { transport, dialect, limits });
    if (this.#takeAtOnce(arrival)) return;
    const length = incoming.kind === "text" ? incoming.text.length : 0;
    if (!this.#hasRoomFor(arrival)) {
      this.#turnAway(arrival);
      return;
    }
    this.#intake.add(length);
    this.#queue.add({ ...this.#workFor(arrival), length });
    this.#regulate();
  }

  /** Where reading may stop, a flood of requests is slowed and not refused. */
  #hasRoomFor(arrival: Arrival): boolean {
    if (arrival.kind !== "request") return this.#intake.hasRoom;
    return !this.#mustRead || this.#intake.hasRoomFor(this.#queue.laneOf(arrival));
  }

  /** Nothing is dropped in silence: a request can be refused, anything else ends the connection. */
  #turnAway(arrival: Arrival): void {
    if (arrival.kind === "request") {
      const told = this.#options.dialect.overloaded?.() ?? OVERLOADED;
      void this.#outbox.reply(arrival.id, { kind: "error", error: told.toWire() });
    } else {
      this.#fail("too many calls wait");
    }
  }

  /** Answers and cancellations never wait behind calls: a call at work may be waiting for them. */
  #takeAtOnce(arrival: Arrival): boolean {
    if (arrival.kind === "reply") {
      const fate = this.#caller.settle(arrival.id, arrival.outcome);
      if (fate === "stray") this.#obey(this.#options.dialect.strayReply, "a reply to no call");
      return true;
    }
    if (arrival.kind === "malformed") {
      const { replyId, problem } = arrival;
      return replyId !== undefined && this.#caller.refuse(replyId, problem.reason);
    }
    const { cancel } = this.#options.dialect;
    if (arrival.kind !== "notification" || arrival.method !== cancel?.method) return false;
    const id = cancel.read(arrival.params);
    if (id !== undefined) this.#answerer.cancel(id);
    return true;
  }

  #workFor(arrival: Arrival): Omit<Job, "length"> {
    switch (arrival.kind) {
      case "request": {
        const { id, method, params } = arrival;
        const answer = this.#answerer.accept(arrival);
        return { method, params, run: async () => this.#outbox.reply(id, await answer()) };
      }
      case "notification": {
        const { method, params } = arrival;
        const run = async () => {
          this.#obey(await this.#answerer.notify(arrival), "an unexpected notification");
        };
        return { method, params, run };
      }
      case "malformed":
        return { run: () => this.#answerMalformed(arrival.problem) };
      case "reply":
        return { run: async () => {} };
    }
  }

  async #answerMalformed(problem: Malformed): Promise<void> {
    const answer = this.#options.dialect.malformed(problem);
    if (typeof answer === "string") return this.#obey(answer, "a malformed message");
    await this.#outbox.reply(answer.id, { kind: "error", error: answer.error.toWire() });
  }

  #obey(verdict: "handled" | Unexpected, what: string): void {
    if (verdict === "close") this.close(`the other side sent ${what}`);
  }

  #left({ length }: Job): void {
    this.#intake.remove(length);
    if (this.#hurrying) this.#hurry();
    this.#regulate();
  }

  get #mustRead(): boolean {
    return this.#caller.awaitsAnswer || this.#queue.hasControlLane;
  }

  #regulate(): void {
    if (this.#over) return;
    const urgency = { mustRead: this.#mustRead, sendingStalls: this.#outbox.isStalled };
    const pause = this.#outbox.isFull || !this.#intake.reads(urgency);
    if (pause === this.#paused) return;
    this.#paused = pause;
    if (pause) this.#options.transport.pause();
    else this.#options.transport.resume();
  }

  #fail(reason: string): void {
    this.#end({ kind: "failed", reason });
  }

  #end(reason: CloseReason): void {
    if (this.#over) {
      if (reason.kind !== "ended") this.#stop();
      return;
    }
    this.#over = reason;
    clearTimeout(this.#hurrying);
    if (reason.halfOpen) this.#drain();
    else this.#stop();
    this.#caller.close(reason.reason);
    this.#closed.resolve(reason);
    this.#settleIfOver();
  }

  /** The other side is done, and its end waits behind a call: one that takes long is told to stop. */
  #hurry(): void {
    if (this.#over) return;
    clearTimeout(this.#hurrying);
    this.#hurrying = setTimeout(() => this.#answerer.stopBegun(), this.#limits.drainMs);
  }

  /** The other side asked and then stopped writing: it gets its answers, if they come in time. */
  #drain(): void {
    const { drainMs } = this.#limits;
    this.#grace = setTimeout(() => {
      this.#queue.clear();
      this.#answerer.close();
      this.#grace = setTimeout(() => this.#stop(), drainMs);
    }, drainMs);
  }

  #stop(): void {
    this.#stopped = true;
    clearTimeout(this.#grace);
    this.#queue.clear();
    this.#answerer.close();
    this.#options.transport.close(this.#over?.reason);
  }

  #settleIfOver(): void {
    if (!this.#over || this.#queue.busy) return;
    this.#stop();
    this.#settled.resolve();
  }
}

const OVERLOADED = new RpcError("overloaded", "too many calls wait");
