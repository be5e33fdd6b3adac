/**
 * Watches the mount points of a live sandbox from outside.
 *
 * A rename over a mount point on the host, or its removal, detaches the mount
 * in every sandbox, and what it covered lies open. That cannot be prevented
 * from here, only noticed: whoever is told must end the sandbox.
 */
import fs from "node:fs";
import path from "node:path";

/** Calls `lost` once, with the path, when a mount point is no longer the thing that was covered. */
export function watchMountPoints(
  mountPoints: readonly string[],
  lost: (mountPoint: string) => void,
): { close(): void } {
  const before = new Map(mountPoints.map((point) => [point, identityOf(point)]));
  const folders = Map.groupBy(before.keys(), (point) => path.dirname(point));
  const watchers = [...folders].map(([folder, points]) =>
    fs.watch(folder, { persistent: false }, () => {
      const gone = points.find((point) => identityOf(point) !== before.get(point));
      if (gone === undefined) return;
      close();
      lost(gone);
    }),
  );
  const close = () => {
    for (const watcher of watchers) watcher.close();
  };
  return { close };
}

function identityOf(point: string): string {
  const found = fs.lstatSync(point, { throwIfNoEntry: false });
  return found === undefined ? "missing" : `${found.dev}:${found.ino}`;
}
