/**
 * A turn that runs: what it says is kept, then told.
 *
 * It is the port of the agent. What was kept before the process died is what a
 * later one finds, so nothing is told that was not.
 */
import type {
  ApprovalAnswer,
  ApprovalQuestion,
  ClientAnswer,
  ClientCall,
  GrantRequest,
  PermissionAnswer,
  PermissionQuestion,
  SaidInput,
  TurnEnd,
  TurnEvent,
  TurnPort,
} from "../../agent/index.ts";
import type { GrantedProfile } from "../../policy/index.ts";
import type { PendingApprovals } from "../approvals/pending-approvals.ts";
import type { ItemRecord, TurnRecord } from "../store/thread-record.ts";
import type { ThreadStore } from "../store/thread-store.ts";
import { callClient } from "./call-client.ts";
import { latestRecords } from "./latest-records.ts";
import type { Subscribers } from "./subscribers.ts";
import { UntakenInput } from "./untaken-input.ts";

export interface ActiveTurnOptions {
  readonly thread: string;
  readonly record: TurnRecord;
  /** What it begins with, where that was kept along with it. */
  readonly opening: ItemRecord | undefined;
  readonly environment: string | null;
  readonly store: ThreadStore;
  readonly approvals: PendingApprovals;
  readonly subscribers: Subscribers;
  readonly grant: (request: GrantRequest) => Promise<GrantedProfile>;
  readonly renew: TurnPort["renew"];
  readonly nextRequestId: () => number;
  readonly now: () => number;
  readonly tell: (event: TurnEvent, item: ItemRecord | undefined) => void;
}

export class ActiveTurn implements TurnPort {
  readonly #options: ActiveTurnOptions;
  readonly #stop = new AbortController();
  readonly #untaken = new UntakenInput();
  readonly #startedAt = new Map<string, number>();
  #record: TurnRecord;
  #message: ItemRecord | undefined;
  #isCancelled = false;

  constructor(options: ActiveTurnOptions) {
    this.#options = options;
    this.#record = options.record;
  }

  get id(): string {
    return this.#record.id;
  }

  get record(): TurnRecord {
    return this.#record;
  }

  /** The last thing the model said; what a finished turn is summed up by. */
  get lastMessage(): ItemRecord | undefined {
    return this.#message;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Whether it takes nothing any more: it was stopped, or an answer is about to stop it. */
  get isStopping(): boolean {
    return this.#isCancelled || this.signal.aborted;
  }

  emit(...events: TurnEvent[]): void {
    const records = events.map((event) => this.#recordOf(event));
    const told = records.filter((record) => record !== undefined);
    this.#keep(told.filter((record) => record !== this.#options.opening));
    for (const [index, event] of events.entries()) this.#options.tell(event, records[index]);
  }

  async approve(question: ApprovalQuestion): Promise<ApprovalAnswer> {
    const { approvalId, itemId } = question;
    const answer = await this.#asking(approvalId ?? itemId, () =>
      this.#options.approvals.ask(question, this.#context),
    );
    if (answer === "cancel") this.#isCancelled = true;
    return answer;
  }

  renew(): Promise<void> {
    return this.#options.renew();
  }

  askPermissions(question: PermissionQuestion): Promise<PermissionAnswer> {
    return this.#asking(question.itemId, () =>
      this.#options.approvals.askPermissions(question, this.#context),
    );
  }

  grant(request: GrantRequest): Promise<GrantedProfile> {
    return this.#options.grant(request);
  }

  callClient(call: ClientCall): Promise<ClientAnswer> {
    const { thread: threadId, subscribers, nextRequestId } = this.#options;
    const { id: turnId, signal } = this;
    return callClient(call, subscribers, { threadId, turnId, id: nextRequestId(), signal });
  }

  takeSteered(): readonly SaidInput[] {
    return this.#untaken.takeAll();
  }

  /** Throws `RpcError` where more waits to be taken up than there is room for. */
  refuse(input: SaidInput): void {
    this.#untaken.refuse(input);
  }

  steer(input: SaidInput): void {
    this.#untaken.add(input);
  }

  /** The next thing that was said and not taken, if the turn came to an end in which it can be said. */
  lateAfter({ status }: TurnEnd): SaidInput | undefined {
    return status === "completed" ? this.#untaken.takeFirst() : undefined;
  }

  interrupt(): void {
    this.#stop.abort();
  }

  /** Keeps how it ended. */
  end(end: TurnEnd): TurnRecord {
    const { store, thread, now } = this.#options;
    this.#record = {
      ...this.#record,
      state: end.status,
      error: end.status === "failed" ? end.message : null,
      completedAt: now(),
    };
    if (end.status === "failed") this.#keepUnsaid();
    store.endTurn(thread, this.#record);
    return this.#record;
  }

  /** What is told of a turn whose end could not be kept. */
  fail(message: string): void {
    this.#record = { ...this.#record, state: "failed", error: message };
  }

  /** Whoever said it was told that this turn has it. One that they stop leaves it to them to say again. */
  #keepUnsaid(): void {
    const atMs = this.#options.now();
    for (const said of this.takeSteered()) {
      const item = { type: "userMessage", ...said } as const;
      this.emit({ kind: "itemStarted", item, atMs }, { kind: "itemCompleted", item, atMs });
    }
  }

  /** That an item waits for an answer is kept until it has one: where it never gets it, it was never begun. */
  async #asking<T>(id: string, ask: () => Promise<T>): Promise<T> {
    const { store, thread } = this.#options;
    const item = { turn: this.id, id };
    store.markAsked(thread, item, true);
    const answer = await ask();
    store.markAsked(thread, item, false);
    return answer;
  }

  get #context() {
    const { thread, environment, now } = this.#options;
    return { thread, turn: this.id, environment, atMs: now(), signal: this.signal };
  }

  /** What happens at once is one change of the store. */
  #keep(records: readonly ItemRecord[]): void {
    if (records.length === 0) return;
    this.#options.store.putItem(this.#options.thread, ...latestRecords(records));
    this.#message = records.findLast(({ item }) => item.type === "agentMessage") ?? this.#message;
  }

  #recordOf(event: TurnEvent): ItemRecord | undefined {
    if (event.kind !== "itemStarted" && event.kind !== "itemCompleted") return undefined;
    const { kind, item, atMs } = event;
    const { opening } = this.#options;
    if (item.id === opening?.item.id) return opening;
    const startedAt = this.#startedAt.get(item.id) ?? atMs;
    this.#startedAt.set(item.id, startedAt);
    return { turn: this.id, item, startedAt, completedAt: kind === "itemCompleted" ? atMs : null };
  }
}
