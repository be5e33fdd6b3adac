import { type Stats, statSync } from "node:fs";
import { realFolder } from "./real-name.ts";

export interface ClosedFolder {
  /** Its real path. */
  readonly folder: string;
  readonly isOwn: boolean;
  /** With an access list these bits say the most that it gives to anybody it names, and not to whom. */
  readonly mayBeListed: boolean;
}

/**
 * The first folder on the way to one, or that itself, whose mode says that commands of this user cannot enter
 * it. Root can all the same; its commands cannot, since they have no capability.
 */
export function closedOnTheWay(folder: string): ClosedFolder | undefined {
  const [user, groups] = [process.getuid?.() ?? 0, process.getgroups?.() ?? []];
  const parts = realFolder(folder).split("/").slice(1);
  for (const index of parts.keys()) {
    const at = `/${parts.slice(0, index + 1).join("/")}`;
    const found = statOrNothing(at);
    if (found === undefined) return undefined;
    const others = groups.includes(found.gid) ? "group" : "others";
    const isOwn = found.uid === user;
    const isClosed = (found.mode & ENTER[isOwn ? "owner" : others]) === 0;
    if (isClosed) {
      const mayBeListed = !isOwn && (found.mode & ENTER.group) !== 0;
      return { folder: realFolder(at), isOwn, mayBeListed };
    }
  }
  return undefined;
}

const ENTER = { owner: 0o100, group: 0o010, others: 0o001 };

/** Nothing for what is gone, and for what lies in a folder that is closed in another way than by its mode. */
function statOrNothing(folder: string): Stats | undefined {
  try {
    return statSync(folder, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
