import type { AbsolutePath } from "../../policy/index.ts";

/** Protected names that are files; every other path that is missing is made as a folder. */
export function isFileName(path: AbsolutePath): boolean {
  return /\/(\.mcp\.json|\.envrc|writ\.toml)$/.test(path);
}
