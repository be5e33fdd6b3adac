/** Bound entries as a tree by name: a look-up takes as many steps as the path has names. */
import { type AbsolutePath, namesOf } from "../paths/absolute-path.ts";
import type { Access } from "../profile/access.ts";
import type { ProtectedName } from "../profile/protected-names.ts";
import type { BoundEntry } from "./bound-profile.ts";

export type EntryDecision =
  | { readonly by: "nothing"; readonly access: "deny" }
  | { readonly by: "entry"; readonly access: Access; readonly entry: BoundEntry }
  | {
      readonly by: "protectedName";
      readonly access: "read";
      readonly entry: BoundEntry;
      readonly name: ProtectedName;
    };

interface Node {
  readonly children: Map<string, Node>;
  entry: BoundEntry | undefined;
}

export class EntryTree {
  readonly #root: Node = { children: new Map(), entry: undefined };

  add(entry: BoundEntry): void {
    let node = this.#root;
    for (const name of namesOf(entry.path)) {
      const child = node.children.get(name) ?? { children: new Map(), entry: undefined };
      node.children.set(name, child);
      node = child;
    }
    node.entry = entry;
  }

  /** The most specific entry decides; where it says write, a protected name may still say no. */
  decide(path: AbsolutePath): EntryDecision {
    const names = namesOf(path);
    let node: Node | undefined = this.#root;
    let deciding: BoundEntry | undefined;
    let name: ProtectedName | undefined;
    for (let depth = 0; node !== undefined; depth += 1) {
      const { entry }: Node = node;
      const next = names[depth];
      if (entry !== undefined) {
        deciding = entry;
        // A write entry reopens what is protected above it, and protects names of its own.
        if (entry.access === "write") name = protectedIn(entry, next);
      }
      node = next === undefined ? undefined : node.children.get(next);
    }
    return verdict(deciding, name);
  }
}

function protectedIn(entry: BoundEntry, next: string | undefined): ProtectedName | undefined {
  return next === undefined ? undefined : entry.protects.find((one) => one.name === next);
}

function verdict(entry: BoundEntry | undefined, name: ProtectedName | undefined): EntryDecision {
  if (entry === undefined) return { by: "nothing", access: "deny" };
  if (entry.access === "write" && name !== undefined) {
    return { by: "protectedName", access: "read", entry, name };
  }
  return { by: "entry", access: entry.access, entry };
}
