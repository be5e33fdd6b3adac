/**
 * Where the folders of anchors lie: in one folder of this user, that no other command sees.
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
import { ExecError } from "../exec-error.ts";
import { emptyFolder } from "./empty-folder.ts";

/** The folders of one anchor. */
export interface AnchorFolder {
  readonly home: AbsolutePath;
  readonly tmp: AbsolutePath;
  readonly shelf: AbsolutePath;
  /** Removes all of them with all that is in them. */
  remove(): Promise<void>;
}

/** Beside the records of the same user. */
export function anchorsFolder(records: AbsolutePath): AbsolutePath {
  return parseAbsolutePath(`${records}-anchors`);
}

/** Makes the folder, or makes sure that it is ours alone. Throws {@link ExecError}. */
export function openAnchorsFolder(base: AbsolutePath): void {
  if (isOurs(base)) return;
  try {
    fs.mkdirSync(base, { mode: 0o700 });
  } catch (cause) {
    if (codeOf(cause) !== "EEXIST") throw cannotKeep(base, messageOf(cause), cause);
  }
  if (isOurs(base)) return;
  throw cannotKeep(base, "it is not a folder that only this user can write, expected one");
}

/**
 * Makes the folder ahead of a command that must not see into it: a sandbox hides what is there, and
 * ends when something appears that it would have had to hide. Whoever opens an anchor is told why not.
 */
export function prepareAnchorsFolder(base: AbsolutePath): void {
  try {
    openAnchorsFolder(base);
  } catch {
    // Said above.
  }
}

/** Makes the folders of an anchor, after removing what dead processes left. Throws {@link ExecError}. */
export async function makeAnchorFolder(base: AbsolutePath): Promise<AnchorFolder> {
  openAnchorsFolder(base);
  await sweep(base);
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
    const folders = { home: part("home"), tmp: part("tmp"), shelf: part("shelf") };
    for (const folder of [path.join(base, name), ...Object.values(folders)]) {
      fs.mkdirSync(folder, { mode: 0o700 });
    }
    return { ...folders, remove };
  } catch (cause) {
    await remove().catch(() => {});
    throw cannotKeep(base, messageOf(cause), cause);
  }
}

const NAME_BYTES = 4;
/** A name that leads elsewhere, such as `..`, is none of ours. */
const NAME = /^[0-9a-f]+$/;
const OWNER = "-owner-";

/** What cannot be removed now is tried again the next time. */
async function sweep(base: AbsolutePath): Promise<void> {
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

function isOurs(base: AbsolutePath): boolean {
  const found = fs.lstatSync(base, { throwIfNoEntry: false });
  return (
    found !== undefined && found.uid === process.getuid?.() && (found.mode & 0o170022) === 0o040000
  );
}

function cannotKeep(base: AbsolutePath, why: string, cause?: unknown): ExecError {
  return new ExecError("unenforceable", `Cannot keep anchors in "${base}": ${why}`, { cause });
}

function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
