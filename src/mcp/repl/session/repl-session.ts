/**
 * One interpreter that lives from call to call, under the sandbox of each.
 *
 * A call hands over input, waits as long as it may, and replies with what was
 * printed. Time that is over cancels nothing: the next call takes up where this
 * one left. How much a call needs its sandbox state is `stateHandling`'s to say.
 */
import type { CallContext } from "../../state/read-sandbox-state.ts";
import { SandboxedWorker, type SandboxedWorkerOptions } from "../../worker/sandboxed-worker.ts";
import { stateHandling, type WorkerInput } from "../../worker/state-handling.ts";
import type { WorkerCall } from "../../worker/worker-call.ts";
import type { ReplyContent } from "../output/reply-content.ts";
import { statusLine } from "../output/status-line.ts";
import { lineOf } from "../protocol/worker-link.ts";
import { CallBudget } from "./call-budget.ts";
import { type ControlInput, controlInput } from "./control-input.ts";
import { deathNotice, endNotice, NOTICES, policyNotices } from "./notices.ts";
import type { ReplOutput } from "./repl-output.ts";
import { type ReplFacts, type ReplReply, refusedReply, replyOf } from "./repl-reply.ts";
import { type SeatState, WorkerSeat } from "./worker-seat.ts";

export interface ReplSessionOptions extends Omit<SandboxedWorkerOptions, "attach" | "words"> {
  readonly output: ReplOutput;
}

export interface ReplRequest {
  readonly input: string;
  readonly timeoutMs: number | undefined;
  readonly context: CallContext;
  readonly signal: AbortSignal;
}

/** How long a request that is just over may take to say so, before a call counts as one beside it. */
const SETTLE_MS = 25;
/** How long what was interrupted for a call that was cancelled may take to stop. */
const CANCEL_MS = 500;

export class ReplSession {
  readonly #worker: SandboxedWorker;
  readonly #output: ReplOutput;
  #seat: WorkerSeat | undefined;
  /** When the request that runs, or whose end nobody was told of, was begun. */
  #since: number | undefined;

