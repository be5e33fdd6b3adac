/**
 * Watches paths of the host that a live sandbox depends on.
 *
 * A rename over a mount point, or its removal, detaches the mount in every
 * sandbox, and what it covered lies open; a path that was missing may appear
 * where nothing covers it. That cannot be prevented from here, only noticed:
 * whoever is told must end the sandbox.
 */
import fs from "node:fs";
import path from "node:path";
import { SandboxError } from "../sandbox-error.ts";

/** What each path is now; taken before the start, so that nothing slips in between. */
export function identitiesOf(paths: readonly string[]): Map<string, string> {
  return new Map(paths.map((one) => [one, identityOf(one)]));
}

/** Calls `lost` once, with the path, when one is no longer what it was. */
export function watchMountPoints(
  before: ReadonlyMap<string, string>,
  lost: (path: string) => void,
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
  try {
    for (const [folder, points] of folders) {
      const watcher = fs.watch(folder, { persistent: false }, () => look(points));
      // A folder that goes away takes what is in it along.
      watcher.on("error", () => look(points));
      watchers.push(watcher);
    }
  } catch (cause) {
    close();
    throw cannotWatch(cause);
  }
  // What changed since the identities were taken was not watched.
  look([...before.keys()]);
  return { close };
}

/** The inode alone may be used again at once; when it was born tells two of them apart. */
function identityOf(point: string): string {
  try {
    const found = fs.lstatSync(point, { throwIfNoEntry: false, bigint: true });
    return found === undefined ? "missing" : `${found.dev}:${found.ino}:${found.birthtimeNs}`;
  } catch {
    return "missing";
  }
}

function cannotWatch(cause: unknown): SandboxError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new SandboxError("backendFailed", `Cannot watch what the sandbox covers: ${why}`, {
    cause,
  });
}
