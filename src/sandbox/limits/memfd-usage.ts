/**
 * What the memfds of one sandbox hold: files with no place in any file system, which need not be mapped.
 *
 * They are found in tables of descriptors, some at a time: all of them may have many, and each look holds up
 * what else this process does. The threads of a process share one table unless they were made otherwise, so
 * that each thread is looked at as well.
 * A process that nobody may look into still tells which mounts its descriptors lie on; where one may be
 * a memfd by that, it counts with all the shared memory of the host. proc_pid_fdinfo(5), proc_meminfo(5).
 */
import fs from "node:fs";
import path from "node:path";
import { isOfGone, namesIn, numberedIn } from "./names-in.ts";
import { readKernelText } from "./read-kernel-text.ts";

/** How many descriptors are looked at at a time, of processes and of threads. */
const MOST_DESCRIPTORS = 8192;
/** Stands for all that may be in tables nobody may look into. */
const UNSEEN = "unseen";

/** What one table of descriptors holds, in bytes by memfd. */
interface Table {
  readonly folder: string;
  readonly descriptors: number;
  readonly sizes: ReadonlyMap<string, number>;
}

export class MemfdUsage {
  readonly #first: number;
  /** By process, the one first that was not looked at for longest. */
  readonly #processes = new Map<string, Table>();
  /** Threads in whose table lies what their process has not. */
  #apart: string[] = [];
  #waiting: string[] = [];

  /** `first` is the first process of the sandbox. */
  constructor(first: number) {
    this.#first = first;
  }

  /** The sum for all processes with these folders; what lies in many tables counts once. */
  bytes(folders: readonly string[]): number {
    const sizes = new Map(this.#lookAt(folders).flatMap((table) => [...table.sizes]));
    const threads = [
      ...this.#apart.map((folder) => this.#tableOf(folder)),
      ...this.#nextOf(folders),
    ];
    const apart = threads.filter((table) => [...table.sizes.keys()].some((one) => !sizes.has(one)));
    for (const [memfd, size] of apart.flatMap((table) => [...table.sizes])) sizes.set(memfd, size);
    this.#apart = [...new Set(apart.map(({ folder }) => folder))];
    return [...sizes.values()].reduce((total, size) => total + size, 0);
  }

  /** As they are now or, where there are too many descriptors for one look, as they were at their last turn. */
  #lookAt(folders: readonly string[]): Table[] {
    const here = new Set(folders);
    for (const gone of this.#processes.keys()) if (!here.has(gone)) this.#processes.delete(gone);
    // Behind the others: a command that starts new ones all the time would keep those from their turn for ever.
    for (const folder of folders) {
      if (this.#processes.has(folder)) continue;
      this.#processes.set(folder, { folder, descriptors: 0, sizes: new Map() });
    }
    let left = MOST_DESCRIPTORS;
    for (const folder of [...this.#processes.keys()]) {
      if (left <= 0) break;
      const table = this.#tableOf(folder);
      this.#processes.delete(folder);
      this.#processes.set(folder, table);
      left -= table.descriptors + 1;
    }
    return [...this.#processes.values()];
  }

  /** The threads whose turn it is. */
  #nextOf(folders: readonly string[]): Table[] {
    if (this.#waiting.length === 0) this.#waiting = folders.flatMap(otherThreadsOf);
    const tables: Table[] = [];
    for (let left = MOST_DESCRIPTORS; left > 0; ) {
      const folder = this.#waiting.pop();
      if (folder === undefined) break;
      const table = this.#tableOf(folder);
      tables.push(table);
      left -= table.descriptors + 1;
    }
    return tables;
  }

  #tableOf(folder: string): Table {
    try {
      const descriptors = namesIn(`${folder}/fd`).map((name) => `${folder}/fd/${name}`);
      const sizes = new Map(descriptors.flatMap(memfdAt));
      return { folder, descriptors: descriptors.length, sizes };
    } catch {
      const isUnseen = mayHaveMemfds(folder, this.#first);
      return { folder, descriptors: 1, sizes: new Map(isUnseen ? [[UNSEEN, sharedOnHost()]] : []) };
    }
  }
}

/** The threads of a process but for the first, which its own folder speaks for. */
function otherThreadsOf(folder: string): string[] {
  const names = numberedIn(`${folder}/task`).filter((name) => name !== path.basename(folder));
  return names.map((name) => `${folder}/task/${name}`);
}

function memfdAt(descriptor: string): [string, number][] {
  try {
    if (!fs.readlinkSync(descriptor).startsWith("/memfd:")) return [];
    const { dev, ino, blocks } = fs.statSync(descriptor);
    return [[`${dev}:${ino}`, blocks * 512]];
  } catch (error) {
    if (isOfGone(error)) return [];
    throw error;
  }
}

/** A program that keeps its memory to itself, as an agent with keys in it, has none as a rule. */
function mayHaveMemfds(folder: string, first: number): boolean {
  try {
    const known = new Set([...mountsOf("self"), ...mountsOf(String(first)), ...unmounted()]);
    return namesIn(`${folder}/fdinfo`).some((name) => {
      const mount = mountIn(`${folder}/fdinfo/${name}`);
      return mount !== undefined && !known.has(mount);
    });
  } catch {
    return true;
  }
}

function mountsOf(process: string): string[] {
  const lines = fs.readFileSync(`/proc/${process}/mountinfo`, "utf8").split("\n");
  return lines.map((line) => line.split(" ")[0] ?? "");
}

/** Where pipes, sockets and the like lie, which nobody mounts: as those of this process do. */
function unmounted(): string[] {
  return namesIn("/proc/self/fd").flatMap((name) => {
    try {
      const isKnown = /^(pipe|socket|anon_inode):/.test(fs.readlinkSync(`/proc/self/fd/${name}`));
      return isKnown ? (mountIn(`/proc/self/fdinfo/${name}`) ?? []) : [];
    } catch {
      return [];
    }
  });
}

/** Nothing for a descriptor that was closed meanwhile. */
function mountIn(file: string): string | undefined {
  try {
    return /^mnt_id:\s+(\d+)$/m.exec(fs.readFileSync(file, "utf8"))?.[1] ?? UNSEEN;
  } catch (error) {
    if (isOfGone(error)) return undefined;
    throw error;
  }
}

/** All that any memfd can be in: shared memory, also what was swapped out, and huge pages. */
function sharedOnHost(): number {
  const text = readKernelText("/proc/meminfo") ?? "";
  const bytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0) * 1024;
  const all = bytes("Shmem") + bytes("SwapTotal") - bytes("SwapFree") + bytes("Hugetlb");
  return text === "" ? Number.POSITIVE_INFINITY : all;
}
