import type { ExpectedMount } from "../launch-plan.ts";
import { readMountTable, topMounts } from "./mount-table/read-mount-table.ts";

interface Found {
  readonly table: string;
  readonly fault: string | undefined;
}

/** The last list that was looked at for each plan: it is read anew each time, and mostly says the same. */
const known = new WeakMap<readonly ExpectedMount[], Found>();

/**
 * Says what is wrong with the mounts of a sandbox that was built, or nothing when all are in place.
 *
 * Between the plan and the mount somebody on the host may have put a link or another folder on the
 * way; the mount is then elsewhere, and the list of mounts says where. It is also how a sandbox that
 * is still being built looks, so whoever asks may have to ask again.
 */
export function findMisplaced(
  expected: readonly ExpectedMount[],
  mountTable: string,
): string | undefined {
  const before = known.get(expected);
  if (before?.table === mountTable) return before.fault;
  const fault = faultIn(expected, mountTable);
  known.set(expected, { table: mountTable, fault });
  return fault;
}

function faultIn(expected: readonly ExpectedMount[], mountTable: string): string | undefined {
  const mounts = readMountTable(mountTable);
  const top = topMounts(mounts);
  for (const { path, readOnly, device } of expected) {
    const found = top.get(path);
    if (found === undefined) return `nothing is mounted on "${path}"`;
    if (readOnly && !found.readOnly) return `"${path}" is writable`;
    if (device !== undefined && found.device !== device) return `"${path}" is not its overlay`;
    if (found.root.endsWith("//deleted")) return `"${path}" was removed`;
  }
  const following = mounts.find(({ follows }) => follows);
  return following && `mounts made on the host appear below "${following.path}"`;
}
