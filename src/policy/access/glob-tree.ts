/**
 * All deny patterns of a profile as one tree by name.
 *
 * A look-up walks the path once with a set of live nodes, so patterns that
 * begin elsewhere cost nothing. A path is denied when it or a directory above
 * it matches: whoever may not see a directory may not see what is in it.
 */
import type { GlobSegment } from "./glob.ts";
import { matchesName, type NamePattern } from "./name-pattern.ts";

export interface GlobRule {
  /** The absolute pattern. */
  readonly pattern: string;
  /** The entry it came from, in words. */
  readonly rule: string;
}

interface Node {
  readonly spans: boolean;
  readonly literals: Map<string, Node>;
  readonly patterns: Map<string, { readonly pattern: NamePattern; readonly node: Node }>;
  globstar: Node | undefined;
  rule: GlobRule | undefined;
}

export class GlobTree {
  readonly #root = createNode(false);

  add(segments: readonly GlobSegment[], rule: GlobRule): void {
    let node = this.#root;
    for (const segment of segments) node = childFor(node, segment);
    node.rule ??= rule;
  }

  /** The rule that denies the path of these names, if one does. */
  match(names: readonly string[]): GlobRule | undefined {
    let live = closure([this.#root]);
    for (const name of names) {
      live = closure(step(live, name));
      if (live.size === 0) return undefined;
      for (const node of live) if (node.rule !== undefined) return node.rule;
    }
    return undefined;
  }
}

function createNode(spans: boolean): Node {
  return { spans, literals: new Map(), patterns: new Map(), globstar: undefined, rule: undefined };
}

function childFor(node: Node, segment: GlobSegment): Node {
  if (segment.kind === "globstar") {
    if (node.spans) return node;
    node.globstar ??= createNode(true);
    return node.globstar;
  }
  if (segment.kind === "literal") return getOrAdd(node.literals, segment.name, createNode);
  const { pattern, source } = segment;
  return getOrAdd(node.patterns, source, () => ({ pattern, node: createNode(false) })).node;
}

function getOrAdd<V>(map: Map<string, V>, key: string, create: (spans: false) => V): V {
  const found = map.get(key) ?? create(false);
  map.set(key, found);
  return found;
}

function step(live: Iterable<Node>, name: string): Node[] {
  const next: Node[] = [];
  for (const node of live) {
    if (node.spans) next.push(node);
    const literal = node.literals.get(name);
    if (literal !== undefined) next.push(literal);
    for (const { pattern, node: child } of node.patterns.values()) {
      if (matchesName(pattern, name)) next.push(child);
    }
  }
  return next;
}

/** A globstar may span nothing, so its node is live as soon as its parent is. */
function closure(nodes: readonly Node[]): Set<Node> {
  const live = new Set(nodes);
  for (const node of live) if (node.globstar !== undefined) live.add(node.globstar);
  return live;
}
