/**
 * What must hold before a place is used: the policy first, then the rights of the user.
 *
 * Each throws `FileError` with what a command in the sandbox would be told.
 */
import type { FileView } from "../../../sandbox/index.ts";
import { osError, refusal } from "../file-error.ts";
import { type FileUse, isKept, permits } from "./permits.ts";
import type { Place } from "./place.ts";

type Found = NonNullable<Place["found"]>;

/** That what is there may be read: the bytes of a file, the names in a folder. */
export function demandRead(place: Place, view: FileView): Found {
  const { found, sight } = place;
  if (found === undefined || sight.kind === "absent") throw osError("notFound");
  if (sight.kind !== "open") throw refusal("denied");
  demandUse(found, "read", view);
  return found;
}

/** That what is there may be changed. */
export function demandWrite(place: Place, view: FileView): Found {
  const { found, sight } = place;
  if (found === undefined || sight.kind === "absent") throw osError("notFound");
  if (sight.kind === "hidden" || sight.kind === "own") throw refusal("denied");
  if (sight.kind !== "open" || sight.access !== "write") throw refusal("readOnly");
  demandUse(found, "write", view);
  return found;
}

/** That something may be made where nothing is. */
export function demandMake(place: Place, what: "file" | "folder", view: FileView): void {
  const { folder, sight } = place;
  if (folder === undefined) throw osError("exists");
  demandFolder(folder, view);
  if (sight.kind === "hidden") throw refusal("denied");
  if (sight.kind !== "open" || sight.access !== "write") throw refusal("readOnly");
  // A command finds a folder here that was made for it, to keep what it may not make inside.
  if (sight.fixed && what === "file") throw refusal("isDirectory");
}

/** That what is there may be taken away. */
export function demandRemove(place: Place, view: FileView): Found {
  const { folder, found, sight } = place;
  if (found === undefined) throw osError("notFound");
  if (folder?.found === undefined) throw osError("busy");
  demandFolder(folder, view);
  if (sight.kind !== "open") throw refusal("denied");
  if (sight.access !== "write") throw refusal("readOnly");
  if (sight.fixed) throw refusal("busy");
  if (view.confines && isKept(folder.found.stats, found.stats)) throw osError("denied");
  return found;
}

/** Names in a folder are made and taken away by whoever may write to it. */
function demandFolder(folder: Place, view: FileView): void {
  demandUse(demandWrite(folder, view), "enter", view);
}

function demandUse({ stats }: Found, use: FileUse, { confines }: FileView): void {
  if (confines && !permits(stats, use)) throw osError("denied");
}
