import fs from "node:fs";
import { contentOf } from "./places/place.ts";

/**
 * File systems that keep what was read and written lately in memory, by statfs(2). Others may ask a
 * server, or a program, which takes its time.
 */
const AT_ONCE: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0xf2f52010, // f2fs
  0x01021994, // tmpfs
  0x794c7630, // overlayfs
]);

/** The number of a file system that is gone may be given to another. */
const KEPT_MS = 1000;
const MOST_KNOWN = 64;
const known = new Map<number, { readonly atOnce: boolean; readonly until: number }>();

/** Whether a few bytes of an open file are had, or written, sooner than a thread could be told to do it. */
export function answersAtOnce(fd: number, { dev }: Pick<fs.Stats, "dev">): boolean {
  const now = performance.now();
  const kept = known.get(dev);
  if (kept !== undefined && now < kept.until) return kept.atOnce;
  if (known.size >= MOST_KNOWN) known.clear();
  const atOnce = AT_ONCE.has(fs.statfsSync(contentOf(fd)).type);
  known.set(dev, { atOnce, until: now + KEPT_MS });
  return atOnce;
}