  constructor({ output, ...options }: ReplSessionOptions) {
    this.#output = output;
    this.#worker = new SandboxedWorker({
      ...options,
      words: { interrupt: lineOf({ type: "interrupt" }), shutdown: lineOf({ type: "shutdown" }) },
      attach: (end) => this.#attach(end),
    });
  }

  /** Serves one call. An interrupt reaches what runs at once, also while another call waits for it. */
  async serve({ input, timeoutMs, context, signal }: ReplRequest): Promise<ReplReply> {
    const asked = controlInput(input);
    if (isBareInterrupt(asked)) await this.#interrupt();
    const budget = new CallBudget(timeoutMs, signal);
    return this.#worker.call(context, (call) => this.#served(asked, { call, budget }));
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
      if (page !== undefined) return this.#reply(page, this.#facts());
      this.#output.dismiss();
    }
    if (controls.includes("restart")) return this.#restart(text, turn);
    if (isBareInterrupt(asked)) return this.#interrupted(turn);
    if (controls.length === 0 && text === "") return this.#poll(turn);
    return this.#execute(asked, turn);
  }

  /** Looks, and waits for what runs; starts something only where nothing was there to look at. */
  async #poll(turn: Turn): Promise<ReplReply> {
    if (this.#handling("empty") === "apply") {
      const refusal = await this.#apply(turn);
      if (refusal !== undefined) return refusal;
      await this.#until(isSettled, turn, "all");
      return this.#told(turn, { isPoll: true });
    }
    await this.#until(isSettled, turn, "most");
    return this.#told(turn, { isPoll: true });
  }

  /** It was delivered when the call came. */
  async #interrupted(turn: Turn): Promise<ReplReply> {
    const wasLive = this.#worker.live;
    await this.#until(isSettled, turn, "all");
    if (wasLive) this.#notice(NOTICES.interrupted);
    return this.#told(turn, {});
  }

  async #restart(text: string, turn: Turn): Promise<ReplReply> {
    const refusal = await turn.call.stage();
    if (refusal !== undefined) return refusedReply(refusal);
    this.#output.dismiss();
    this.#retire();
    this.#notice(NOTICES.started);
    if (text === "") return this.#reply(this.#output.reply(), { status: "idle" });
    return (await this.#apply(turn)) ?? this.#run(text, turn);
  }

  async #execute({ controls, text }: ControlInput, turn: Turn): Promise<ReplReply> {
    if (this.#isBusy) await this.#seat?.until(isSettled, SETTLE_MS, turn.budget.signal);
    const wasBusy = this.#isBusy;
    const before = this.#seat;
    const refusal = await this.#apply(turn, wasBusy);
    if (refusal !== undefined) return refusal;
    const isKept = before !== undefined && before === this.#seat;
    if (isKept && controls.includes("interrupt")) await this.#interrupt();
    if (isKept && wasBusy && !(await this.#until(isSettled, turn, "most"))) {
      this.#status(turn.budget.elapsed());
      this.#notice(NOTICES.discarded);
      return this.#reply(this.#output.reply(), this.#facts());
    }
    return this.#run(text, turn);
  }

  /** Hands the text to the worker of this call, once it takes some. */
  async #run(text: string, turn: Turn): Promise<ReplReply> {
    await this.#until(isSettled, turn, "most");
    if (this.#seat?.state.kind === "ended") {
      // It died after it was looked at: once more, with what this call is allowed.
      this.#tellEnd();
      const refusal = await this.#apply(turn);
      if (refusal !== undefined) return refusal;
      await this.#until(isSettled, turn, "most");
    }
    const seat = this.#seat;
    if (seat?.state.kind === "waiting") {
      this.#output.begin();
      this.#since = performance.now();
      await turn.call.write(seat.input(text));
      await this.#until(isSettled, turn, "most");
    }
    if (turn.budget.signal.aborted) await this.#cancel();
    return this.#told(turn, {});
  }

  /** Who cancelled does not want it any more. */
  async #cancel(): Promise<void> {
    if (!this.#isBusy) return;
    await this.#interrupt();
    await this.#seat?.until(isSettled, CANCEL_MS, new AbortController().signal);
  }

  /** A worker under the state of this call, or the reply that refuses. */
  async #apply({ call }: Turn, wasBusy = false): Promise<ReplReply | undefined> {
    const before = this.#seat;
    const applied = await call.apply();
    if (applied.kind === "refused") return refusedReply(applied);
    if (applied.child === "kept") return undefined;
    before?.replace();
    this.#since = undefined;
    if (applied.child === "changed") {
      for (const line of policyNotices(applied.state.intent, wasBusy)) this.#notice(line);
    } else if (before?.state.kind === "ended" && !before.isTold) this.#notice(NOTICES.diedIdle);
    before?.tell();
    return undefined;
  }

  /** The reply to what came of a call, and a new worker where one ended and this call may start one. */
  async #told({ call, budget }: Turn, { isPoll = false }): Promise<ReplReply> {
    const seat = this.#seat;
    const state = seat?.state;
    if (state === undefined) return this.#reply(this.#output.reply(), { status: "idle" });
    if (state.kind === "starting" || state.kind === "busy") {
      this.#status(budget.elapsed());
      return this.#reply(this.#output.reply(), this.#facts());
    }
    this.#since = undefined;
    this.#output.seal();
    if (state.kind === "waiting") return this.#waits(state, isPoll);
    this.#tellEnd();
    const reply = this.#reply(this.#output.reply(), { status: "ended", end: state.why });
    await call.revive();
    return reply;
  }

  #waits({ prompt }: SeatState & { kind: "waiting" }, isPoll: boolean): ReplReply {
    if (prompt === "") this.#add("status", statusLine({ kind: "waiting" }));
    else if (isPoll && this.#output.isEmpty) this.#add("status", statusLine({ kind: "idle" }));
    if (prompt) this.#output.add({ kind: "prompt", text: prompt });
    return this.#reply(this.#output.reply(), this.#facts());
  }

  /** Said once, in the first reply after it. */
  #tellEnd(): void {
    const seat = this.#seat;
    if (seat?.state.kind !== "ended" || seat.isTold) return;
    const { expected, why } = seat.state;
    seat.tell();
    this.#notice(expected ? endNotice(why) : deathNotice(why));
  }

  /** The worker is over because this call wanted it to be. */
  #retire(): void {
    this.#seat?.replace();
    this.#seat?.tell();
    this.#since = undefined;
    this.#output.seal();
  }

  #attach(end: () => void): WorkerSeat {
    this.#seat = new WorkerSeat((event) => this.#output.add(event), end);
    return this.#seat;
  }

  /** An interpreter that waits for its next input has nothing to stop; a program that asks has. */
  async #interrupt(): Promise<void> {
    const state = this.#seat?.state;
    if (state?.kind === "busy" || (state?.kind === "waiting" && state.prompt !== undefined)) {
      await this.#worker.interrupt();
    }
  }

  async #until(holds: typeof isSettled, { budget }: Turn, share: "all" | "most"): Promise<boolean> {
    return (await this.#seat?.until(holds, budget[share](), budget.signal)) ?? true;
  }

  #handling(input: WorkerInput) {
    return stateHandling({
      input,
      live: this.#worker.live,
      pending: this.#since !== undefined || !this.#output.isEmpty,
      pager: this.#output.isPaging,
    });
  }

  get #isBusy(): boolean {
    return this.#seat?.state.kind === "busy";
  }

  #notice(text: string): void {
    this.#add("notice", text);
  }

  #add(kind: "notice" | "status", text: string): void {
    this.#output.add({ kind, text });
  }

  #status(waitedMs: number): void {
    this.#add("status", statusLine({ kind: "busy", elapsedMs: this.#elapsed(waitedMs) }));
  }

  #elapsed(waitedMs: number): number {
    return this.#since === undefined ? waitedMs : performance.now() - this.#since;
  }

  #facts(): ReplFacts {
    const state = this.#seat?.state;
    switch (state?.kind) {
      case undefined:
        return { status: "idle" };
      case "starting":
      case "busy":
        return { status: "busy", elapsedMs: Math.round(this.#elapsed(0)) };
      case "waiting":
        return state.prompt === undefined
          ? { status: "idle" }
          : { status: "waiting", prompt: state.prompt };
      case "ended":
        return { status: "ended", end: state.why };
    }
  }

  #reply(content: readonly ReplyContent[], facts: ReplFacts): ReplReply {
    return replyOf(content, facts, this.#worker.state);
  }
}

/** What serving one call goes on. */
interface Turn {
  readonly call: WorkerCall;
  readonly budget: CallBudget;
}

/** It does nothing that a call would have to wait for. */
function isSettled({ kind }: SeatState): boolean {
  return kind === "waiting" || kind === "ended";
}

function isBareInterrupt({ controls, text }: ControlInput): boolean {
  return text === "" && controls.length > 0 && !controls.includes("restart");
}
