import { realpathSync } from "node:fs";
import path from "node:path";

/** The name without links on the way to it. */
export function realName(name: string): string {
  return path.join(realFolder(path.dirname(name)), path.basename(name));
}

/** Links on the way are followed as far as this user sees them, by the kernel: Node folds a name first. */
export function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}
