/** The import graph of `src` at file level, type imports included. */
import path from "node:path";
import { importsOf } from "./syntax.ts";

export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Which file imports which, from repository-relative paths to their texts. */
export function importGraph(texts: ReadonlyMap<string, string>): ImportGraph {
  const targets = (file: string, text: string) =>
    importsOf(text)
      .filter((target) => target?.startsWith("."))
      .map((target) => path.posix.join(path.posix.dirname(file), target ?? ""));
  return new Map([...texts].map(([file, text]) => [file, targets(file, text)]));
}

/** One cycle per way back into a file that is still being followed, as "a -> b -> a". */
export function cyclesIn(graph: ImportGraph): string[] {
  const done = new Set<string>();
  const follow = (file: string, trail: readonly string[]): string[] => {
    const seenAt = trail.indexOf(file);
    if (seenAt >= 0) return [[...trail.slice(seenAt), file].join(" -> ")];
    if (done.has(file)) return [];
    const found = (graph.get(file) ?? []).flatMap((next) => follow(next, [...trail, file]));
    done.add(file);
    return found;
  };
  return [...graph.keys()].flatMap((file) => follow(file, []));
}
