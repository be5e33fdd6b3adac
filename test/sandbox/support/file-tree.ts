/** A disk for planners: names to kinds, links to targets. Folders above what is named exist. */
import { type AbsolutePath, parseAbsolutePath as at } from "../../../src/policy/index.ts";
import type { FileFacts, FileKind } from "../../../src/sandbox/files/file-facts.ts";

/** `"/r/"` is a folder, `"/r/f"` a file, `["/r/l", "target"]` a link. */
export function fileTree(
  ...names: (string | readonly [link: string, target: string])[]
): FileFacts {
  const kinds = new Map<AbsolutePath, FileKind>([[at("/"), "directory"]]);
  const links = new Map<AbsolutePath, string>();
  for (const name of names) {
    const [text, target] = typeof name === "string" ? [name] : name;
    const path = at(text);
    for (let above = path.lastIndexOf("/"); above > 0; above = path.lastIndexOf("/", above - 1)) {
      kinds.set(at(path.slice(0, above)), "directory");
    }
    kinds.set(path, target !== undefined ? "link" : text.endsWith("/") ? "directory" : "file");
    if (target !== undefined) links.set(path, target);
  }
  return {
    kindOf: (path) => kinds.get(path) ?? "missing",
    linkAt: (path) => links.get(path) ?? "",
    textAt: () => "",
    canMakeIn: () => true,
    isOpenToAll: () => false,
    closedTo: () => undefined,
    sockets: () => [],
    kernelMounts: () => [],
    matchesOf: () => [],
  };
}
