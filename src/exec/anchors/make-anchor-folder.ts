/**
 * Makes and removes the folders of anchors.
 *
 * Each has a short name of its own, since sockets in it must have short paths,
 * and beside it an empty file whose name says whose it is. That file is made
 * before the folder and removed after it: what a dead process leaves is found.
 */
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { type AbsolutePath, parseAbsolutePath } from "../../policy/index.ts";
import { identityIn, identityOf, livingPid } from "../../sandbox/index.ts";
import { type AnchorFolder, cannotKeep, openAnchorsFolder } from "./anchor-folder.ts";
import { emptyFolder } from "./empty-folder.ts";

/** A folder of one process in the folder for anchors, which goes with it at the latest. */
export interface OwnFolder {
  readonly base: AbsolutePath;
  part(name: string): AbsolutePath;
  remove(): Promise<void>;
}

/** Makes the folders of an anchor, after removing what dead processes left. Throws {@link ExecError}. */
export async function makeAnchorFolder(base: AbsolutePath): Promise<AnchorFolder> {
  const { part, remove } = await makeOwnFolder(base, ["home", "tmp", "shelf"]);
  return { home: part("home"), tmp: part("tmp"), shelf: part("shelf"), remove };
}

/** The same with other names in it. */
export async function makeOwnFolder(
  base: AbsolutePath,
  names: readonly string[],
): Promise<OwnFolder> {
  openAnchorsFolder(base);
  await sweepFolders(base);
  const name = randomBytes(NAME_BYTES).toString("hex");
  const owner = path.join(base, `${name}${OWNER}${identityOf(process.pid)}`);
  const remove = async () => {
    try {
      await removeFolder(base, name, owner);
    } catch (cause) {
      throw cannotKeep(base, `one of them cannot be removed (${messageOf(cause)})`, cause);
    }
  };
  try {
    fs.closeSync(fs.openSync(owner, "wx", 0o600));
    const part = (of: string) => parseAbsolutePath(path.join(base, name, of));
    for (const folder of [path.join(base, name), ...names.map(part)]) {
      fs.mkdirSync(folder, { mode: 0o700 });
    }
    return { base, part, remove };
  } catch (cause) {
    await remove().catch(() => {});
    throw cannotKeep(base, messageOf(cause), cause);
  }
}

const NAME_BYTES = 4;
/** A name that leads elsewhere, such as `..`, is none of ours. */
const NAME = /^[0-9a-f]+$/;
const OWNER = "-owner-";

/** Removes what dead processes left. What cannot be removed now is tried again the next time. */
export async function sweepFolders(base: AbsolutePath): Promise<void> {
  for (const record of fs.readdirSync(base)) {
    const [name, owner] = record.split(OWNER);
    if (!name || !NAME.test(name) || owner === undefined) continue;
    if (livingPid(identityIn(owner)) !== undefined) continue;
    await removeFolder(base, name, path.join(base, record)).catch(() => {});
  }
}

async function removeFolder(base: AbsolutePath, name: string, owner: string): Promise<void> {
  const folder = path.join(base, name);
  const found = fs.lstatSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) {
    await emptyFolder(folder);
    fs.rmdirSync(folder);
  } else if (found !== undefined) fs.unlinkSync(folder);
  fs.rmSync(owner, { force: true });
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
