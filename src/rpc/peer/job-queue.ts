/**
 * Runs incoming calls in the order a schedule asks for.
 *
 * A job waits in one of two places: behind an earlier job with its key, or in
 * its lane until a slot is free. Lanes do not share slots, so ordinary calls
 * cannot starve the control lane. A sequential schedule is one slot and no keys.
 */
import { Fifo } from "../transports/fifo.ts";
import { checkSchedule, type Schedule, SEQUENTIAL } from "./schedule.ts";

export interface Job {
  /** Absent for what has no method: a malformed message is worked off like an ordinary call. */
  readonly method?: string;
  readonly params?: unknown;
  /** Size while it waits, in characters. */
  readonly length: number;
  /** A rejection frees the slot like any other end. */
  readonly run: () => Promise<void>;
}

type LaneName = "ordinary" | "control";

interface Placed {
  readonly job: Job;
  readonly turn: number;
  readonly lane: LaneName;
  readonly key: string | undefined;
}

export interface QueueEvents {
  /** A job left the queue and is at work, or was dropped. */
  left(job: Job): void;
  /** No job is at work. */
  idle(): void;
}

export class JobQueue {
  readonly #events: QueueEvents;
  #schedule: Schedule = SEQUENTIAL;
  #next: Schedule | undefined;
  #turn = 0;
  readonly #running = { ordinary: 0, control: 0 };
  readonly #ready = { ordinary: new Fifo<Placed>(), control: new Fifo<Placed>() };
  /** Per key: the jobs behind the one that is ready or at work. */
  readonly #behind = new Map<string, Fifo<Placed>>();
  readonly #atWork = new Set<string>();

  constructor(events: QueueEvents) {
    this.#events = events;
  }

  get busy(): boolean {
    return this.#running.ordinary + this.#running.control > 0;
  }

  /** True when some calls may overtake others that cannot start. */
  get hasControlLane(): boolean {
    return this.#schedule.kind === "concurrent" && this.#schedule.control !== undefined;
  }

  /** Where a call would wait if it came now. */
  laneOf(job: Pick<Job, "method" | "params">): LaneName {
    return this.#placeOf(job).lane;
  }

  add(job: Job): void {
    this.#turn += 1;
    this.#place(job, this.#turn);
    this.#start();
  }

  /**
   * Jobs that wait are placed again, in their old order. A job that is at work
   * under the sequential order has no key to hold its successors back, so it is
   * finished first.
   */
  use(schedule: Schedule): void {
    checkSchedule(schedule);
    this.#next = schedule;
    if (this.#schedule.kind === "concurrent" || !this.busy) this.#change();
    this.#start();
  }

  clear(): void {
    for (const { job } of this.#takeWaiting()) this.#events.left(job);
  }

  #change(): void {
    if (!this.#next) return;
    this.#schedule = this.#next;
    this.#next = undefined;
    for (const { job, turn } of this.#takeWaiting()) this.#place(job, turn);
  }

  #takeWaiting(): Placed[] {
    const waiting = [
      ...this.#ready.ordinary.takeAll(),
      ...this.#ready.control.takeAll(),
      ...[...this.#behind.values()].flatMap((jobs) => jobs.takeAll()),
    ];
    // A key stays taken while its job is at work, so that order survives the change.
    for (const key of this.#behind.keys()) if (!this.#atWork.has(key)) this.#behind.delete(key);
    return waiting.sort((a, b) => a.turn - b.turn);
  }

  #place(job: Job, turn: number): void {
    const placed = { job, turn, ...this.#placeOf(job) };
    const behind = placed.key === undefined ? undefined : this.#behind.get(placed.key);
    if (behind) behind.push(placed);
    else this.#makeReady(placed);
  }

  #placeOf({ method, params }: Pick<Job, "method" | "params">): Pick<Placed, "lane" | "key"> {
    const schedule = this.#schedule;
    if (schedule.kind === "sequential" || method === undefined) return ORDINARY;
    if (schedule.control?.methods.has(method)) return { lane: "control", key: undefined };
    return { lane: "ordinary", key: keyFor(schedule, method, params) };
  }

  #makeReady(placed: Placed): void {
    if (placed.key !== undefined && !this.#behind.has(placed.key)) {
      this.#behind.set(placed.key, new Fifo());
    }
    this.#ready[placed.lane].push(placed);
  }

  #start(): void {
    for (const lane of LANES) {
      while (this.#running[lane] < this.#limit(lane)) {
        const next = this.#ready[lane].shift();
        if (!next) break;
        this.#run(next);
      }
    }
  }

  #limit(lane: LaneName): number {
    const schedule = this.#schedule;
    if (schedule.kind === "sequential") return this.busy ? 0 : 1;
    return lane === "control" ? (schedule.control?.limit ?? 0) : schedule.limit;
  }

  #run(placed: Placed): void {
    const { job, lane, key } = placed;
    this.#running[lane] += 1;
    if (key !== undefined) this.#atWork.add(key);
    const done = job.run();
    this.#events.left(job);
    const finish = () => this.#finish(placed);
    void done.then(finish, finish);
  }

  #finish({ lane, key }: Placed): void {
    this.#running[lane] -= 1;
    if (key !== undefined) this.#release(key);
    if (!this.busy) this.#change();
    this.#start();
    if (!this.busy) this.#events.idle();
  }

  #release(key: string): void {
    this.#atWork.delete(key);
    const next = this.#behind.get(key)?.shift();
    if (next) this.#makeReady(next);
    else this.#behind.delete(key);
  }
}

/** Params are a stranger's here. What `keyOf` cannot read, the method's own check will refuse. */
function keyFor(
  { keyOf }: Extract<Schedule, { kind: "concurrent" }>,
  method: string,
  params: unknown,
): string | undefined {
  try {
    return keyOf?.(method, params);
  } catch {
    return undefined;
  }
}

const LANES = ["control", "ordinary"] as const;
const ORDINARY = { lane: "ordinary", key: undefined } as const;
