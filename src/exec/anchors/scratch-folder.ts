/** Where the temporary folders of processes lie, and which of them are this one's. */
import { type AbsolutePath, parseAbsolutePath } from "../../policy/index.ts";
import { anchorsFolder } from "./anchor-folder.ts";

/** `scratch` is for commands to write; in `kept` lies what only the server of a command writes. */
export type ScratchKind = "scratch" | "kept";

/** The folder that all of a kind lie in, beside the records of the same user. */
export function scratchFolder(records: AbsolutePath, kind: ScratchKind): AbsolutePath {
  return kind === "scratch" ? anchorsFolder(records) : parseAbsolutePath(`${records}-kept`);
}

const made: AbsolutePath[] = [];

/** Those for commands that this process has, also what it makes later: a policy may open these. */
export const OPEN_SCRATCH: readonly AbsolutePath[] = made;

/** Lets policies open a folder until that is taken back. */
export function openScratch(folder: AbsolutePath): () => void {
  made.push(folder);
  return () => {
    made.splice(made.indexOf(folder), 1);
  };
}
