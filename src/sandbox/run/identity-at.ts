import fs from "node:fs";

/** Tells a folder from any other that stands at its path later. */
export function identityAt(folder: string): string {
  return identityOfFolder(fs.statSync(folder, { bigint: true }));
}

/** Of an open folder, too. The inode alone may be used again at once. */
export function identityOfFolder({ dev, ino, birthtimeNs }: fs.BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

/** Whether it is at its path still; false where that cannot be seen. */
export function isStill(folder: string, identity: string): boolean {
  try {
    return identityAt(folder) === identity;
  } catch {
    return false;
  }
}
