import { randomUUID } from "node:crypto";
import { constants, type Dirent } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";

/**
 * Removes all that is in a folder that nobody uses any more. No link is ever followed.
 *
 * A command may leave folders that nobody may enter, and more of them inside each other than there
 * is room for in a path: each is opened to its owner, and its own folders are moved to the top.
 */
export async function emptyFolder(folder: string): Promise<void> {
  const waiting = await takeFrom(folder, folder);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    waiting.push(...(await takeFrom(next, folder)));
    await fs.rmdir(next);
  }
}

/** How many are removed at once. */
const AT_ONCE = 64;

/** Removes the files and links of a folder, and moves its folders to the top under new names. */
async function takeFrom(folder: string, top: string): Promise<string[]> {
  const found = await fs.readdir(folder, { encoding: "buffer", withFileTypes: true });
  const placeOf = ({ name }: Dirent<Buffer>) => Buffer.concat([Buffer.from(`${folder}/`), name]);
  // Files first: on a full disk they make room for the names of folders.
  await each(found, async (one) => {
    if (!one.isDirectory()) await fs.unlink(placeOf(one));
  });
  const moved: string[] = [];
  await each(found, async (one) => {
    if (one.isDirectory()) moved.push(...(await moveTo(top, placeOf(one))));
  });
  return moved;
}

/** Where there is no room for one more name, it is emptied where it is; then there is nothing to move. */
async function moveTo(top: string, place: Buffer): Promise<string[]> {
  // Whoever moves a folder elsewhere writes to the folder itself.
  await fs.chmod(place, constants.S_IRWXU);
  const next = path.join(top, randomUUID());
  try {
    await fs.rename(place, next);
    return [next];
  } catch (error) {
    if (!(error instanceof Error && "code" in error && NO_ROOM.has(String(error.code))))
      throw error;
    await removeInPlace(place);
    return [];
  }
}

const NO_ROOM = new Set(["ENOSPC", "EDQUOT", "EMLINK"]);

async function removeInPlace(folder: Buffer): Promise<void> {
  await fs.chmod(folder, constants.S_IRWXU);
  for (const one of await fs.readdir(folder, { encoding: "buffer", withFileTypes: true })) {
    const place = Buffer.concat([folder, Buffer.from("/"), one.name]);
    await (one.isDirectory() ? removeInPlace(place) : fs.unlink(place));
  }
  await fs.rmdir(folder);
}

async function each<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += AT_ONCE) {
    await Promise.all(all.slice(at, at + AT_ONCE).map(work));
  }
}
