/**
 * Leave to work outside the sandbox is for a place, not for a name of it.
 *
 * A name may lead through a link, and whoever works in the sandbox can turn that
 * between the question and what is done, or between one time and the next.
 */
import { FileError, type FileOperations } from "../../exec/index.ts";
import { nativeOfUri, type PathUri, parentUri, parsePathUri } from "../../policy/index.ts";
import { waivedIntent } from "./intent-of.ts";

const LOOK = waivedIntent("to see where it would be");

/** Where a path leads on the machine of these files; of what is not there, where it would come to be. */
export async function placeBehind(path: PathUri, files: FileOperations): Promise<PathUri> {
  try {
    return await files.canonicalize({ path, links: "follow", sandbox: LOOK, anchor: null });
  } catch (error) {
    const folder = parentUri(path);
    const isMissing = error instanceof FileError && error.code === "notFound";
    if (!isMissing || folder === undefined) throw error;
    const place = await placeBehind(folder, files);
    return parsePathUri(`${place.replace(/\/$/, "")}${path.slice(path.lastIndexOf("/"))}`);
  }
}

/** Throws a sentence that names the place where a path leads to another one. */
export async function refuseTurned(path: PathUri, files: FileOperations): Promise<void> {
  const found = await placeBehind(path, files);
  const [asked, place] = [path, found].map((uri) => nativeOfUri(uri) ?? uri);
  if (place === asked) return;
  const what = `a link leads from there to "${place}", expected that path itself`;
  throw new Error(`Cannot use "${asked}" outside the sandbox: ${what}`);
}
