/**
 * Limits become what has to be done to a sandbox that waits at its gate.
 *
 * Pure. Each limit goes to the first means of this host that keeps it for the
 * whole sandbox; one that nothing keeps is an error, never left out. Address
 * space is never limited: engines that reserve much and use little would not start.
 */
import type { Limits } from "../../policy/index.ts";
import { SandboxError } from "../sandbox-error.ts";
import type { GroupSetting } from "./control-group.ts";
import type { Controller, GroupPlace } from "./own-groups.ts";
import type { LimitMeans, Resource } from "./probe-limit-means.ts";

export type LimitName = keyof Limits;

export interface PlannedLimit {
  readonly limit: LimitName;
  /** Lower than what was asked where the caller itself is under a lower one. */
  readonly value: number;
  readonly by: "cgroup" | "rlimit" | "pidMax" | "watchedCgroup" | "watchedTree" | "writ";
}

export interface LimitPlan {
  readonly applied: readonly PlannedLimit[];
  /** One control group per hierarchy, with what is set in it. */
  readonly groups: readonly { readonly place: GroupPlace; readonly settings: GroupSetting[] }[];
  readonly rlimits: readonly { readonly resource: Resource; readonly value: number }[];
  /** The `pid_max` of the sandbox's own pid namespace. */
  readonly pidMax: number | undefined;
  /** What is looked at while the command runs. */
  readonly watch: Readonly<Partial<Record<"memoryBytes" | "cpuTimeMs", number>>>;
  readonly programs: Pick<LimitMeans, "prlimit" | "nsenter">;
}

/** The first process of the sandbox only collects the others; the command is not charged for it. */
const REAPER = 1;
/**
 * A namespace whose numbers have gone round gives out none below 300 again. Under a lower limit
 * than this, less than half of what is allowed would then be left.
 */
const LEAST_BY_PID_MAX = 600;

/** Plans `limits`. Throws {@link SandboxError} when this host cannot keep one of them. */
export function planLimits(limits: Limits | undefined, means: LimitMeans): LimitPlan {
  const draft = new Draft(means);
  for (const [name, value] of Object.entries(limits ?? {}) as [LimitName, number | undefined][]) {
    if (value !== undefined) PLANNERS[name](value, draft);
  }
  return draft.plan;
}

const PLANNERS: Readonly<Record<LimitName, (value: number, draft: Draft) => void>> = {
  wallTimeMs: (value, draft) => draft.keep("wallTimeMs", value, "writ"),
  outputBytes: (value, draft) => draft.keep("outputBytes", value, "writ"),
  fileSizeBytes: (value, draft) => draft.limitResource("fileSizeBytes", "fsize", { value }),
  openFiles: (value, draft) => draft.limitResource("openFiles", "nofile", { value }),
  memoryBytes: planMemory,
  processes: planProcesses,
  cpuTimeMs: planCpuTime,
};

function planMemory(value: number, draft: Draft): void {
  const place = draft.means.groups.memory;
  if (place === undefined) {
    draft.watch.memoryBytes = value;
    draft.keep("memoryBytes", value, "watchedTree");
    return;
  }
  const text = String(value);
  const settings: readonly GroupSetting[] =
    place.version === 2
      ? [
          { file: "memory.max", value: text },
          { file: "memory.swap.max", value: "0", optional: true },
          { file: "memory.oom.group", value: "1", optional: true },
        ]
      : [
          { file: "memory.limit_in_bytes", value: text },
          { file: "memory.memsw.limit_in_bytes", value: text, optional: true },
        ];
  draft.useGroup("memory", settings);
  draft.keep("memoryBytes", value, "cgroup");
}

function planProcesses(value: number, draft: Draft): void {
  const { groups, countsPerSandbox, prlimit, nsenter } = draft.means;
  if (groups.pids !== undefined) {
    draft.useGroup("pids", [{ file: "pids.max", value: String(value + REAPER) }]);
    draft.keep("processes", value, "cgroup");
  } else if (countsPerSandbox && prlimit !== undefined) {
    draft.limitResource("processes", "nproc", { value, extra: REAPER });
  } else if (nsenter !== undefined && value >= LEAST_BY_PID_MAX) {
    draft.pidMax = value + REAPER + 1;
    draft.keep("processes", value, "pidMax");
  } else {
    const lacks = "there is no pids cgroup to write to, RLIMIT_NPROC does not count for this user";
    const range = `pid_max cannot be set or not to ${value} (least ${LEAST_BY_PID_MAX})`;
    throw cannot("processes", `${lacks}, and ${range}`);
  }
}

/** A process has a limit of its own besides, one second later, for the case that writ is stopped. */
function planCpuTime(value: number, draft: Draft): void {
  const grouped = draft.means.groups.cpu !== undefined;
  if (grouped) draft.useGroup("cpu", []);
  draft.watch.cpuTimeMs = value;
  const seconds = Math.ceil(value / 1000) + 1;
  if (draft.means.prlimit !== undefined && seconds < draft.means.ceilings.cpu) {
    draft.rlimits.push({ resource: "cpu", value: seconds });
  }
  draft.keep("cpuTimeMs", value, grouped ? "watchedCgroup" : "watchedTree");
}

class Draft {
  readonly means: LimitMeans;
  readonly watch: { memoryBytes?: number; cpuTimeMs?: number } = {};
  readonly rlimits: { resource: Resource; value: number }[] = [];
  readonly #applied: PlannedLimit[] = [];
  readonly #groups = new Map<string, { place: GroupPlace; settings: GroupSetting[] }>();
  pidMax: number | undefined;

  constructor(means: LimitMeans) {
    this.means = means;
  }

  keep(limit: LimitName, value: number, by: PlannedLimit["by"]): void {
    this.#applied.push({ limit, value, by });
  }

  /** `extra` is what the sandbox itself uses up of it. */
  limitResource(
    limit: LimitName,
    resource: Resource,
    { value, extra = 0 }: { value: number; extra?: number },
  ): void {
    if (this.means.prlimit === undefined) throw cannot(limit, "there is no trusted prlimit");
    const kept = Math.min(value + extra, this.means.ceilings[resource]);
    this.rlimits.push({ resource, value: kept });
    this.keep(limit, kept - extra, "rlimit");
  }

  useGroup(controller: Controller, settings: readonly GroupSetting[]): void {
    const place = this.means.groups[controller];
    if (place === undefined) return;
    const group = this.#groups.get(place.parent) ?? { place, settings: [] };
    group.settings.push(...settings);
    this.#groups.set(place.parent, group);
  }

  get plan(): LimitPlan {
    const { prlimit, nsenter } = this.means;
    const { rlimits, watch, pidMax } = this;
    const groups = [...this.#groups.values()];
    return {
      applied: this.#applied,
      groups,
      rlimits,
      pidMax,
      watch,
      programs: { prlimit, nsenter },
    };
  }
}

function cannot(limit: LimitName, what: string): SandboxError {
  return new SandboxError(
    "unenforceableRule",
    `Cannot enforce the limit "${limit}": ${what}, expected a means that keeps it for the whole sandbox`,
  );
}
