/**
 * One run from the moment its process exists: built, let go, limited, waited for.
 *
 * How the command ended comes from the back-end's status descriptor, never from
 * text: without its word the command did not run.
 */
import { setTimeout as sleep, setImmediate as soon } from "node:timers/promises";
import type { AbsolutePath } from "../../policy/index.ts";
import type { LaunchPlan } from "../launch-plan.ts";
import type { AppliedLimits } from "../limits/apply-limits.ts";
import type { LimitName } from "../limits/plan-limits.ts";
import { NO_PROGRAM } from "../no-program.ts";
import { endProcessesOf } from "../placeholders/end-survivors.ts";
import { identityOf, isRunning, type ProcessIdentity } from "../placeholders/process-identity.ts";
import { recordRun } from "../placeholders/record-run.ts";
import { awaitBuilt, faultOf, isLeaving, misplacedIn } from "./await-built.ts";
import type { Launched } from "./launch.ts";
import { childrenOf } from "./signals/children-of.ts";
import { killQuietly } from "./signals/kill-quietly.ts";
import { type SignalReach, signalTarget } from "./signals/signal-target.ts";
import type { StatusReport } from "./status-report.ts";
import type { InPlace, MountPointWatch } from "./watch-mount-points.ts";

/** What a timer can count to, 24 days: more would be no time at all. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export type RunOutcome =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "killed"; readonly signal: NodeJS.Signals }
  /** The command never ran: its sandbox could not be built, or there is no such program in it. */
  | {
      readonly kind: "notStarted";
      readonly what: "sandbox" | "command";
      readonly reason: string;
    }
  /** It used up what it was allowed to. */
  | { readonly kind: "limit"; readonly limit: LimitName; readonly value: number }
  /** Ended from outside: by a caller, or because what protected the host was taken away. */
  | { readonly kind: "ended"; readonly reason: string };

/** Why a run was stopped. */
export interface EndReason {
  readonly reason: string;
  readonly limit?: LimitName;
}

export interface RunParts {
  readonly plan: LaunchPlan;
  readonly records: AbsolutePath;
  /** What the run is called in the records. */
  readonly name: string;
  readonly launched: Launched;
  /** Aborted with an {@link EndReason}. */
  readonly stop: AbortController;
  readonly watch: MountPointWatch;
  /** What has to be done before the command may run. */
  readonly ready: Promise<void> | undefined;
  /** Whether the command leads a group of its own, which ends with it. */
  readonly group: "own" | "shared";
  readonly spare?: SpareParts | undefined;
}

/** What is special about a sandbox that is built before its command is known. */
export interface SpareParts {
  /** Told that it is built as planned, and waits for what it is to run; with its first process. */
  standing(first: number): void;
  /** Whether the shell in it could not start what it was told to. */
  hasFailed(): boolean;
}

const [QUICK_LOOKS, MOST_LOOKS] = [50, 5000];

export class Run {
  readonly #parts: RunParts;
  readonly #report: StatusReport | undefined;
  readonly #over = new AbortController();
  readonly #opened = Promise.withResolvers<boolean>();
  #first: number | undefined;
  #identity: ProcessIdentity | undefined;
  #limits: AppliedLimits | undefined;
  #refusal: string | undefined;
  #isBuilt = false;
  #isOpen = false;
  #output = 0;

  constructor(parts: RunParts) {
    this.#parts = parts;
    const { status, built } = parts.launched;
    this.#report = status;
    built?.then(() => status?.look());
    // Killed before it has told of its first process, bubblewrap leaves that one waiting for good.
    const kill = async () => {
      await this.#report?.pid;
      this.#send("SIGKILL");
    };
    if (parts.stop.signal.aborted) kill();
    parts.stop.signal.addEventListener("abort", kill);
  }

