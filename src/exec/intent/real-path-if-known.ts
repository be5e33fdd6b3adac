import fs from "node:fs";
import path from "node:path";
import { type AbsolutePath, parseAbsolutePath } from "../../policy/index.ts";

/**
 * Where a path leads without links; what is missing of it is kept as written. Nothing where a link
 * leads nowhere, or where nobody may look: then it cannot be told.
 */
export function realPathIfKnown(wanted: AbsolutePath): AbsolutePath | undefined {
  for (let at: string = wanted; ; at = path.dirname(at)) {
    try {
      return parseAbsolutePath(path.join(fs.realpathSync.native(at), path.relative(at, wanted)));
    } catch (cause) {
      if (!isMissing(cause) || isLink(at)) return undefined;
    }
  }
}

function isMissing(cause: unknown): boolean {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR";
}

function isLink(at: string): boolean {
  try {
    return fs.lstatSync(at).isSymbolicLink();
  } catch {
    return false;
  }
}
