/**
 * Watches the mount points of a live sandbox from outside.
 *
 * A rename over a mount point on the host, or its removal, detaches the mount
 * in every sandbox, and what it covered lies open. That cannot be prevented
 * from here, only noticed: whoever is told must end the sandbox.
 */
import fs from "node:fs";
import path from "node:path";

/** What each mount point is now; taken before the start, so that nothing slips in between. */
export function identitiesOf(mountPoints: readonly string[]): Map<string, string> {
  return new Map(mountPoints.map((point) => [point, identityOf(point)]));
}

/** Calls `lost` once, with the path, when a mount point is no longer the thing that was covered. */
export function watchMountPoints(
  before: ReadonlyMap<string, string>,
  lost: (mountPoint: string) => void,
): { close(): void } {
  const folders = Map.groupBy(before.keys(), (point) => path.dirname(point));
  const watchers: fs.FSWatcher[] = [];
  const close = () => {
    for (const watcher of watchers) watcher.close();
  };
  const look = (points: readonly string[]) => {
    const gone = points.find((point) => identityOf(point) !== before.get(point));
    if (gone === undefined) return;
    close();
    lost(gone);
  };
  for (const [folder, points] of folders) {
    watchers.push(fs.watch(folder, { persistent: false }, () => look(points)));
  }
  return { close };
}

/** The inode alone may be used again at once; when it was born tells two of them apart. */
function identityOf(point: string): string {
  const found = fs.lstatSync(point, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? "missing" : `${found.dev}:${found.ino}:${found.birthtimeNs}`;
}
