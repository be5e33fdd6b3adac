import fs from "node:fs";
import type { AbsolutePath } from "../../../policy/index.ts";
import type { SeenPath } from "../../../sandbox/index.ts";
import { realPathIfKnown } from "../../intent/real-path-if-known.ts";

/** A path, and the folder that it led to when it was looked up; no number where nothing was there. */
export interface LedTo extends SeenPath {
  readonly dev: number | undefined;
  readonly ino: number | undefined;
}

/** What a path that was looked up leads to. */
export function ledTo({ path, real }: SeenPath): LedTo {
  return { path, real, ...idOf(real) };
}

/** Whether it is the same folder now, in the same place: rules are kept by real paths. */
export function leadsThere({ path, real, dev, ino }: LedTo): boolean {
  const now = idOf(path);
  if (now.dev !== dev || now.ino !== ino) return false;
  return ino === undefined || realPathIfKnown(path) === real;
}

function idOf(path: AbsolutePath): Pick<LedTo, "dev" | "ino"> {
  try {
    // Most of these are names that are kept free: an error for each would cost more than the look.
    const found = fs.statSync(path, { throwIfNoEntry: false });
    return { dev: found?.dev, ino: found?.ino };
  } catch {
    return { dev: undefined, ino: undefined };
  }
}
