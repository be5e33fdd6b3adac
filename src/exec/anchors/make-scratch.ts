/**
 * Temporary folders of one process, for commands that come and go.
 *
 * What commands write lies with the anchors, where no command sees it whose policy
 * does not name it. What is kept for others to read has a place of its own.
 */
import fs from "node:fs/promises";
import { type AbsolutePath, parseAbsolutePath } from "../../policy/index.ts";
import { emptyFolder } from "./empty-folder.ts";
import { makeAnchorFolder } from "./make-anchor-folder.ts";
import { openScratch, type ScratchKind, scratchFolder } from "./scratch-folder.ts";

export interface Scratch {
  readonly folder: AbsolutePath;
  /** A folder in it for one command, empty. */
  part(): Promise<Pick<Scratch, "folder" | "remove">>;
  /** Removes it with all that is in it. What cannot be removed of a part goes with the whole. */
  remove(): Promise<void>;
}

/** Makes one, after removing what dead processes left. Throws {@link ExecError}. */
export async function makeScratch(records: AbsolutePath, kind: ScratchKind): Promise<Scratch> {
  const { tmp: folder, remove } = await makeAnchorFolder(scratchFolder(records, kind));
  const part = partsIn(folder);
  if (kind === "kept") return { folder, part, remove };
  const close = openScratch(folder);
  return {
    folder,
    part,
    async remove() {
      close();
      await remove();
    },
  };
}

function partsIn(folder: AbsolutePath): Scratch["part"] {
  let count = 0;
  return async () => {
    count += 1;
    const part = parseAbsolutePath(`${folder}/${count}`);
    await fs.mkdir(part, { mode: 0o700 });
    let removing: Promise<void> | undefined;
    return {
      folder: part,
      remove: () => {
        removing ??= removePart(part).catch(() => {});
        return removing;
      },
    };
  };
}

/** Never what a link in its place leads to. */
async function removePart(part: AbsolutePath): Promise<void> {
  if (!(await fs.lstat(part)).isDirectory()) return fs.unlink(part);
  await emptyFolder(part);
  await fs.rmdir(part);
}
