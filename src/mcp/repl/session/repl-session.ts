/**
 * One interpreter that lives from call to call, under the sandbox of each.
 *
 * A call hands over input, waits as long as it may, and replies with what was
 * printed. Time that is over cancels nothing: the next call takes up where this
 * one left. How much a call needs its sandbox state is `stateHandling`'s to say.
 */
import { bindState } from "../../state/bind-state.ts";
import type { CallContext } from "../../state/read-sandbox-state.ts";
import { SandboxedWorker, type SandboxedWorkerOptions } from "../../worker/sandboxed-worker.ts";
import { stateHandling } from "../../worker/state-handling.ts";
import { stateUnder } from "../../worker/worker-policy.ts";
import type { ReplyContent } from "../output/reply-content.ts";
import type { Speech } from "../protocol/link.ts";
import { CallBudget } from "./call-budget.ts";
import { CallLine } from "./call-line.ts";
import { type ControlInput, controlInput } from "./control-input.ts";
import { createLink, wordsOf } from "./create-link.ts";
import type { ReplOutput } from "./repl-output.ts";
import {
  crowdedReply,
  type ReplFacts,
  type ReplReply,
  refusedReply,
  replyOf,
} from "./repl-reply.ts";
import type { ReplRequest } from "./repl-request.ts";
import { SessionVoice } from "./session-voice.ts";
import type { Stopped, Turn } from "./turn.ts";
import { isSettled, WorkerSeat } from "./worker-seat.ts";

export interface ReplSessionOptions extends Omit<SandboxedWorkerOptions, "attach" | "words"> {
  readonly output: ReplOutput;
  /** How its worker is spoken with; as mcp-repl's are where it is not said. */
  readonly speech?: Speech;
}

/** How long a request that is just over may take to say so, before a call counts as one beside it. */
const SETTLE_MS = 25;
/** How long a program that was interrupted while it asked may take to leave; it need not. */
const LEAVE_MS = 300;
/** How long what was interrupted for a call that was cancelled may take to stop. */
const CANCEL_MS = 500;

export class ReplSession {
  readonly #options: ReplSessionOptions;
  readonly #worker: SandboxedWorker;
  readonly #output: ReplOutput;
  readonly #voice: SessionVoice;
  readonly #line = new CallLine();
  #seat: WorkerSeat | undefined;
  /** How often an interrupt was for input that waits. */
  #withdrawals = 0;
  #isReplacing = false;

