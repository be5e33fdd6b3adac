/**
 * Puts a plan of limits on a sandbox that waits at its gate, and watches it afterwards.
 *
 * Everything is in place before the command exists. When something
 * cannot be put in place this throws and leaves nothing behind: then the gate stays shut.
 * Wall time and output are the runner's own.
 */
import fs from "node:fs";
import { isRunning } from "../placeholders/process-identity.ts";
import { SandboxError } from "../sandbox-error.ts";
import { type ControlGroup, createControlGroup, sweepControlGroups } from "./control-group.ts";
import type { LimitName, LimitPlan, PlannedLimit } from "./plan-limits.ts";
import { openSandboxUsage, type SandboxUsage } from "./sandbox-usage.ts";
import { setPidMax } from "./set-pid-max.ts";
import { setRlimits } from "./set-rlimits.ts";

export interface AppliedLimits {
  readonly applied: readonly PlannedLimit[];
  /** Calls `end` once, with the first limit on memory or processor time that is passed. */
  watch(end: (limit: LimitName) => void): void;
  /** What was hit so far, as far as the kernel tells; also after `close`. */
  exceeded(): readonly LimitName[];
  /** Ends what still runs in the sandbox's control groups and removes them. */
  close(): Promise<void>;
}

const INTERVAL_MS = 50;

/** Applies `plan` to the sandbox whose first process is `pid`. Throws unless all of it holds. */
export async function applyLimits(plan: LimitPlan, pid: number): Promise<AppliedLimits> {
  const groups: ControlGroup[] = [];
  try {
    for (const { place, settings } of plan.groups) {
      await sweepControlGroups(place);
      groups.push(createControlGroup(place, settings));
    }
    // Starting a program and moving a process hold each other up in the kernel.
    await setRlimits(plan, pid);
    await setPidMax(plan, pid);
    for (const group of groups) await group.enter(pid);
    return new Applied(plan, { pid, groups, usage: openUsage(plan, pid) });
  } catch (error) {
    await Promise.all(groups.map((group) => group.remove()));
    throw error;
  }
}

interface Subject {
  readonly pid: number;
  readonly groups: readonly ControlGroup[];
  readonly usage: SandboxUsage | undefined;
}

class Applied implements AppliedLimits {
  readonly applied: readonly PlannedLimit[];
  readonly #watch: LimitPlan["watch"];
  readonly #subject: Subject;
  readonly #hit = new Set<LimitName>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(plan: LimitPlan, subject: Subject) {
    this.applied = plan.applied;
    this.#watch = plan.watch;
    this.#subject = subject;
  }

  watch(end: (limit: LimitName) => void): void {
    const watched = this.applied.some(
      ({ limit }) => limit === "memoryBytes" || limit === "cpuTimeMs",
    );
    if (!watched || this.#closed || this.#timer !== undefined) return;
    this.#timer = setInterval(() => {
      const limit = this.#passed();
      if (limit === undefined) return;
      clearInterval(this.#timer);
      this.#hit.add(limit);
      end(limit);
    }, INTERVAL_MS);
  }

  exceeded(): readonly LimitName[] {
    if (!this.#closed) this.#note();
    return [...this.#hit];
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#note();
    this.#closed = true;
    clearInterval(this.#timer);
    this.#subject.usage?.close();
    await Promise.all(this.#subject.groups.map((group) => group.remove()));
  }

  /** A sandbox that lives and cannot be looked at is ended like one that used too much. */
  #passed(): LimitName | undefined {
    this.#note();
    if (this.#hit.has("memoryBytes")) return "memoryBytes";
    try {
      const { memoryBytes, cpuTimeMs } = this.#watch;
      if (cpuTimeMs !== undefined && this.#cpuTimeMs() > cpuTimeMs) return "cpuTimeMs";
      if (memoryBytes === undefined) return undefined;
      const used = this.#subject.usage?.memoryBytes(memoryBytes) ?? 0;
      return used > memoryBytes ? "memoryBytes" : undefined;
    } catch {
      const [first] = Object.keys(this.#watch) as LimitName[];
      return isRunning(this.#subject.pid) ? first : undefined;
    }
  }

  #cpuTimeMs(): number {
    for (const group of this.#subject.groups) {
      const microseconds = /^usage_usec (\d+)/.exec(group.read("cpu.stat") ?? "")?.[1];
      if (microseconds !== undefined) return Number(microseconds) / 1e3;
      const nanoseconds = group.read("cpuacct.usage");
      if (nanoseconds !== undefined) return Number(nanoseconds) / 1e6;
    }
    return this.#subject.usage?.cpuTimeMs() ?? Number.POSITIVE_INFINITY;
  }

  /** What the kernel stopped by itself is only known from its counters. */
  #note(): void {
    for (const group of this.#subject.groups) {
      const kills = group.read("memory.events") ?? group.read("memory.oom_control") ?? "";
      if (/^oom_kill [1-9]/m.test(kills)) this.#hit.add("memoryBytes");
      if (/^max [1-9]/m.test(group.read("pids.events") ?? "")) this.#hit.add("processes");
    }
  }
}

/** Only what no control group counts is added up over processes. */
function openUsage(plan: LimitPlan, pid: number): SandboxUsage | undefined {
  if (!plan.applied.some(({ by }) => by === "watchedTree")) return undefined;
  try {
    // Should the host run out of memory before the watch sees it, the sandbox goes first.
    if (plan.watch.memoryBytes !== undefined)
      fs.writeFileSync(`/proc/${pid}/oom_score_adj`, "1000");
    const usage = openSandboxUsage(pid);
    usage.cpuTimeMs();
    usage.memoryBytes(0);
    return usage;
  } catch (cause) {
    throw new SandboxError("backendFailed", `Cannot watch process ${pid}: ${String(cause)}`, {
      cause,
    });
  }
}
