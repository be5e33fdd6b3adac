/**
 * Runs a command in a real sandbox under a real filter, as each kind of caller this host has.
 *
 * The sandbox shows the whole file system read-only and keeps its capabilities, where the caller
 * has any: what is refused here, the filter refuses.
 */
import { spawnSync } from "node:child_process";
import { closeSync, openSync, writeFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import { ACTION } from "../../../src/sandbox/linux/seccomp/action.ts";
import { assemble, type Step } from "../../../src/sandbox/linux/seccomp/assemble.ts";
import { type FilterQuestion, filterFor } from "../../../src/sandbox/linux/seccomp/filter-for.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Root also plays an ordinary user; an ordinary user is only itself. */
export const callers = process.getuid?.() === 0 ? ["root", "nobody"] : ["self"];

/** Errnos the kernel never gives: an answer of these is the filter's own. */
export const MARKS = { EPERM: 4001, ENOSYS: 4002, SUCCESS: 4003 } as const;

export interface FilteredRun {
  readonly caller: string;
  /** Left out: the same sandbox without a filter. */
  readonly filter?: readonly Step[];
  readonly command: readonly string[];
  readonly bubblewrap?: readonly string[];
}

export interface RunResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function runFiltered({ caller, filter, command, bubblewrap = [] }: FilteredRun): RunResult {
  const as =
    caller === "nobody" ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
  const [program = "", ...args] = [
    ...as,
    ...["/usr/bin/bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...["--unshare-all", "--die-with-parent", ...bubblewrap],
    ...(filter ? ["--seccomp", "3"] : []),
    ...["--", ...command],
  ];
  const descriptor = filter ? openFilter(filter) : "ignore";
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    stdio: ["ignore", "pipe", "pipe", descriptor],
    encoding: "utf8",
    timeout: 30_000,
  });
  if (error) throw error;
  return { status, stdout, stderr };
}

/** The filter of this machine. */
export function hostFilter(question: Omit<FilterQuestion, "arch">): Step[] {
  const { arch } = process;
  if (arch !== "x64" && arch !== "arm64") throw new Error(`There is no filter for ${arch}`);
  return filterFor({ ...question, arch });
}

/** The same filter, with answers that cannot be mistaken for the kernel's. */
export function withMarks(steps: readonly Step[]): Step[] {
  const mark = new Map([
    [ACTION.EPERM as number, 0x0005_0000 | MARKS.EPERM],
    [ACTION.ENOSYS as number, 0x0005_0000 | MARKS.ENOSYS],
    [ACTION.SUCCESS as number, 0x0005_0000 | MARKS.SUCCESS],
  ]);
  return steps.map((step) => ("ret" in step ? { ret: mark.get(step.ret) ?? step.ret } : step));
}

function openFilter(steps: readonly Step[]): number {
  const file = path.join(temporaryFolder(), "filter.bpf");
  writeFileSync(file, assemble(steps));
  const descriptor = openSync(file, "r");
  onTestFinished(() => closeSync(descriptor));
  return descriptor;
}