  constructor(options: ReplSessionOptions) {
    this.#options = options;
    this.#output = options.output;
    this.#voice = new SessionVoice(options.output);
    this.#worker = new SandboxedWorker({
      ...options,
      words: wordsOf(options.speech ?? "messages"),
      attach: (end, tell) => this.#attach(end, tell),
    });
  }

  /** Serves one call. An interrupt reaches what runs at once, also while another call waits for it. */
  async serve({ input, timeoutMs, context, signal }: ReplRequest): Promise<ReplReply> {
    const asked = controlInput(input);
    const budget = new CallBudget(timeoutMs, signal);
    const stopped = this.#mayInterrupt(asked, context) ? await this.#withdraw() : undefined;
    const arrived = { budget, stopped, withdrawals: this.#withdrawals };
    const isUrgent = asked.controls.includes("restart");
    const reply = await this.#line.take<ReplReply>(budget, isUrgent, (begin) =>
      this.#worker.call(context, (call) =>
        begin((hurry) => this.#served(asked, { ...arrived, call, hurry })),
      ),
    );
    return reply ?? crowdedReply(asked, this.#facts(), budget);
  }

  /** Ends the worker, and what was kept of its output. */
  async close(): Promise<void> {
    await this.#worker.close();
    this.#output.close();
  }

  async #served(asked: ControlInput, turn: Turn): Promise<ReplReply> {
    const { controls, text } = asked;
    if (controls.length === 0 && this.#output.isPaging) {
      const page = this.#output.page(text);
      if (page !== undefined) return replyOf(page, this.#facts(), this.#worker);
    }
    if (controls.includes("restart")) return this.#restart(text, turn);
    if (text !== "") return this.#execute(asked, turn);
    return controls.length > 0 ? this.#interrupted(turn) : this.#poll(turn);
  }

  /** Looks, and waits for what runs; starts something only where nothing was there to look at. */
  async #poll(turn: Turn): Promise<ReplReply> {
    const handling = stateHandling({
      input: "empty",
      live: this.#worker.live,
      pending: this.#voice.since !== undefined || !this.#output.isEmpty,
      pager: this.#output.isPaging,
    });
    const refusal = handling === "apply" ? await this.#apply(turn) : undefined;
    if (refusal !== undefined) return refusal;
    await this.#settled(turn, handling === "apply" ? "all" : "most");
    return this.#told(turn, true);
  }

  async #interrupted(turn: Turn): Promise<ReplReply> {
    await this.#stop(turn);
    return this.#told(turn, true);
  }

  async #restart(text: string, turn: Turn): Promise<ReplReply> {
    const refusal = await this.#replacing(() => turn.call.stage());
    if (refusal !== undefined) return refusedReply(refusal);
    this.#output.dismiss();
    this.#seat?.replace();
    this.#seat?.tell();
    this.#voice.settle();
    this.#voice.notice("started");
    if (text === "") return this.#reply(turn, { status: "idle" });
    return (await this.#apply(turn)) ?? this.#run(text, turn);
  }

  async #execute({ controls, text }: ControlInput, turn: Turn): Promise<ReplReply> {
    if (this.#isBusy) await this.#seat?.until(isSettled, SETTLE_MS, turn.budget.signal);
    const wasBusy = this.#isBusy;
    const before = this.#seat;
    const refusal = await this.#apply(turn, wasBusy);
    if (refusal !== undefined) return refusal;
    this.#output.dismiss();
    if (before !== undefined && before === this.#seat) {
      if (controls.length > 0) await this.#stop(turn);
      if (wasBusy && !(await this.#settled(turn, "most"))) return this.#discarded(turn);
    }
    return this.#run(text, turn);
  }

  /** Hands the text to the worker of this call, once it takes some. */
  async #run(text: string, turn: Turn): Promise<ReplReply> {
    await this.#settled(turn, "start");
    if (this.#seat?.state.kind === "ended" && this.#seat.hasBeenReady) {
      // It died after it was looked at: once more, with what this call is allowed.
      this.#voice.ended(this.#seat);
      const refusal = await this.#apply(turn);
      if (refusal !== undefined) return refusal;
      await this.#settled(turn, "start");
    }
    const seat = this.#seat;
    if (seat?.state.kind === "starting") return this.#discarded(turn);
    if (turn.withdrawals !== this.#withdrawals) this.#voice.notice("withdrawn");
    else if (seat?.state.kind === "waiting" && !turn.budget.signal.aborted) {
      this.#voice.begin();
      await turn.call.write(seat.input(text));
      await this.#settled(turn, "most");
      if (turn.budget.signal.aborted) await this.#cancel(turn);
    }
    return this.#told(turn, false);
  }

  /** Who cancelled does not want it any more. */
  async #cancel(turn: Turn): Promise<void> {
    const stopped = this.#isBusy ? await this.#interrupt() : undefined;
    const budget = new CallBudget(CANCEL_MS, new AbortController().signal);
    if (stopped !== undefined) await this.#left(stopped, { ...turn, budget });
  }

  /** Whoever is at work until `work` is done may be on the way out. */
  async #replacing<T>(work: () => Promise<T>): Promise<T> {
    this.#isReplacing = true;
    return work().finally(() => {
      this.#isReplacing = false;
    });
  }

  /** A worker under the state of this call, or the reply that refuses. */
  async #apply({ call }: Turn, wasBusy = false): Promise<ReplReply | undefined> {
    const before = this.#seat;
    const wasOver = before?.state.kind === "ended";
    const applied = await this.#replacing(() => call.apply());
    if (applied.kind === "refused") return refusedReply(applied);
    if (applied.child === "kept") return undefined;
    // One that gave way to another policy did not end by itself.
    if (wasOver || applied.child === "started") this.#voice.ended(before);
    before?.replace();
    before?.tell();
    this.#voice.replaced(applied, wasBusy);
    return undefined;
  }

  /** The reply to what came of a call, and a new worker where one ended and this call may start one. */
  async #told(turn: Turn, isPoll: boolean): Promise<ReplReply> {
    const seat = this.#seat;
    const facts = this.#facts();
    if (turn.budget.signal.aborted || seat === undefined) return this.#reply(turn, facts);
    if (!isSettled(seat.state)) {
      this.#voice.busy(turn.budget.elapsed());
      return this.#reply(turn, facts);
    }
    if (seat.state.kind === "ended") this.#voice.ended(seat);
    this.#voice.settle();
    if (seat.state.kind === "waiting") this.#voice.waits(seat.state, isPoll);
    const reply = this.#reply(turn, facts);
    // One that never came to work would not do so now.
    if (seat.state.kind === "ended" && seat.hasBeenReady) await turn.call.revive();
    return reply;
  }

  /** The reply to input that no worker got. */
  #discarded(turn: Turn): ReplReply {
    if (!turn.budget.signal.aborted) {
      const isStarting = this.#seat?.state.kind === "starting";
      this.#voice.busy(turn.budget.elapsed());
      this.#voice.notice(isStarting ? "notStarted" : "discarded");
    }
    return this.#reply(turn, this.#facts());
  }

  #attach(end: () => void, tell: (words: string) => void): WorkerSeat {
    const { speech = "messages" } = this.#options;
    this.#seat = new WorkerSeat(
      (event) => this.#output.add(event),
      end,
      (listener) => createLink(speech, listener, tell),
    );
    return this.#seat;
  }

  /** Whether a call interrupts before its turn: one that also runs something must be fit to. */
  #mayInterrupt({ controls, text }: ControlInput, context: CallContext): boolean {
    if (controls.length === 0 || controls.includes("restart")) return false;
    if (text === "") return true;
    const { policy, machine, network } = this.#options;
    const reading = stateUnder(policy, context);
    if (reading.kind === "refused") return false;
    return bindState(reading.state, { host: machine.host, network }).kind === "bound";
  }

  /** An interrupt as it comes: also for input that waits, unless that waits for what is stopped. */
  #withdraw(): Promise<Stopped | undefined> {
    const isSuperseded = this.#isReplacing || this.#line.isUrgent;
    if (isSuperseded || !this.#isBusy || !this.#seat?.isStoppable) this.#withdrawals += 1;
    return this.#interrupt();
  }

  async #interrupt(): Promise<Stopped | undefined> {
    const seat = this.#seat;
    const { since } = this.#voice;
    if (!seat?.isStoppable) return undefined;
    const { state } = seat;
    seat.link.interrupted();
    await this.#worker.interrupt();
    return { state, since };
  }

  /** Interrupts what the call has not yet, waits for it to stop, and says so. */
  async #stop(turn: Turn): Promise<void> {
    const isOther = this.#isBusy && turn.stopped?.since !== this.#voice.since;
    const stopped = isOther ? await this.#interrupt() : turn.stopped;
    if (stopped === undefined) return;
    const left = await this.#left(stopped, turn);
    if (left || stopped.state.kind === "busy") this.#voice.notice("interrupted");
  }

  /** Whether it does something else now. What asks for input may go on asking, and not say so. */
  async #left({ state }: Stopped, turn: Turn): Promise<boolean> {
    const { budget } = turn;
    if (state.kind === "busy" && !(await this.#settled(turn, "all"))) return false;
    // One that is told now may have been asked before the interrupt was heard.
    const asked = state.kind === "busy" ? this.#seat?.question : state;
    if (asked === undefined) return true;
    const most = Math.min(budget.all(), LEAVE_MS);
    return (await this.#seat?.untilNot(asked, most, budget.signal)) ?? false;
  }

  /** Waits until there is nothing to wait for; false when the time for that was over. */
  async #settled({ budget, hurry }: Turn, share: "all" | "most" | "start"): Promise<boolean> {
    const stop = AbortSignal.any([budget.signal, hurry]);
    return (await this.#seat?.until(isSettled, budget[share](), stop)) ?? true;
  }

  get #isBusy(): boolean {
    return this.#seat?.state.kind === "busy";
  }

  #facts(): ReplFacts {
    return this.#voice.facts(this.#seat?.state);
  }

  /** A reply that nobody will read takes nothing from the next. */
  #reply({ budget }: Turn, facts: ReplFacts): ReplReply {
    const content: ReplyContent[] = budget.signal.aborted ? [] : this.#output.reply();
    return replyOf(content, facts, this.#worker);
  }
}
