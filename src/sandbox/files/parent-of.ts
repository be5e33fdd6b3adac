import type { AbsolutePath } from "../../policy/index.ts";

/** The folder a path lies in; `/` lies in itself. */
export function parentOf(path: AbsolutePath): AbsolutePath {
  return (path.slice(0, path.lastIndexOf("/")) || "/") as AbsolutePath;
}
