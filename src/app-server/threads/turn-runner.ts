/**
 * The turns of one thread, one at a time: from the answer that there will be one
 * to the news that it is over.
 */
import type { SaidInput, ThreadAgent, TurnEnd, TurnFrame } from "../../agent/index.ts";
import { afterAnswer, type FaultLog } from "../../rpc/index.ts";
import type { PendingApprovals } from "../approvals/pending-approvals.ts";
import { appProtocol } from "../protocol/app-protocol.ts";
import type { ItemRecord, TurnRecord } from "../store/thread-record.ts";
import type { ThreadStore } from "../store/thread-store.ts";
import { ThreadStoreError } from "../store/thread-store-error.ts";
import { writeTurn, writeTurnError } from "../wire/write-turn.ts";
import { ActiveTurn, type ActiveTurnOptions } from "./active-turn.ts";
import { createId } from "./create-id.ts";
import type { Subscribers } from "./subscribers.ts";
import { TurnNews } from "./turn-news.ts";

const { notify } = appProtocol.toClient;

export interface TurnRunnerOptions {
  readonly thread: string;
  readonly subscribers: Subscribers;
  readonly approvals: PendingApprovals;
  readonly store: ThreadStore;
  readonly grant: ActiveTurnOptions["grant"];
  readonly renew: ActiveTurnOptions["renew"];
  readonly nextRequestId: () => number;
  readonly now: () => number;
  readonly log: FaultLog;
  /** Told when a turn has begun and when it is over. */
  readonly changed: () => void;
}

/** What a turn does; again with what was said after it had looked for the last time. */
export type TurnWork = (turn: ActiveTurn, late: SaidInput | undefined) => Promise<TurnEnd>;

/** What a turn begins with. */
interface Beginning {
  readonly said?: SaidInput | undefined;
  /** What is kept with it: both, or neither. May be called again. */
  readonly keepAlong: () => void;
}

export class TurnRunner {
  readonly #options: TurnRunnerOptions;
  readonly #news: TurnNews;
  #running: { readonly turn: ActiveTurn; readonly over: Promise<void> } | undefined;
  readonly #asides = new Set<Promise<void>>();
  #hasFailed = false;
  /** Turns that are over and are kept as ones that run. */
  #unkept: readonly TurnRecord[] = [];

  constructor(options: TurnRunnerOptions) {
    this.#options = options;
    this.#news = new TurnNews(options.thread, options.subscribers);
  }

  get active(): ActiveTurn | undefined {
    return this.#running?.turn;
  }

