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
  const moved: string[] = [];
  const take = async (one: Dirent<Buffer>) => {
    const place = Buffer.concat([Buffer.from(`${folder}/`), one.name]);
    if (!one.isDirectory()) return fs.unlink(place);
    // Whoever moves a folder elsewhere writes to the folder itself.
    await fs.chmod(place, constants.S_IRWXU);
    const next = path.join(top, randomUUID());
    await fs.rename(place, next);
    moved.push(next);
  };
  for (let at = 0; at < found.length; at += AT_ONCE) {
    await Promise.all(found.slice(at, at + AT_ONCE).map(take));
  }
  return moved;
}
