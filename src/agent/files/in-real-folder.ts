import type { FileOperations } from "../../exec/index.ts";
import { nativeOfUri, type PathUri } from "../../policy/index.ts";
import { placeBehind } from "../sandbox/place-behind.ts";
import type { PlannedFile } from "./planned-file.ts";

/** Files below the folder of a thread, whose name the client chose, as they are called where that folder really is. */
export async function inRealFolder(
  files: readonly PlannedFile[],
  folder: PathUri,
  machine: FileOperations,
): Promise<readonly PlannedFile[]> {
  const name = nativeOfUri(folder);
  const place = nativeOfUri(await placeBehind(folder, machine));
  if (name === undefined || place === undefined || name === place) return files;
  const below = name === "/" ? name : `${name}/`;
  const there = (path: string) =>
    path.startsWith(below) ? `${place}/${path.slice(below.length)}` : path;
  return files.map((file) => ({
    ...file,
    path: there(file.path),
    movePath: file.movePath === null ? null : there(file.movePath),
  }));
}
