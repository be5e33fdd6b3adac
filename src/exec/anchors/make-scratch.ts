import { type AbsolutePath, parseAbsolutePath } from "../../policy/index.ts";
import { makeAnchorFolder } from "./anchor-folder.ts";

/** A temporary folder of one process that outlives the commands it is for. */
export interface Scratch {
  readonly folder: AbsolutePath;
  remove(): Promise<void>;
}

/** `scratch` is for commands to write; in `kept` lies what only the server of a command writes. */
export type ScratchKind = "scratch" | "kept";

/** The folder that all of a kind lie in, beside the records of the same user. */
export function scratchFolder(records: AbsolutePath, kind: ScratchKind): AbsolutePath {
  return parseAbsolutePath(`${records}-${kind}`);
}

/** Makes one, after removing what dead processes left. Throws {@link ExecError}. */
export async function makeScratch(records: AbsolutePath, kind: ScratchKind): Promise<Scratch> {
  const { tmp, remove } = await makeAnchorFolder(scratchFolder(records, kind));
  return { folder: tmp, remove };
}
