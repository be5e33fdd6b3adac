import { joinUri, nativeOfUri, type PathUri, PolicyError } from "../../policy/index.ts";
import { Refusal } from "../refusal.ts";
import type { SessionError } from "../session-error.ts";

/** Where a path of a caller leads: against the workspace where it is relative. Throws `invalidInput`. */
export function sandboxPath(workspace: PathUri, path: string): PathUri {
  if (path === "") throw refusal(path, "it is empty, expected a path");
  if (path.includes("\0")) throw refusal(path, "it holds a NUL, expected a path without one");
  try {
    return joinUri(workspace, path);
  } catch (cause) {
    if (!(cause instanceof PolicyError)) throw cause;
    throw refusal(path, "it is no path of that machine, expected one", { cause });
  }
}

/** A path as a command of that machine names it. Throws `invalidInput`. */
export function nativePath(uri: PathUri): string {
  const path = nativeOfUri(uri);
  if (path === undefined) throw refusal(uri, "it has no native name, expected one");
  return path;
}

function refusal(path: string, what: string, options?: ErrorOptions): SessionError {
  return new Refusal("invalidInput", `Cannot use ${JSON.stringify(path)}: ${what}`, options);
}
