/**
 * Leave to work outside the sandbox is for a place, not for a name of it.
 *
 * A name may lead through a link, and whoever works in the sandbox can turn that
 * between the question and what is done, or between one time and the next.
 */
import { FileError, type FileOperations } from "../../exec/index.ts";
import { nativeOfUri, type PathUri, parentUri, parsePathUri } from "../../policy/index.ts";
import type { TurnFrame } from "../turn-frame.ts";
import { intentOf, waivedIntent } from "./intent-of.ts";

const LOOK = waivedIntent("to see where it would be");

/** Where a path leads on the machine of these files; of what is not there, where it would come to be. */
export async function placeBehind(path: PathUri, files: FileOperations): Promise<PathUri> {
  try {
    return await files.canonicalize({ path, links: "follow", sandbox: LOOK, anchor: null });
  } catch (error) {
    const folder = parentUri(path);
    const isMissing = error instanceof FileError && error.code === "notFound";
    if (!isMissing || folder === undefined) throw error;
    return inFolder(await placeBehind(folder, files), path);
  }
}

/** The same as far as a command of the turn could see: what lies behind a closed folder keeps its name. */
export async function placeSeen(
  path: PathUri,
  frame: TurnFrame,
  files: FileOperations,
): Promise<PathUri> {
  try {
    const sandbox = intentOf(frame);
    return await files.canonicalize({ path, links: "follow", sandbox, anchor: null });
  } catch (error) {
    const folder = parentUri(path);
    if (!(error instanceof FileError) || folder === undefined) throw error;
    return inFolder(await placeSeen(folder, frame, files), path);
  }
}

/** The last name of a path, in another folder. */
function inFolder(folder: PathUri, path: PathUri): PathUri {
  return parsePathUri(`${folder.replace(/\/$/, "")}${path.slice(path.lastIndexOf("/"))}`);
}

/** Throws a sentence that names the place where a path leads to another one. */
export async function refuseTurned(path: PathUri, files: FileOperations): Promise<void> {
  const found = await placeBehind(path, files);
  const [asked, place] = [path, found].map((uri) => nativeOfUri(uri) ?? uri);
  if (place === asked) return;
  const what = `a link leads from there to "${place}", expected that path itself`;
  throw new Error(`Cannot use "${asked}" outside the sandbox: ${what}`);
}
