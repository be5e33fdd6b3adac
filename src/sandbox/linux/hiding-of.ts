import type { AbsolutePath } from "../../policy/index.ts";
import type { Mount } from "./mount.ts";

/** What hides a place that was made for it. */
export function hidingOf(path: AbsolutePath): Mount {
  if (isFileName(path)) return { op: "hideFile", path };
  return { op: "hideFolder", path, traversable: false };
}

/** Protected names that are files; every other path that is missing is made as a folder. */
export function isFileName(path: AbsolutePath): boolean {
  return /\/(\.mcp\.json|\.envrc|writ\.toml)$/.test(path);
}
