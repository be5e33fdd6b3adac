/**
 * Tells whether a folder is still as it was when it was looked at.
 *
 * Whatever is made, removed or renamed in a folder moves its change time, and
 * nobody can move that time back. Two looks with the same time therefore saw the
 * same names, but only where the time is older than the first look by more than
 * the clock's grain, and only on file systems of this host's own kernel. There
 * is no stamp in any other case, and what has no stamp is read again.
 */
import fs from "node:fs";
import { unlessGone } from "../unless-gone.ts";

export interface FolderStamp {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly ctimeNs: bigint;
}

/**
 * Change times are as coarse as a timer tick on current file systems and as a second on ext4 with
 * small inodes. A folder that changed this shortly before a look may change again unseen.
 */
export const SETTLE_MS = 3000;

/** ext2 to ext4, XFS, Btrfs, tmpfs, F2FS; see statfs(2). Others may change behind this kernel's back. */
const LOCAL_TYPES = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0xf2f52010]);

/** The size of a folder that surely holds few names, where the size of a folder means anything. */
const SMALL_BYTES = 256 * 1024;

export class GlobStamps {
  readonly #settledNs: bigint;
  readonly #local = new Map<bigint, boolean>();

  /** All looks come after this, so what is settled now is settled then. */
  constructor(settleMs: number) {
    this.#settledNs = BigInt(Math.floor(Date.now() - settleMs)) * 1_000_000n;
  }

  stampOf(folder: fs.BigIntStats, path: string): FolderStamp | undefined {
    if (folder.ctimeNs >= this.#settledNs || !this.#isLocal(folder, path)) return undefined;
    return seenIn(folder);
  }

  /** Whether all names of the folder may be asked for at once. */
  isSmall(folder: fs.BigIntStats, path: string): boolean {
    return folder.size <= SMALL_BYTES && this.#isLocal(folder, path);
  }

  #isLocal({ dev }: fs.BigIntStats, path: string): boolean {
    const known = this.#local.get(dev);
    if (known !== undefined) return known;
    const type = unlessGone(() => fs.statfsSync(path).type);
    if (type === undefined) return false;
    this.#local.set(dev, LOCAL_TYPES.has(type));
    return LOCAL_TYPES.has(type);
  }
}

/** A folder as it is now, whether or not its change time may be believed later. */
export function seenIn({ dev, ino, ctimeNs }: fs.BigIntStats): FolderStamp {
  return { dev, ino, ctimeNs };
}

/** True when the folder is the same one and has not changed since. */
export function isUnchanged(stamp: FolderStamp | undefined, folder: fs.BigIntStats): boolean {
  return (
    stamp !== undefined &&
    stamp.ctimeNs === folder.ctimeNs &&
    stamp.ino === folder.ino &&
    stamp.dev === folder.dev
  );
}
