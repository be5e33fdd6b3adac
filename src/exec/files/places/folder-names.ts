import { isUtf8 } from "node:buffer";
import fs from "node:fs";
import type { FileView } from "../../../sandbox/index.ts";
import { fileErrorOf, osError } from "../file-error.ts";
import { demandRead } from "./demand.ts";
import { contentOf, type Name, type Place } from "./place.ts";

const AT_ONCE = 1024;

/** The names that a command would find in a folder, unsorted; at most one more than `most`. */
export function folderNames(place: Place, view: FileView, most = Number.POSITIVE_INFINITY): Name[] {
  const { found, sight } = place;
  if (found === undefined) throw osError("notFound");
  if (!found.stats.isDirectory()) throw osError("notDirectory");
  if (sight.kind === "listed") return [...sight.names];
  const { fd } = demandRead(place, view);
  try {
    const folder = fs.opendirSync(contentOf(fd), { bufferSize: AT_ONCE, encoding: BYTES });
    try {
      return namesIn(folder, most);
    } finally {
      folder.closeSync();
    }
  } catch (cause) {
    throw fileErrorOf(cause);
  }
}

/** The types know text only, but names are bytes. */
const BYTES = "buffer" as BufferEncoding;

function namesIn(folder: fs.Dir, most: number): Name[] {
  const names: Name[] = [];
  for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
    const bytes = entry.name as unknown as Buffer;
    names.push(isUtf8(bytes) ? bytes.toString() : bytes);
    if (names.length > most) break;
  }
  return names;
}
