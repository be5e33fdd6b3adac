import fs from "node:fs";
import path from "node:path";
import type { Placeholder } from "../launch-plan.ts";

export interface HeldPath {
  readonly path: string;
  readonly kind: Placeholder["kind"];
  readonly users: readonly string[];
  /** The inode that one of us made; `theirs` when it was there; `unknown` before it was tried. */
  made: { readonly dev: number; readonly ino: number } | "theirs" | "unknown";
}

/** What is held now. A registry that cannot be read is empty: it only names what may be removed. */
export function readPlaceholderRegistry(registry: string): Map<string, HeldPath> {
  try {
    const list: HeldPath[] = JSON.parse(fs.readFileSync(fileIn(registry), "utf8"));
    return new Map(list.map((one) => [one.path, one]));
  } catch {
    return new Map();
  }
}

/** Replaces the record as a whole, so that a kill leaves the old one or the new one. */
export function writePlaceholderRegistry(
  registry: string,
  held: ReadonlyMap<string, HeldPath>,
): void {
  const draft = `${fileIn(registry)}.draft`;
  fs.writeFileSync(draft, JSON.stringify([...held.values()]));
  fs.renameSync(draft, fileIn(registry));
}

function fileIn(registry: string): string {
  return path.join(registry, "held.json");
}
