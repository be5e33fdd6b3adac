import fs from "node:fs";
import path from "node:path";
import { type AbsolutePath, parseAbsolutePath } from "../../policy/index.ts";
import type { SeenPath } from "../../sandbox/index.ts";

/**
 * Where a path leads without links; what is missing of it is kept as written. Nothing where a link
 * leads nowhere, or where nobody may look: then it cannot be told.
 *
 * `above` is a folder that was looked at just now, and is not looked at again.
 */
export function realPathIfKnown(wanted: AbsolutePath, above?: SeenPath): AbsolutePath | undefined {
  try {
    const at = deepest(wanted, above?.path);
    const real = at === above?.path ? above.real : fs.realpathSync.native(at);
    return parseAbsolutePath(path.join(real, path.relative(at, wanted)));
  } catch {
    return undefined;
  }
}

/** The part of a path that is there, down to `known`, which is. Throws where nobody may look. */
function deepest(wanted: string, known: string | undefined): string {
  let at = wanted;
  while (at !== known && !isThere(at)) at = path.dirname(at);
  return at;
}

function isThere(at: string): boolean {
  try {
    // Most names that are looked for are missing, and an error for each costs more than the look.
    return fs.lstatSync(at, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOTDIR") return false;
    throw cause;
  }
}
