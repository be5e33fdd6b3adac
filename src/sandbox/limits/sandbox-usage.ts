/**
 * What the processes of one sandbox use, read from outside through its own /proc.
 *
 * That /proc lists exactly the processes of its pid namespace, however they were
 * started. It does not show System V segments that nobody maps, socket and pipe
 * buffers, the kernel's own memory, nor the time of a short child that nobody waits for.
 * proc_pid_status(5), proc_pid_smaps(5), proc_pid_stat(5).
 */
import fs from "node:fs";
import { parseMountLine } from "../linux/mount-table/parse-mount-line.ts";
import { MemfdUsage } from "./memfd-usage.ts";
import { numberedIn, textIn } from "./names-in.ts";
import { readKernelText } from "./read-kernel-text.ts";

export interface SandboxUsage {
  /**
   * Anonymous and shared memory, swap, memfds and the sandbox's own tmpfs. Up to `enough` it may
   * be too high, never too low: an answer above it is the exact one.
   */
  memoryBytes(enough: number): number;
  cpuTimeMs(): number;
  close(): void;
}

/** The unit of times in /proc, USER_HZ, is 100 in the ABI of every Linux that Node runs on. */
const MS_PER_TICK = 10;
/** Looking at every descriptor costs more than the rest, so that it is not done each time. */
const LOOKS_PER_DESCRIPTOR_SCAN = 10;

/** Opens the view on the sandbox whose first process is `pid`. Throws when there is none. */
export function openSandboxUsage(pid: number): SandboxUsage {
  const descriptor = fs.openSync(`/proc/${pid}/root/proc`, fs.constants.O_DIRECTORY);
  const inside = `/proc/self/fd/${descriptor}`;
  const scratch = privateTmpfs(pid);
  // The sandbox hides its first process from the command, so that one is read from the host's side.
  const folders = () => [
    `/proc/${pid}`,
    ...fs
      .readdirSync(inside)
      .filter((name) => /^\d+$/.test(name) && name !== "1")
      .map((name) => `${inside}/${name}`),
  ];
  const cpu = new Stopwatch(() => sum(folders(), ticksOf) * MS_PER_TICK);
  const memfds = new MemfdUsage(pid);
  let looks = 0;
  let inMemfds = 0;
  return {
    memoryBytes(enough) {
      if (looks % LOOKS_PER_DESCRIPTOR_SCAN === 0) inMemfds = memfds.bytes(folders());
      looks += 1;
      const files = inMemfds + sum(scratch, usedBytes);
      const atMost = files + sum(folders(), residentBytes);
      // Pages that processes share count once per process there; the exact sum costs a page walk.
      return atMost <= enough ? atMost : files + sum(folders(), proportionalBytes);
    },
    cpuTimeMs: () => cpu.read(),
    close: () => fs.closeSync(descriptor),
  };
}

/** A sum over processes falls when one goes that nobody waited for; its time was used all the same. */
class Stopwatch {
  readonly #sample: () => number;
  #last = 0;
  #lost = 0;

  constructor(sample: () => number) {
    this.#sample = sample;
  }

  read(): number {
    let now = this.#sample();
    // One that ended between two reads is in neither; a second look finds it with its parent.
    if (now < this.#last) now = Math.max(now, this.#sample());
    this.#lost += Math.max(0, this.#last - now);
    this.#last = now;
    return now + this.#lost;
  }
}

/** Writable tmpfs of the sandbox that the host does not have: no file of anybody else lies there. */
function privateTmpfs(pid: number): string[] {
  const ours = new Set(mountsOf("self").map(({ device }) => device));
  const theirs = mountsOf(String(pid)).filter(
    ({ type, writable, device }) => type === "tmpfs" && writable && !ours.has(device),
  );
  const byDevice = new Map(
    theirs.map(({ device, point }) => [device, `/proc/${pid}/root${point}`]),
  );
  return [...byDevice.values()];
}

function mountsOf(process: string) {
  const text = fs.readFileSync(`/proc/${process}/mountinfo`, "utf8");
  return text.split("\n").flatMap((line) => {
    const mount = parseMountLine(line);
    if (mount === undefined) return [];
    const { device, point, type, options } = mount;
    return [{ device, point, type, writable: options.includes("rw") }];
  });
}

function usedBytes(folder: string): number {
  try {
    const { blocks, bfree, bsize } = fs.statfsSync(folder);
    return (blocks - bfree) * bsize;
  } catch {
    return 0;
  }
}

function residentBytes(folder: string): number {
  const text = ofMemory(folder, (one) => textIn(one, "status"), "RssAnon:");
  return kilobytesIn(text, ["RssAnon", "RssShmem", "VmSwap"]);
}

/** What cannot be looked into counts with all it has. */
function proportionalBytes(folder: string): number {
  const text = ofMemory(folder, (one) => readKernelText(`${one}/smaps_rollup`), "Pss_Anon:");
  if (text === undefined) return residentBytes(folder);
  return kilobytesIn(text, ["Pss_Anon", "Pss_Shmem", "SwapPss"]);
}

/** What is said of a memory, which all threads share: a first thread that has ended says nothing any more. */
function ofMemory(
  folder: string,
  read: (folder: string) => string | undefined,
  mark: string,
): string | undefined {
  const text = read(folder);
  if (text?.includes(mark)) return text;
  for (const thread of numberedIn(`${folder}/task`)) {
    const its = read(`${folder}/task/${thread}`);
    if (its?.includes(mark)) return its;
  }
  return undefined;
}

function kilobytesIn(text: string | undefined, names: readonly string[]): number {
  return sum(names, (name) => {
    const found = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text ?? "")?.[1];
    return Number(found ?? 0) * 1024;
  });
}

/** utime, stime, cutime and cstime: fields 14 to 17, the state in field 3 stands behind the name. */
function ticksOf(folder: string): number {
  const stat = textIn(folder, "stat");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return stat === "" ? 0 : sum(fields.slice(11, 15), Number);
}

function sum<T>(items: readonly T[], amount: (item: T) => number): number {
  return items.reduce((total, item) => total + amount(item), 0);
}
