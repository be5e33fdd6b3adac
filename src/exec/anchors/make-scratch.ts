import { type AbsolutePath, parseAbsolutePath } from "../../policy/index.ts";
import { makeAnchorFolder } from "./anchor-folder.ts";

/** A temporary folder of one process that outlives the commands it is for. */
export interface Scratch {
  readonly folder: AbsolutePath;
  remove(): Promise<void>;
}

/** Makes one beside the records, after removing what dead processes left. Throws {@link ExecError}. */
export async function makeScratch(records: AbsolutePath): Promise<Scratch> {
  const { tmp, remove } = await makeAnchorFolder(parseAbsolutePath(`${records}-scratch`));
  return { folder: tmp, remove };
}
