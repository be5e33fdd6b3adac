import fs from "node:fs";
import net from "node:net";
import type { ChildStream } from "../run/child.ts";
import type { Libc } from "./libc.ts";

/** Stands for a descriptor that could not be had. */
export const FAILED = -1;

/** See socket(2); Node's own pipes to a child are pairs of sockets, too. */
const [AF_UNIX, SOCK_STREAM, SOCK_CLOEXEC] = [1, 1, 0o2000000];

/** Both ends of what a child is given: its own until it has them, and ours. */
export class ChildEnds {
  readonly #libc: Libc;
  readonly #theirs: number[] = [];
  /** Ours of each pair, by its place; nothing where there is no pair. */
  #ours: (number | undefined)[] = [];

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  /** What the child gets in that place. Nothing leaves the place as it is, {@link FAILED} cannot be had. */
  sourceFor(wanted: "pipe" | "ignore" | number, place: number): number | undefined {
    if (wanted === "pipe") return this.#pair(place);
    if (wanted !== "ignore") return wanted;
    return place < 3 ? this.#nothing() : undefined;
  }

  /** From now on ours are the caller's. */
  takeStreams(): ChildStream[] {
    return Array.from(this.#ours, (fd, place) => {
      delete this.#ours[place];
      return fd === undefined ? null : new net.Socket({ fd, readable: true, writable: true });
    });
  }

  /** The child has its own by now, or never will. */
  close(): void {
    const left = this.#ours.filter((fd) => fd !== undefined);
    for (const fd of [...this.#theirs.splice(0), ...left]) fs.closeSync(fd);
    this.#ours = [];
  }

  #pair(place: number): number {
    const ends = new Int32Array(2);
    if (this.#libc.socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) !== 0) return FAILED;
    const [ours = FAILED, theirs = FAILED] = ends;
    this.#ours[place] = ours;
    this.#theirs.push(theirs);
    return theirs;
  }

  #nothing(): number {
    try {
      const fd = fs.openSync("/dev/null", "r+");
      this.#theirs.push(fd);
      return fd;
    } catch {
      return FAILED;
    }
  }
}
