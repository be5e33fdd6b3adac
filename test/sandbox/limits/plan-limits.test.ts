import { describe, expect, it } from "vitest";
import { type LimitPlan, planLimits } from "../../../src/sandbox/limits/plan-limits.ts";
import type { LimitMeans } from "../../../src/sandbox/limits/probe-limit-means.ts";

const NOTHING: LimitMeans = {
  groups: {},
  prlimit: undefined,
  countsPerSandbox: false,
  nsenter: undefined,
  ceilings: { nofile: 1000, fsize: Number.POSITIVE_INFINITY, nproc: 500, cpu: 3600 },
};
const PRLIMIT = "/usr/bin/prlimit";
const NSENTER = "/usr/bin/nsenter";
const V1 = { version: 1, parent: "/sys/fs/cgroup/v1" } as const;
const V2 = { version: 2, parent: "/sys/fs/cgroup/v2" } as const;

const keptBy = ({ applied }: LimitPlan) => applied.map(({ limit, by }) => `${limit} ${by}`);
const settings = ({ groups }: LimitPlan) =>
  groups.flatMap((group) => group.settings.map(({ file, value }) => `${file}=${value}`));

describe("planLimits", () => {
  it.each([[undefined], [{}], [{ processes: undefined }]])("asks for nothing for %j", (limits) => {
    const plan = planLimits(limits as never, NOTHING);
    expect(plan).toMatchObject({ applied: [], groups: [], rlimits: [], watch: {} });
    expect(plan.pidMax).toBeUndefined();
  });

  it("leaves wall time and output to the runner", () => {
    const plan = planLimits({ wallTimeMs: 5, outputBytes: 6 }, NOTHING);
    expect(plan.applied).toEqual([
      { limit: "wallTimeMs", value: 5, by: "writ" },
      { limit: "outputBytes", value: 6, by: "writ" },
    ]);
  });

  it.each([
    ["fileSizeBytes", { fileSizeBytes: 10 }],
    ["openFiles", { openFiles: 10 }],
    ["processes", { processes: 10 }],
  ])("refuses %s when this host has no means for it", (limit, limits) => {
    expect(() => planLimits(limits, NOTHING)).toThrow(
      expect.objectContaining({
        code: "unenforceableRule",
        message: expect.stringContaining(`Cannot enforce the limit "${limit}": `),
      }),
    );
  });

  it("never goes above what the caller itself may have, and says so", () => {
    const plan = planLimits({ openFiles: 4096 }, { ...NOTHING, prlimit: PRLIMIT });
    expect(plan.applied).toEqual([{ limit: "openFiles", value: 1000, by: "rlimit" }]);
    expect(plan.rlimits).toEqual([{ resource: "nofile", value: 1000 }]);
  });

  it("puts memory and processes into one group where one place has both", () => {
    const means = { ...NOTHING, groups: { memory: V2, pids: V2 } };
    const plan = planLimits({ memoryBytes: 4096, processes: 8 }, means);
    expect(plan.groups).toHaveLength(1);
    expect(settings(plan)).toEqual([
      "memory.max=4096",
      "memory.swap.max=0",
      "memory.oom.group=1",
      "pids.max=9",
    ]);
    expect(keptBy(plan)).toEqual(["memoryBytes cgroup", "processes cgroup"]);
  });

  it("counts swap as memory in version 1", () => {
    const plan = planLimits({ memoryBytes: 4096 }, { ...NOTHING, groups: { memory: V1 } });
    expect(settings(plan)).toEqual([
      "memory.limit_in_bytes=4096",
      "memory.memsw.limit_in_bytes=4096",
    ]);
    expect(plan.watch).toEqual({});
  });

  it("watches memory where there is no group, and never limits address space", () => {
    const plan = planLimits({ memoryBytes: 4096 }, { ...NOTHING, prlimit: PRLIMIT });
    expect(plan.watch).toEqual({ memoryBytes: 4096 });
    expect(plan.rlimits).toEqual([]);
    expect(keptBy(plan)).toEqual(["memoryBytes watchedTree"]);
  });

  it.each([
    ["its group", { groups: { cpu: V1 } }, "watchedCgroup"],
    ["its processes", {}, "watchedTree"],
  ])("adds up processor time over the sandbox by %s", (_, means, by) => {
    const plan = planLimits({ cpuTimeMs: 1500 }, { ...NOTHING, ...means, prlimit: PRLIMIT });
    expect(plan.watch).toEqual({ cpuTimeMs: 1500 });
    expect(plan.rlimits).toEqual([{ resource: "cpu", value: 3 }]);
    expect(keptBy(plan)).toEqual([`cpuTimeMs ${by}`]);
  });

  it("counts processes by the first means that is exact", () => {
    const all = { ...NOTHING, prlimit: PRLIMIT, nsenter: NSENTER };
    const by = (means: Partial<LimitMeans>) =>
      keptBy(planLimits({ processes: 600 }, { ...all, ...means }))[0];
    expect(by({ groups: { pids: V1 }, countsPerSandbox: true })).toBe("processes cgroup");
    expect(by({ countsPerSandbox: true })).toBe("processes rlimit");
    expect(by({})).toBe("processes pidMax");
  });

  it("leaves the command all it was given: the sandbox's first process is extra", () => {
    const limited = { ...NOTHING, prlimit: PRLIMIT, countsPerSandbox: true };
    const plan = planLimits({ processes: 8 }, limited);
    expect(plan.rlimits).toEqual([{ resource: "nproc", value: 9 }]);
    expect(plan.applied).toEqual([{ limit: "processes", value: 8, by: "rlimit" }]);
    expect(planLimits({ processes: 600 }, { ...NOTHING, nsenter: NSENTER }).pidMax).toBe(602);
  });

  it("refuses RLIMIT_NPROC where it would count other processes or nobody", () => {
    const means = { ...NOTHING, prlimit: PRLIMIT, countsPerSandbox: false };
    expect(() => planLimits({ processes: 100 }, means)).toThrow(/RLIMIT_NPROC does not count/);
  });

  it("refuses a pid_max so low that numbers would run out long before the limit", () => {
    const means = { ...NOTHING, nsenter: NSENTER };
    expect(() => planLimits({ processes: 599 }, means)).toThrow(/pid_max/);
  });
});
