import { type AbsolutePath, parseAbsolutePath } from "../../policy/index.ts";
import { SandboxError } from "../sandbox-error.ts";
import type { FileFacts } from "./file-facts.ts";

export interface ResolvedPath {
  /** The path without links; what is missing is kept as written. */
  readonly real: AbsolutePath;
  /** The links on the way, where each really lies. */
  readonly links: readonly { readonly at: AbsolutePath; readonly target: string }[];
  /** The first part that does not exist, if one does not. */
  readonly missing: AbsolutePath | undefined;
}

/** The most links one path may lead through, as the kernel has it. */
const MAX_LINKS = 40;

/** Follows a path the way the kernel would, component by component. */
export function resolvePath(path: AbsolutePath, facts: FileFacts): ResolvedPath {
  const links: { at: AbsolutePath; target: string }[] = [];
  let left = path.split("/").filter(Boolean);
  let real = parseAbsolutePath("/");
  let missing: AbsolutePath | undefined;
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    const here = parseAbsolutePath(`${real}/${name}`);
    const kind = missing === undefined ? facts.kindOf(here) : "missing";
    if (kind !== "link") {
      if (kind === "missing") missing ??= here;
      real = here;
      continue;
    }
    const target = facts.linkAt(here);
    links.push({ at: here, target });
    if (links.length > MAX_LINKS) throw tooManyLinks(path);
    left = [...target.split("/").filter(Boolean), ...left];
    if (target.startsWith("/")) real = parseAbsolutePath("/");
  }
  return { real, links, missing };
}

function tooManyLinks(path: AbsolutePath): SandboxError {
  return new SandboxError(
    "unprotectablePath",
    `Cannot protect "${path}": it leads through more than ${MAX_LINKS} links`,
  );
}
