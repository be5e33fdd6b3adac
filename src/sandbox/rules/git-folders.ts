/**
 * Where git really keeps a repository.
 *
 * `.git` may be a file that points to a folder elsewhere (worktrees, submodules),
 * and that folder may name another one whose hooks and configuration it shares.
 * Both run code with the next git command, so both are protected like `.git`.
 */
import { type AbsolutePath, parseAbsolutePath } from "../../policy/index.ts";
import type { FileFacts } from "../files/file-facts.ts";
import { parentOf } from "../files/parent-of.ts";
import { resolvePath } from "../files/resolve-path.ts";

/** The folders that `.git` at `path` stands for besides itself; none when it is a folder or says nothing. */
export function gitFolders(path: AbsolutePath, facts: FileFacts): AbsolutePath[] {
  const { real, missing } = resolvePath(path, facts);
  if (missing !== undefined || facts.kindOf(real) !== "file") return [];
  const pointer = /^gitdir: *([^\n\0]+)/.exec(facts.textAt(real))?.[1]?.trim();
  if (!pointer) return [];
  const folder = from(parentOf(real), pointer);
  const common = facts.textAt(from(folder, "commondir")).trim();
  return common === "" || common.includes("\0") ? [folder] : [folder, from(folder, common)];
}

function from(folder: AbsolutePath, text: string): AbsolutePath {
  return parseAbsolutePath(text.startsWith("/") ? text : `${folder}/${text}`);
}
