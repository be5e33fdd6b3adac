/**
 * One control group with a life: made, set, entered, emptied, removed.
 *
 * Its name says who made it, so that what a killed process left is removed by the next one.
 */
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { newName } from "../placeholders/new-name.ts";
import { identityIn, livingPid } from "../placeholders/process-identity.ts";
import { SandboxError } from "../sandbox-error.ts";
import type { GroupPlace } from "./own-groups.ts";
import { readKernelText } from "./read-kernel-text.ts";

/** One file of a group and what goes into it; `optional` when a kernel may lack the file. */
export interface GroupSetting {
  readonly file: string;
  readonly value: string;
  readonly optional?: true;
}

export interface ControlGroup {
  /** Nothing when the group has no such file. */
  read(file: string): string | undefined;
  enter(pid: number): Promise<void>;
  /** Kills what is left in it and takes it away. */
  remove(): Promise<void>;
}

const OUR_NAME = /^writ-(\d+-\d+-\d+-[\da-f]{32})-\d+-\d+$/;
const ATTEMPTS = 1000;
const PAUSE_MS = 2;

/** A name that no other group has and that says whose it is. */
export function newGroupName(): string {
  return `writ-${newName()}`;
}

/** Makes a group and sets it. Throws, with nothing left behind, when a setting is refused. */
export function createControlGroup(
  { parent }: GroupPlace,
  settings: readonly GroupSetting[],
): ControlGroup {
  const folder = path.join(parent, newGroupName());
  attempt(`make the control group "${folder}"`, () => fs.mkdirSync(folder));
  try {
    for (const one of settings) writeSetting(folder, one);
  } catch (error) {
    fs.rmdirSync(folder);
    throw error;
  }
  return {
    read: (file) => readKernelText(path.join(folder, file)),
    enter: (pid) => enter(folder, pid),
    async remove() {
      if (await emptyAndRemove(folder)) return;
      throw new SandboxError(
        "backendFailed",
        `Cannot remove the control group "${folder}": processes in it do not end`,
      );
    },
  };
}

/** Removes the groups whose makers are gone, with what still runs in them. */
export async function sweepControlGroups({ parent }: GroupPlace): Promise<void> {
  const names = fs.existsSync(parent) ? fs.readdirSync(parent) : [];
  for (const name of names.filter(isLeftover)) await emptyAndRemove(path.join(parent, name));
}

/** Only a name of exactly this form is ours; of another pid namespace nothing is known. */
function isLeftover(name: string): boolean {
  const owner = OUR_NAME.exec(name)?.[1];
  return owner !== undefined && livingPid(identityIn(owner)) === undefined;
}

function writeSetting(folder: string, { file, value, optional }: GroupSetting): void {
  const target = path.join(folder, file);
  if (optional && !fs.existsSync(target)) return;
  attempt(`set "${file}" to ${value}`, () => fs.writeFileSync(target, value, { flag: "r+" }));
}

/** Not waited for in line: the kernel takes milliseconds to move a process. */
async function enter(folder: string, pid: number): Promise<void> {
  const procs = path.join(folder, "cgroup.procs");
  await fs.promises.writeFile(procs, String(pid), { flag: "r+" }).catch((cause: Error) => {
    const message = `Cannot put process ${pid} into "${folder}": ${cause.message}`;
    throw new SandboxError("backendFailed", message, { cause });
  });
  if (readKernelText(`/proc/${pid}/cgroup`)?.includes(path.basename(folder))) return;
  throw new SandboxError(
    "backendFailed",
    `Cannot limit process ${pid}: it is not in "${folder}", expected it there`,
  );
}

/** False when it is still there: a process that does not end, or a group of somebody else. */
async function emptyAndRemove(folder: string): Promise<boolean> {
  for (let round = 0; round < ATTEMPTS; round += 1) {
    const code = errorOf(() => fs.rmdirSync(folder));
    if (code === undefined || code === "ENOENT") return true;
    if (code !== "EBUSY") return false;
    killAll(folder);
    await sleep(PAUSE_MS);
  }
  return false;
}

/** What ends between the look and the kill is seen in the next round. */
function killAll(folder: string): void {
  // Version 2 since 5.14; elsewhere there is no such file, and it goes one by one.
  errorOf(() => fs.writeFileSync(path.join(folder, "cgroup.kill"), "1", { flag: "r+" }));
  const pids = readKernelText(path.join(folder, "cgroup.procs"))?.split("\n") ?? [];
  // A number of 0 is a process of another namespace, and would mean our own process group.
  for (const pid of pids.map(Number).filter((one) => one > 1)) {
    errorOf(() => process.kill(pid, "SIGKILL"));
  }
}

function errorOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}

function attempt(what: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SandboxError("backendFailed", `Cannot ${what}: ${reason}`, { cause });
  }
}
