/**
 * Temporary folders of one process, for commands that come and go.
 *
 * What commands write lies with the anchors, where no command sees it whose policy
 * does not name it. What is kept for others to read has a place of its own.
 */
import { type AbsolutePath, parseAbsolutePath } from "../../policy/index.ts";
import { anchorsFolder, makeAnchorFolder } from "./anchor-folder.ts";

export interface Scratch {
  readonly folder: AbsolutePath;
  remove(): Promise<void>;
}

/** `scratch` is for commands to write; in `kept` lies what only the server of a command writes. */
export type ScratchKind = "scratch" | "kept";

const made: AbsolutePath[] = [];

/** Those for commands that this process has, also what it makes later: a policy may open these. */
export const OPEN_SCRATCH: readonly AbsolutePath[] = made;

/** The folder that all of a kind lie in, beside the records of the same user. */
export function scratchFolder(records: AbsolutePath, kind: ScratchKind): AbsolutePath {
  return kind === "scratch" ? anchorsFolder(records) : parseAbsolutePath(`${records}-kept`);
}

/** Makes one, after removing what dead processes left. Throws {@link ExecError}. */
export async function makeScratch(records: AbsolutePath, kind: ScratchKind): Promise<Scratch> {
  const { tmp: folder, remove } = await makeAnchorFolder(scratchFolder(records, kind));
  if (kind === "kept") return { folder, remove };
  made.push(folder);
  return {
    folder,
    async remove() {
      made.splice(made.indexOf(folder), 1);
      await remove();
    },
  };
}
