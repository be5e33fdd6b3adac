import { type AbsolutePath, accessTo, type BoundProfile } from "../../../policy/index.ts";
import { parentOf } from "../../files/parent-of.ts";
import type { Mount } from "../mount.ts";

/** A writable folder on the way from a mount to a place. */
export interface WayFolder {
  readonly path: AbsolutePath;
  /** It keeps its name and its place in the folder above, but moves with that one. */
  readonly isPinned: boolean;
}

/** The writable folders above a place, deepest first, up to the mount that stays where it is; a pin alone need not. */
export function wayTo(
  path: AbsolutePath,
  mounts: ReadonlyMap<AbsolutePath, Mount>,
  profile: BoundProfile,
): WayFolder[] {
  const way: WayFolder[] = [];
  for (let above = parentOf(path); above !== "/"; above = parentOf(above)) {
    const op = mounts.get(above)?.op ?? "none";
    if ((op !== "none" && op !== "pin") || accessTo(profile, above) !== "write") break;
    way.push({ path: above, isPinned: op === "pin" });
  }
  return way;
}