  /** Whether the last turn failed. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Keeps that there is a turn and what was said, and begins it after whoever asked was answered. */
  begin(environment: string | null, work: TurnWork, beginning: Beginning): string {
    const { thread, store, approvals, subscribers, grant, renew, nextRequestId, now } =
      this.#options;
    const startedAt = now();
    const record = {
      id: createId(startedAt),
      state: "inProgress",
      error: null,
      startedAt,
      completedAt: null,
    } as const;
    const opening = this.#keepBegun(record, beginning);
    const turn = new ActiveTurn({
      ...{ thread, record, opening, environment, store, approvals, subscribers },
      ...{ grant, renew, nextRequestId, now },
      tell: (event, item) => this.#news.tell(record.id, event, item),
    });
    const { promise: over, resolve } = Promise.withResolvers<void>();
    this.#running = { turn, over };
    this.#hasFailed = false;
    afterAnswer(() => void this.#run(turn, work).finally(resolve));
    return turn.id;
  }

  /** Says something to the model, after all else that is kept of the thread. */
  talk(
    agent: ThreadAgent,
    frame: TurnFrame,
  ): (turn: ActiveTurn, input: SaidInput) => Promise<TurnEnd> {
    const { thread, store } = this.#options;
    return (turn, input) => {
      const kept = store.history(thread).map(({ item }) => item);
      const history = kept.filter(({ id }) => id !== input.id);
      return agent.runTurn({ turn: turn.id, history, input, frame }, turn);
    };
  }

  /** Does something else within the turn that runs, which does not end before that does. */
  beside(turn: ActiveTurn, work: (turn: ActiveTurn) => Promise<TurnEnd>): void {
    const aside = this.#endOf(turn, () => work(turn)).then(() => void this.#asides.delete(aside));
    this.#asides.add(aside);
  }

  async interrupt(): Promise<void> {
    this.#running?.turn.interrupt();
    await this.#running?.over;
  }

  /** Settles when no turn is being stopped. */
  async stopped(): Promise<void> {
    if (this.#running?.turn.isStopping) await this.#running.over;
  }

  /** Ends what runs, for good. */
  async close(): Promise<void> {
    await this.interrupt();
    try {
      this.#keepEnds();
    } catch (fault) {
      // Whoever loads the thread next finds them interrupted.
      this.#options.log(fault);
    }
  }

  /** What was said, where there was room for it: where there is none, the turn says why it is not kept. */
  #keepBegun(record: TurnRecord, { said, keepAlong }: Beginning): ItemRecord | undefined {
    const { thread, store } = this.#options;
    const keep = (opening?: ItemRecord) => {
      this.#keepEnds(() => {
        keepAlong();
        store.startTurn(thread, record, opening);
      });
      return opening;
    };
    if (said === undefined) return keep();
    try {
      return keep(openingOf(record, said));
    } catch (fault) {
      if (!(fault instanceof ThreadStoreError) || fault.code !== "full") throw fault;
      return keep();
    }
  }

  /** The ends that could not be kept before, and what is to be kept after them. */
  #keepEnds(keepMore: () => void = () => {}): void {
    const { thread, store } = this.#options;
    store.atOnce(() => {
      for (const record of this.#unkept) store.endTurn(thread, record);
      keepMore();
    });
    this.#unkept = [];
  }

  async #run(turn: ActiveTurn, work: TurnWork): Promise<void> {
    const { thread: threadId, subscribers, changed } = this.#options;
    changed();
    const begun = writeTurn(turn.record, [], "notLoaded");
    subscribers.notify(notify.turnStarted, { threadId, turn: begun });
    let reached = await this.#endOf(turn, () => work(turn, undefined));
    for (;;) {
      // Stopped by an answer: what else runs in it is stopped too.
      if (reached.status === "interrupted") turn.interrupt();
      while (this.#asides.size > 0) await Promise.all(this.#asides);
      // Nothing comes between the last look and the end: what is said then is said, or begins a turn.
      const late = turn.lateAfter(reached);
      if (late === undefined) break;
      reached = await this.#endOf(turn, () => work(turn, late));
    }
    const end = this.#end(turn, reached);
    this.#running = undefined;
    this.#hasFailed = end.status === "failed";
    changed();
    this.#tellEnd(turn, end);
  }

  #tellEnd(turn: ActiveTurn, end: TurnEnd): void {
    const { thread: threadId, subscribers } = this.#options;
    if (end.status === "failed") {
      const error = writeTurnError(end.message);
      subscribers.notify(notify.error, { error, willRetry: false, threadId, turnId: turn.id });
    }
    const last = end.status === "completed" ? turn.lastMessage : undefined;
    const view = last === undefined ? "notLoaded" : "summary";
    const told = writeTurn(turn.record, last === undefined ? [] : [last], view);
    subscribers.notify(notify.turnCompleted, { threadId, turn: told });
  }

  async #endOf(turn: ActiveTurn, work: () => Promise<TurnEnd>): Promise<TurnEnd> {
    try {
      const end = await work();
      return turn.signal.aborted ? { status: "interrupted" } : end;
    } catch (fault) {
      if (fault instanceof ThreadStoreError) return unkept(fault);
      this.#options.log(fault);
      return { status: "failed", message: "internal error" };
    }
  }

  /** An end that cannot be kept is a failure, whatever it was. */
  #end(turn: ActiveTurn, end: TurnEnd): TurnEnd {
    try {
      turn.end(end);
      return end;
    } catch (fault) {
      this.#options.log(fault);
      const failed = unkept(fault);
      turn.fail(failed.message);
      this.#unkept = [...this.#unkept, turn.record];
      return failed;
    }
  }
}

function openingOf({ id: turn, startedAt }: TurnRecord, said: SaidInput): ItemRecord {
  const item = { type: "userMessage", ...said } as const;
  return { turn, item, startedAt, completedAt: startedAt };
}

function unkept(fault: unknown): Extract<TurnEnd, { status: "failed" }> {
  const what = fault instanceof Error ? fault.message : String(fault);
  return { status: "failed", message: `the turn could not be kept: ${what}` };
}
