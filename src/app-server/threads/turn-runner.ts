/**
 * The turns of one thread, one at a time: from the answer that there will be one
 * to the news that it is over.
 */
import type { SaidInput, ThreadAgent, TurnEnd, TurnFrame } from "../../agent/index.ts";
import type { FaultLog } from "../../rpc/index.ts";
import type { PendingApprovals } from "../approvals/pending-approvals.ts";
import { appProtocol } from "../protocol/app-protocol.ts";
import type { ThreadStore } from "../store/thread-store.ts";
import { ThreadStoreError } from "../store/thread-store-error.ts";
import { writeTurn, writeTurnError } from "../wire/write-turn.ts";
import { ActiveTurn } from "./active-turn.ts";
import { createId } from "./create-id.ts";
import type { Subscribers } from "./subscribers.ts";
import { TurnNews } from "./turn-news.ts";

const { notify } = appProtocol.toClient;

export interface TurnRunnerOptions {
  readonly thread: string;
  readonly subscribers: Subscribers;
  readonly approvals: PendingApprovals;
  readonly store: ThreadStore;
  readonly now: () => number;
  readonly log: FaultLog;
  /** Told when a turn has begun and when it is over. */
  readonly changed: () => void;
}

export type TurnWork = (turn: ActiveTurn) => Promise<TurnEnd>;

export class TurnRunner {
  readonly #options: TurnRunnerOptions;
  readonly #news: TurnNews;
  #running: { readonly turn: ActiveTurn; readonly over: Promise<void> } | undefined;
  #hasFailed = false;

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

  /** Keeps that there is a turn, and begins it after whoever asked was answered. */
  begin(environment: string | null, work: TurnWork): string {
    const { thread, store, approvals, now } = this.#options;
    const startedAt = now();
    const record = {
      id: createId(startedAt),
      state: "inProgress",
      error: null,
      startedAt,
      completedAt: null,
    } as const;
    store.startTurn(thread, record);
    const turn = new ActiveTurn({
      ...{ thread, record, environment, store, approvals, now },
      tell: (event, item) => this.#news.tell(record.id, event, item),
    });
    const { promise: over, resolve } = Promise.withResolvers<void>();
    this.#running = { turn, over };
    this.#hasFailed = false;
    setImmediate(() => void this.#run(turn, work).finally(resolve));
    return turn.id;
  }

  /** What a turn does that somebody says something in; what came too late for its last round is said in another. */
  talk(agent: ThreadAgent, input: SaidInput, frame: TurnFrame): TurnWork {
    const { thread, store } = this.#options;
    return async (turn) => {
      for (let said = input; ; ) {
        const history = store.history(thread).map(({ item }) => item);
        const end = await agent.runTurn({ turn: turn.id, history, input: said, frame }, turn);
        const late = end.status === "completed" ? joined(turn.takeSteered()) : undefined;
        if (late === undefined) return end;
        said = late;
      }
    };
  }

  async interrupt(): Promise<void> {
    this.#running?.turn.interrupt();
    await this.#running?.over;
  }

  async #run(turn: ActiveTurn, work: TurnWork): Promise<void> {
    const { thread: threadId, subscribers, changed } = this.#options;
    changed();
    const begun = writeTurn(turn.record, [], "notLoaded");
    subscribers.notify(notify.turnStarted, { threadId, turn: begun });
    const end = this.#end(turn, await this.#endOf(turn, work));
    this.#running = undefined;
    this.#hasFailed = end.status === "failed";
    changed();
    if (end.status === "failed") {
      const error = writeTurnError(end.message);
      subscribers.notify(notify.error, { error, willRetry: false, threadId, turnId: turn.id });
    }
    const last = end.status === "completed" ? turn.lastMessage : undefined;
    const view = last === undefined ? "notLoaded" : "summary";
    const told = writeTurn(turn.record, last === undefined ? [] : [last], view);
    subscribers.notify(notify.turnCompleted, { threadId, turn: told });
  }

  async #endOf(turn: ActiveTurn, work: TurnWork): Promise<TurnEnd> {
    try {
      const end = await work(turn);
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
      return unkept(fault);
    }
  }
}

function unkept(fault: unknown): TurnEnd {
  const what = fault instanceof Error ? fault.message : String(fault);
  return { status: "failed", message: `the turn could not be kept: ${what}` };
}

function joined([first, ...rest]: readonly SaidInput[]): SaidInput | undefined {
  if (first === undefined) return undefined;
  return { ...first, content: [first, ...rest].flatMap(({ content }) => content) };
}
