/**
 * A thread that clients can work in: its settings, its followers, what it is held to.
 *
 * What a turn may do is frozen when it begins. A change is kept before it is
 * announced, and nothing is kept of a thread in which nothing was said.
 */
import type { SaidInput, ThreadAgent, ThreadProcess } from "../../agent/index.ts";
import { type FaultLog, RpcError } from "../../rpc/index.ts";
import { PendingApprovals } from "../approvals/pending-approvals.ts";
import type { Broadcast } from "../broadcast.ts";
import type { ConfigOverrides } from "../policy/app-config.ts";
import type { ChosenPolicy } from "../policy/chosen-policy.ts";
import { echoPolicy } from "../policy/echo-policy.ts";
import type { PolicyGrants } from "../policy/policy-grants.ts";
import { appProtocol } from "../protocol/app-protocol.ts";
import type { ThreadRecord, ThreadSettings } from "../store/thread-record.ts";
import type { ThreadStore } from "../store/thread-store.ts";
import { type WireThreadStatus, writeThread } from "../wire/write-thread.ts";
import type { ActiveTurn } from "./active-turn.ts";
import { keepState } from "./keep-state.ts";
import { Subscribers } from "./subscribers.ts";
import {
  changedState,
  frameOfState,
  type SettingsChange,
  saidState,
  type ThreadState,
} from "./thread-state.ts";
import { TurnRunner, type TurnWork } from "./turn-runner.ts";
import { writeSettings } from "./write-settings.ts";

const { notify } = appProtocol.toClient;

/** What a thread needs of the server it is loaded in. */
export interface ThreadHome {
  readonly now: () => number;
  readonly nextRequestId: () => number;
  readonly grants: Pick<PolicyGrants, "grant" | "renew">;
  readonly broadcast: Broadcast;
  readonly version: string;
  readonly log: FaultLog;
  /** Told when nobody has followed the thread for long. */
  readonly idle: (thread: LoadedThread) => void;
}

export interface LoadedThreadOptions {
  readonly record: ThreadRecord;
  readonly chosen: ChosenPolicy;
  readonly overrides: ConfigOverrides;
  readonly agent: ThreadAgent;
  readonly store: ThreadStore;
  /** In memory only: its store is its own, and ends with it. */
  readonly isEphemeral: boolean;
  /** Whether the store has it already. */
  readonly isKept: boolean;
  readonly home: ThreadHome;
}

/** After so long without followers and work a thread is let go. */
const IDLE_MS = 30 * 60_000;