  async outcome(): Promise<RunOutcome> {
    const { launched } = this.#parts;
    const built = this.#build();
    const ended = await ending(launched);
    this.#over.abort("over");
    await built;
    this.#opened.resolve(false);
    if (this.#report !== undefined && this.#first === undefined) endProcessesOf(this.#parts.name);
    await this.#gone();
    await this.#limits?.close();
    return this.#stopped() ?? (await this.#ran(ended));
  }

  /** Whether the command was let run; settles as soon as that is known. */
  get opened(): Promise<boolean> {
    return this.#opened.promise;
  }

  /** Counts what the command prints; false for what came after too much, while it is being ended. */
  count(bytes: number): boolean {
    const allowed = this.#allowed("outputBytes") ?? Number.POSITIVE_INFINITY;
    const isWithin = this.#output <= allowed;
    this.#output += bytes;
    if (this.#output > allowed) this.#pass("outputBytes");
    return isWithin;
  }

  /** Whether the mounts are where they were planned. Those of a sandbox that is over cannot be missed. */
  inPlace(): InPlace {
    const first = this.#first;
    if (this.#over.signal.aborted) return "yes";
    if (!this.#isBuilt || first === undefined) return "unknown";
    const isMisplaced = misplacedIn(this.#parts.plan.expectedMounts, first) !== undefined;
    return isMisplaced && this.#lives(first) && !isLeaving(first) ? "no" : "yes";
  }

  /** The command is the first child of the sandbox's first process. */
  signal(name: NodeJS.Signals, reach: SignalReach): boolean {
    if (this.#report === undefined) {
      return reach === "group" ? this.#send(name) : this.#parts.launched.child.kill(name);
    }
    const first = this.#first;
    if (first === undefined || !this.#lives(first)) return false;
    const [command] = childrenOf(first) ?? [];
    if (command === undefined) return this.#isOpen && this.#signalSoon(name, reach);
    const target = signalTarget({ command, first }, reach);
    return target !== undefined && killQuietly(target, name);
  }

  /** What was let run a moment ago may not be there yet. */
  #signalSoon(name: NodeJS.Signals, reach: SignalReach): boolean {
    if (this.#over.signal.aborted) return false;
    setTimeout(() => this.signal(name, reach), 1).unref();
    return true;
  }

  /** Once it stands as planned the command may run; otherwise it is taken down again. */
  async #build(): Promise<void> {
    const { launched, stop } = this.#parts;
    this.#first = await this.#report?.pid;
    if (this.#report !== undefined && this.#first === undefined) return;
    this.#identity = this.#first === undefined ? undefined : identityOf(this.#first);
    try {
      if (this.#first !== undefined) await this.#check(this.#first);
    } catch (error) {
      this.#refusal = error instanceof Error ? error.message : String(error);
    }
    if (this.#over.signal.aborted || stop.signal.aborted) return;
    if (this.#refusal === undefined) this.#letGo();
    else launched.child.kill("SIGKILL");
  }

  async #check(first: number): Promise<void> {
    const { plan, records, name, launched, watch, ready } = this.#parts;
    recordRun(records, name, first);
    const signs = { built: launched.built, over: this.#over.signal };
    this.#refusal = await awaitBuilt(plan, first, signs);
    if (this.#refusal !== undefined) return;
    this.#parts.spare?.standing(first);
    await ready;
    // What seemed in place may have been brought there for the moment of looking.
    await watch.heard();
    this.#refusal = faultOf(plan, first);
    if (this.#refusal !== undefined) return;
    this.#isBuilt = true;
    if (plan.limits === undefined) return;
    const { applyLimits } = await import("../limits/apply-limits.ts");
    this.#limits = await applyLimits(plan.limits, first);
  }

  #letGo(): void {
    const time = this.#allowed("wallTimeMs");
    if (time !== undefined) {
      const timer = setTimeout(() => this.#pass("wallTimeMs"), Math.min(time, LONGEST_TIMER_MS));
      this.#over.signal.addEventListener("abort", () => clearTimeout(timer));
    }
    this.#limits?.watch((limit) => this.#pass(limit));
    this.#isOpen = true;
    this.#parts.launched.open?.();
    // Where there is no back-end, a program that could not be started has no number.
    this.#opened.resolve(this.#parts.launched.child.pid !== undefined);
  }

  #send(name: NodeJS.Signals): boolean {
    const { launched, group } = this.#parts;
    const { pid } = launched.child;
    if (group === "shared" || pid === undefined) return launched.child.kill(name);
    // While anybody is in a group its number is given to nobody else: who has it now is no longer ours.
    const isOver = launched.child.exitCode !== null || launched.child.signalCode !== null;
    return !(isOver && identityOf(pid) !== undefined) && killQuietly(-pid, name);
  }

  #allowed(name: LimitName): number | undefined {
    return this.#parts.plan.limits?.applied.find(({ limit }) => limit === name)?.value;
  }

  #pass(limit: LimitName): void {
    this.#parts.stop.abort({ reason: "a limit", limit } satisfies EndReason);
  }

  /** Exactly that process, whose number another one may have by now. */
  #lives(pid: number): boolean {
    return isRunning(pid) && identityOf(pid) === this.#identity;
  }

  /** Nothing of the sandbox can do anything any more when what protects the host is taken away. */
  async #gone(): Promise<void> {
    const pid = this.#first;
    for (
      let attempt = 0;
      pid !== undefined && this.#lives(pid) && attempt < MOST_LOOKS;
      attempt += 1
    ) {
      const isKilled = killQuietly(pid, "SIGKILL");
      // Only the limits have to wait until it has taken itself down as well.
      if (isKilled && this.#limits === undefined && isAlone(pid)) return;
      // Mostly it is on its way out already.
      await (attempt < QUICK_LOOKS ? soon() : sleep(1));
    }
  }

  #stopped(): RunOutcome | undefined {
    const { signal } = this.#parts.stop;
    if (!signal.aborted) return this.#ranOut();
    const { reason, limit }: EndReason = signal.reason;
    const value = limit && this.#allowed(limit);
    if (limit === undefined || value === undefined) return { kind: "ended", reason };
    return { kind: "limit", limit, value };
  }

  /** What the kernel ended by itself for want of memory, it only counts. */
  #ranOut(): RunOutcome | undefined {
    const value = this.#limits?.exceeded().includes("memoryBytes")
      ? this.#allowed("memoryBytes")
      : undefined;
    return value === undefined ? undefined : { kind: "limit", limit: "memoryBytes", value };
  }

  async #ran(ended: RunOutcome): Promise<RunOutcome> {
    if (this.#refusal !== undefined) {
      return { kind: "notStarted", what: "sandbox", reason: this.#refusal };
    }
    if (ended.kind !== "exited" || this.#report === undefined) return ended;
    const code = await this.#report.exitCode;
    const hasFailed = code !== undefined && this.#parts.spare?.hasFailed() === true;
    if (code !== undefined && !hasFailed) return { kind: "exited", code };
    // Ended by a signal before it was started: nobody has found that there is none.
    if (this.#isOpen && ended.code > 128) return ended;
    // Behind the gate only the command itself is left to start.
    if (this.#isOpen) return { kind: "notStarted", what: "command", reason: NONE_INSIDE };
    const reason = `${this.#parts.plan.argv[0]} failed before the command started`;
    return { kind: "notStarted", what: "sandbox", reason };
  }
}

const NONE_INSIDE = "the sandbox has no such program, or it cannot be executed";

const SPAWN_FAILURES = new Map<string | undefined, string>([
  ["ENOENT", NO_PROGRAM],
  ["EACCES", "it cannot be executed"],
]);

function ending({ child, status }: Launched): Promise<RunOutcome> {
  return new Promise((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      const what = status === undefined ? "command" : "sandbox";
      const reason = SPAWN_FAILURES.get(error.code) ?? error.message;
      resolve({ kind: "notStarted", what, reason });
    });
    child.once("exit", (code, signal) => {
      resolve(
        code === null ? { kind: "killed", signal: signal ?? "SIGKILL" } : { kind: "exited", code },
      );
    });
  });
}

/** A first process without children has no others in its sandbox; once killed it can make none. */
function isAlone(pid: number): boolean {
  return childrenOf(pid)?.length === 0;
}
