/**
 * Asks this host what it can keep limits with: control groups, resource limits, `pid_max`.
 *
 * Starts nothing. A control group counts only when one was really made and taken
 * away again. The programs are looked up in fixed places, and only where root alone can
 * replace them.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { distrustOf } from "../probe/distrust-of.ts";
import { newGroupName } from "./control-group.ts";
import { aboveOwn, type Controller, type GroupPlace, ownGroups } from "./own-groups.ts";
import { readKernelText } from "./read-kernel-text.ts";

/** What this host can keep limits with. */
export interface LimitMeans {
  /** Where a group with that controller can be made. */
  readonly groups: Readonly<Partial<Record<Controller, GroupPlace>>>;
  /** A program that sets resource limits; nothing when none can be trusted. */
  readonly prlimit: string | undefined;
  /** RLIMIT_NPROC counts one sandbox alone, and the kernel heeds it for this caller. */
  readonly countsPerSandbox: boolean;
  /** A program that reaches the `pid_max` of a namespace; nothing where that is the host's own. */
  readonly nsenter: string | undefined;
  /** The resource limits the caller is under itself; nobody can go above them. */
  readonly ceilings: Readonly<Record<Resource, number>>;
}

export type Resource = "nofile" | "fsize" | "nproc" | "cpu";

/** The file of a fresh group that shows that a controller is at work in it. */
const MARKS: Readonly<Record<1 | 2, Readonly<Record<Controller, string>>>> = {
  1: { memory: "memory.limit_in_bytes", pids: "pids.max", cpu: "cpuacct.usage" },
  2: { memory: "memory.max", pids: "pids.max", cpu: "cpu.stat" },
};

const ROWS: Readonly<Record<Resource, string>> = {
  nofile: "Max open files",
  fsize: "Max file size",
  nproc: "Max processes",
  cpu: "Max cpu time",
};

let known: LimitMeans | undefined;

/** What this host can keep limits with; probed at the first call. */
export function probeLimitMeans(): LimitMeans {
  known ??= {
    groups: probeGroups(),
    prlimit: trustedProgram("/usr/bin/prlimit"),
    countsPerSandbox: kernelIsAtLeast(5, 14) && !isRootOfHost(),
    nsenter: ownPidMax() ? trustedProgram("/usr/bin/nsenter") : undefined,
    ceilings: hardLimits(readKernelText("/proc/self/limits") ?? ""),
  };
  return known;
}

/** Reads the hard limits out of the text of proc_pid_limits(5). */
export function hardLimits(text: string): Record<Resource, number> {
  const one = (resource: Resource) => {
    const found = new RegExp(`^${ROWS[resource]} +\\S+ +(\\S+)`, "m").exec(text)?.[1];
    return found === "unlimited" ? Number.POSITIVE_INFINITY : Number(found ?? 0);
  };
  return { nofile: one("nofile"), fsize: one("fsize"), nproc: one("nproc"), cpu: one("cpu") };
}

/** A process is in one version 2 group only, so that all its controllers come from one place. */
function probeGroups(): LimitMeans["groups"] {
  const own = ownGroups(
    readKernelText("/proc/self/cgroup") ?? "",
    readKernelText("/proc/self/mountinfo") ?? "",
  );
  const unified = own.find(({ version }) => version === 2);
  const above = unified && !hasCeiling(unified.parent) ? aboveOwn(unified) : undefined;
  const places = [unified, above].filter((place) => place !== undefined);
  const [best = {}] = places
    .map(controllersAt)
    .sort((a, b) => Object.keys(b).length - Object.keys(a).length);
  const old = own.filter(({ version }) => version === 1).map(controllersAt);
  return Object.assign({}, ...old, best);
}

/** Outside a group that has a ceiling of its own, the command would be rid of that ceiling. */
function hasCeiling(folder: string): boolean {
  const files = ["memory.max", "memory.high", "memory.swap.max", "pids.max", "cpu.max"];
  return files.some((file) => {
    const value = readKernelText(path.join(folder, file));
    return value !== undefined && !value.startsWith("max");
  });
}

function controllersAt(place: GroupPlace): LimitMeans["groups"] {
  const { version, parent } = place;
  const files = tryGroup(place);
  const found = Object.entries(MARKS[version]).filter(([, mark]) => files.has(mark));
  return Object.fromEntries(found.map(([controller]) => [controller, { version, parent }]));
}

/** The files of a group made for the question; none when it cannot be made or not be entered. */
function tryGroup({ version, parent }: GroupPlace): ReadonlySet<string> {
  const group = path.join(parent, newGroupName());
  try {
    fs.mkdirSync(group);
  } catch {
    return new Set();
  }
  try {
    if (version === 2) fs.accessSync(path.join(parent, "cgroup.procs"), fs.constants.W_OK);
    const plain = version === 1 || readKernelText(path.join(group, "cgroup.type")) === "domain";
    return new Set(plain ? fs.readdirSync(group) : []);
  } catch {
    return new Set();
  } finally {
    fs.rmdirSync(group);
  }
}

/** Before 6.14 there is one `pid_max` for the whole host, and it must not be touched. */
function ownPidMax(): boolean {
  if (!kernelIsAtLeast(6, 14)) return false;
  try {
    fs.accessSync("/proc/sys/kernel/pid_max", fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The kernel's own files are root's of the host, under whatever name a user namespace gives it. */
function isRootOfHost(): boolean {
  try {
    return fs.statSync("/proc/sys/kernel/ostype").uid === process.getuid?.();
  } catch {
    return true;
  }
}

function kernelIsAtLeast(major: number, minor: number): boolean {
  if (os.platform() !== "linux") return false;
  const [, first, second] = /^(\d+)\.(\d+)/.exec(os.release()) ?? [];
  return Number(first) > major || (Number(first) === major && Number(second) >= minor);
}

function trustedProgram(program: string): string | undefined {
  return distrustOf(program) === undefined ? program : undefined;
}
