import { readSmallFolderAside } from "./glob-entry.ts";
import type { GlobWalk, Unread } from "./glob-walk.ts";

/**
 * So many that the threads which read never wait for this one: waking them costs more than a folder.
 * They are the threads of the whole process, but a folder takes them microseconds.
 */
const AT_A_TIME = 256;

/** Walks to the end, on several threads, and lets the rest of the process go on meanwhile. */
export function globWalkAside(walk: GlobWalk): Promise<void> {
  return new Promise((resolve, reject) => {
    let reading = 0;
    let isOver = false;
    const goOn = (work: () => void): void => {
      if (isOver) return;
      try {
        work();
        reading += startReading(walk, AT_A_TIME - reading, done);
        isOver = reading === 0;
        if (isOver) resolve();
      } catch (error) {
        isOver = true;
        reject(error);
      }
    };
    const done = (take: () => void): void => {
      reading -= 1;
      goOn(take);
    };
    goOn(() => {});
  });
}

/** Starts to read up to `most` folders; says how many it were. */
function startReading(walk: GlobWalk, most: number, done: (take: () => void) => void): number {
  let started = 0;
  for (let unread: Unread | undefined; started < most; ) {
    unread = walk.next();
    if (unread === undefined) break;
    if (unread.isSmall) {
      startOne(walk, unread, done);
      started += 1;
    } else walk.read(unread);
  }
  return started;
}

function startOne(walk: GlobWalk, unread: Unread, done: (take: () => void) => void): void {
  readSmallFolderAside(unread.place.path || "/", (error, entries) =>
    done(() => (error === null ? walk.take(unread, entries) : walk.refuse(unread.place, error))),
  );
}