export class LoadedThread {
  readonly subscribers = new Subscribers((connection) => {
    this.approvals.drop(connection);
    this.#watchIdle();
  });
  readonly approvals: PendingApprovals;
  readonly overrides: ConfigOverrides;
  readonly #options: LoadedThreadOptions;
  readonly #turns: TurnRunner;
  #state: ThreadState;
  #queue: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: LoadedThreadOptions) {
    const { record, chosen, overrides, isKept, store, home } = options;
    this.#options = options;
    this.#state = { record, chosen, isKept, era: 0 };
    this.overrides = overrides;
    const { subscribers } = this;
    this.approvals = new PendingApprovals({
      subscribers,
      nextId: home.nextRequestId,
      changed: () => this.#tellStatus(),
    });
    this.#turns = new TurnRunner({
      thread: record.id,
      subscribers,
      approvals: this.approvals,
      store,
      grant: (request) => home.grants.grant(request, { place: this.current.place, overrides }),
      renew: () => home.grants.renew({ place: this.current.place, overrides }),
      nextRequestId: home.nextRequestId,
      now: home.now,
      log: home.log,
      changed: () => this.#turnChanged(),
    });
  }

  get id(): string {
    return this.record.id;
  }

  get record(): ThreadRecord {
    return this.#state.record;
  }

  get settings(): ThreadSettings {
    return this.record.settings;
  }

  /** Whether something was said in it, so that it can be found again. */
  get isMaterialized(): boolean {
    return this.#state.isKept;
  }

  get store(): ThreadStore {
    return this.#options.store;
  }

  get activeTurn(): ActiveTurn | undefined {
    return this.#turns.active;
  }

  get status(): WireThreadStatus {
    if (this.activeTurn === undefined) {
      return { type: this.#turns.hasFailed ? "systemError" : "idle" };
    }
    const waits = this.approvals.size > 0;
    return { type: "active", activeFlags: waits ? ["waitingOnApproval"] : [] };
  }

  /** The thread as clients are shown it. */
  show(turns: Parameters<typeof writeThread>[0]["turns"] = []) {
    const { isEphemeral: ephemeral, home } = this.#options;
    const { record, status } = this;
    return writeThread({ record, status, ephemeral, version: home.version, turns });
  }

  echo() {
    const { policy, place, bound, state } = this.current;
    return echoPolicy({ policy, place, bound, state });
  }

  /** What it is held to now, for whoever would change it. */
  get current(): ChosenPolicy {
    return this.#state.chosen;
  }

  /** One after the other: what reads the settings and changes them. */
  exclusively<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(act);
    this.#queue = done.catch(() => {});
    return done;
  }

  /** Goes on under other settings from the next turn on; followers hear of it if anything changed. */
  change(change: SettingsChange): void {
    this.#refuseClosed();
    this.#keep(changedState(this.#state, change));
  }

  rename(name: string): void {
    this.#keep({ ...this.#state, record: { ...this.record, name } });
  }

  /** Begins a turn under what is changed for it, or adds to the one that runs; the answer is its id. Both or neither. */
  say(input: SaidInput, change?: SettingsChange): string {
    this.#refuseClosed();
    const { agent } = this.#options;
    const running = this.activeTurn;
    if (running !== undefined) {
      running.refuse(input);
      if (change !== undefined) this.change(change);
      running.steer(input);
      return running.id;
    }
    const next = this.#nextOf(textOf(input), change);
    const talk = this.#turns.talk(agent, frameOfState(next));
    return this.#begin(next, (turn, late = input) => talk(turn, late), input);
  }

  /** A command of the user's own, under the policy of the thread; within the turn that runs if one does. */
  shell(command: string, change?: SettingsChange): string {
    this.#refuseClosed();
    const { agent } = this.#options;
    const running = this.activeTurn;
    if (running !== undefined && change !== undefined) this.change(change);
    const next = running === undefined ? this.#nextOf(command, change) : this.#state;
    const frame = frameOfState(next);
    const run = (turn: ActiveTurn) => agent.runShell({ turn: turn.id, command, frame }, turn);
    if (running !== undefined) {
      this.#turns.beside(running, run);
      return running.id;
    }
    const talk = this.#turns.talk(agent, frame);
    return this.#begin(next, (turn, late) => (late === undefined ? run(turn) : talk(turn, late)));
  }

  /** Stops the turn that runs, and waits until it has. */
  interrupt(): Promise<void> {
    return this.#turns.interrupt();
  }

  /** Settles when no turn is being stopped: such a one takes nothing any more. */
  stopped(): Promise<void> {
    return this.#turns.stopped();
  }

  /** What goes on in it, of the model's and of the user's. */
  get processes(): readonly ThreadProcess[] {
    return this.#options.agent.processes();
  }

  /** Ends one of them, whoever started it; a turn that it runs in goes on. */
  endProcess(processId: string): Promise<boolean> {
    return this.#options.agent.endProcess(processId);
  }

  /** Ends what runs in it and gives it back. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#turns.close();
    const { agent, store, isEphemeral } = this.#options;
    await agent.close();
    this.subscribers.clear();
    if (isEphemeral) store.close();
    else if (this.isMaterialized) store.yield(this.id);
  }

  /** For whoever found the thread before it was let go, and comes to it after. */
  #refuseClosed(): void {
    if (this.#isClosed) throw new RpcError("invalidRequest", `thread not found: ${this.id}`);
  }

  #turnChanged(): void {
    const record = { ...this.record, updatedAt: this.#options.home.now() };
    this.#state = { ...this.#state, record };
    this.#tellStatus();
    this.#watchIdle();
  }

  #nextOf(said: string, change: SettingsChange | undefined): ThreadState {
    const changed = change === undefined ? this.#state : changedState(this.#state, change);
    return saidState(changed, said);
  }

  /** What is new of the thread is kept along with its turn. */
  #begin(next: ThreadState, work: TurnWork, said?: SaidInput): string {
    const before = this.#state;
    let kept = next;
    const keepAlong = () => {
      kept = keepState(this.#options.store, before, next);
    };
    const environment = next.record.settings.environments[0]?.id ?? null;
    const id = this.#turns.begin(environment, work, { said, keepAlong });
    this.#become(kept, next);
    return id;
  }

  #keep(next: ThreadState): void {
    const { store, home } = this.#options;
    const record = { ...next.record, updatedAt: home.now() };
    const isNew = next.record !== this.record;
    this.#become(keepState(store, this.#state, isNew ? { ...next, record } : next), next);
  }

  /** As it was kept; what it was to become says whether its settings are others. */
  #become(kept: ThreadState, { record: { settings } }: ThreadState): void {
    const isSame = settings === this.settings;
    this.#state = kept;
    if (isSame) return;
    this.subscribers.notify(notify.threadSettingsUpdated, {
      threadId: this.id,
      threadSettings: writeSettings(settings, this.echo()),
    });
  }

  #tellStatus(): void {
    const { broadcast } = this.#options.home;
    broadcast(notify.threadStatusChanged, { threadId: this.id, status: this.status });
  }

  #watchIdle(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || this.subscribers.size > 0 || this.activeTurn !== undefined) return;
    this.#timer = setTimeout(() => this.#options.home.idle(this), IDLE_MS).unref();
  }
}

function textOf({ content }: SaidInput): string {
  return content.flatMap((one) => (one.type === "text" ? [one.text] : [])).join(" ");
}
