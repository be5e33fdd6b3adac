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
import { SandboxError } from "../sandbox-error.ts";

/** The folders that `.git` at `path` stands for besides itself; none when it names no other. */
export function gitFolders(path: AbsolutePath, facts: FileFacts): AbsolutePath[] {
  const { real, missing } = resolvePath(path, facts);
  const kind = missing === undefined ? facts.kindOf(real) : "missing";
  if (kind === "directory") return commonOf(real, facts);
  const pointer = kind === "file" ? pointerIn(facts.textAt(real)) : "";
  if (!pointer) return [];
  const folder = from(parentOf(real), pointer, facts);
  return [folder, ...commonOf(folder, facts)];
}

/** As git reads it: one blank after the colon, and all but line ends up to the end of the file. */
function pointerIn(text: string): string {
  const name = /^gitdir:(.*?)[\r\n]*$/s.exec(text)?.[1] ?? "";
  return name.replace(/^ /, "");
}

/** See gitrepository-layout(5). */
function commonOf(folder: AbsolutePath, facts: FileFacts): AbsolutePath[] {
  const common = facts.textAt(parseAbsolutePath(`${folder}/commondir`)).replace(/[\r\n]+$/, "");
  return common === "" ? [] : [from(folder, common, facts)];
}

/** What `text` names for whoever is in `folder`. */
function from(folder: AbsolutePath, text: string, facts: FileFacts): AbsolutePath {
  // git stops there.
  if (text.includes("\0")) throw unprotectable(folder, "its name holds a NUL character");
  if (text.includes("\uFFFD")) throw unprotectable(folder, "its name is not UTF-8");
  return text.split("/").reduce<AbsolutePath>(
    (at, name) => {
      // The kernel goes back from where a link leads, which may be turned elsewhere.
      if (name === ".." && isLink(at, facts)) {
        throw unprotectable(folder, `its name leads back through the link "${at}"`);
      }
      return parseAbsolutePath(`${at}/${name}`);
    },
    text.startsWith("/") ? parseAbsolutePath("/") : folder,
  );
}

function isLink(at: AbsolutePath, facts: FileFacts): boolean {
  const { real } = resolvePath(parentOf(at), facts);
  return facts.kindOf(parseAbsolutePath(`${real}/${at.slice(at.lastIndexOf("/") + 1)}`)) === "link";
}

function unprotectable(folder: AbsolutePath, why: string): SandboxError {
  return new SandboxError(
    "unprotectablePath",
    `Cannot protect the repository that "${folder}" points to: ${why}`,
  );
}
