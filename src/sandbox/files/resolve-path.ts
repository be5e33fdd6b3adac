import { type AbsolutePath, parseAbsolutePath } from "../../policy/index.ts";
import { SandboxError } from "../sandbox-error.ts";
import type { FileFacts } from "./file-facts.ts";
import { parentOf } from "./parent-of.ts";

export interface ResolvedPath {
  /** The path without links; what is missing is kept as written. */
  readonly real: AbsolutePath;
  /** The links on the way, where each really lies. */
  readonly links: readonly { readonly at: AbsolutePath; readonly target: string }[];
  /** The first part that does not exist, if one does not. */
  readonly missing: AbsolutePath | undefined;
  /** The folder that this user may not enter, if the path leads through one; `real` ends there. */
  readonly closed: AbsolutePath | undefined;
}

/** The most links one path may lead through, as the kernel has it. */
const MAX_LINKS = 40;

/** Follows a path the way the kernel would, component by component. */
export function resolvePath(path: AbsolutePath, facts: FileFacts): ResolvedPath {
  const links: { at: AbsolutePath; target: string }[] = [];
  let left = path.split("/").filter(Boolean);
  let real = parseAbsolutePath("/");
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    const here = step(real, name);
    const kind = facts.kindOf(here);
    if (kind === "closed") return { real, links, missing: undefined, closed: real };
    if (kind === "missing") {
      return { real: below(here, left), links, missing: here, closed: undefined };
    }
    real = here;
    if (kind !== "link") continue;
    const target = facts.linkAt(here);
    if (links.push({ at: here, target }) > MAX_LINKS) throw tooManyLinks(path);
    left = [...target.split("/").filter(Boolean), ...left];
    real = target.startsWith("/") ? parseAbsolutePath("/") : parentOf(here);
  }
  return { real, links, missing: undefined, closed: undefined };
}

/** One name further; only what a link says may lead back. */
function step(folder: AbsolutePath, name: string): AbsolutePath {
  if (name === "." || name === "..") return parseAbsolutePath(`${folder}/${name}`);
  return (folder === "/" ? `/${name}` : `${folder}/${name}`) as AbsolutePath;
}

function below(missing: AbsolutePath, names: readonly string[]): AbsolutePath {
  return parseAbsolutePath([missing, ...names].join("/"));
}

function tooManyLinks(path: AbsolutePath): SandboxError {
  return new SandboxError(
    "unprotectablePath",
    `Cannot protect "${path}": it leads through more than ${MAX_LINKS} links`,
  );
}
