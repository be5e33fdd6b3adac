/**
 * Looks at how much room is left while something builds that nobody can hold to an amount.
 *
 * The kernel has no limit for what a tree of processes writes in all. So the disks
 * themselves are asked, often enough that a build ends before a disk is full.
 */
import fs from "node:fs";

/** In bytes, of each disk. */
export interface DiskRoom {
  /** How much less room there may be than when it began, whoever took it. */
  readonly mostTaken: number;
  readonly leastLeft: number;
}

export const BUILD_ROOM: DiskRoom = { mostTaken: 8 * 2 ** 30, leastLeft: 256 * 2 ** 20 };

const EVERY_MS = 200;

export class DiskWatch {
  readonly #over = new AbortController();
  readonly #timer: NodeJS.Timeout;

  /** Of the disks that these places lie on. */
  constructor(places: readonly string[], { mostTaken, leastLeft }: DiskRoom) {
    const least = places.map((place) => Math.max(leastLeft, leftAt(place) - mostTaken));
    const look = () => {
      if (places.some((place, at) => leftAt(place) < (least[at] ?? 0))) this.#over.abort();
    };
    look();
    this.#timer = setInterval(look, EVERY_MS);
  }

  /** Aborted once too much was taken. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** What cannot be asked any more has no room. */
function leftAt(place: string): number {
  try {
    const { bavail, bsize } = fs.statfsSync(place);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
