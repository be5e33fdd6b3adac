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
  readonly id: number;
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
    let cursor: GlobCursor | undefined = this.cursor();
    for (const name of names) {
      cursor = cursor.enter(name);
      if (cursor === undefined || cursor.rule !== undefined) return cursor?.rule;
    }
    return undefined;
  }

  /** A walk that begins at `/`. */
  cursor(): GlobCursor {
    return new GlobCursor(closure([this.#root]));
  }
}

/** A place on a walk through a disk, with the patterns that may still match below it. */
export class GlobCursor {
  readonly #live: ReadonlySet<Node>;
  /** The rule that denies this place and all below it. */
  readonly rule: GlobRule | undefined;

  constructor(live: ReadonlySet<Node>) {
    this.#live = live;
    this.rule = live.values().find((node) => node.rule !== undefined)?.rule;
  }

  /** One name further down; nothing when no pattern can match there. */
  enter(name: string): GlobCursor | undefined {
    const live = closure(step(this.#live, name));
    return live.size === 0 ? undefined : new GlobCursor(live);
  }

  /** What still matches below a folder of any name in this place, however deep; nothing when no pattern spans it. */
  get spanning(): GlobCursor | undefined {
    const spanning = closure([...this.#live].filter(({ spans }) => spans));
    return spanning.size === 0 ? undefined : new GlobCursor(spanning);
  }

  /** Equal for places from which the same patterns may match: such a place need not be walked twice. */
  get key(): string {
    return [...this.#live.values().map(({ id }) => id)].sort((a, b) => a - b).join();
  }

  /** The only names worth entering, where patterns say names and nothing else; else nothing. */
  get names(): readonly string[] | undefined {
    const open = this.#live.values().some((node) => node.spans || node.patterns.size > 0);
    return open ? undefined : [...this.#live.values().flatMap((node) => node.literals.keys())];
  }
}

let nodes = 0;

function createNode(spans: boolean): Node {
  nodes += 1;
  return {
    id: nodes,
    spans,
    literals: new Map(),
    patterns: new Map(),
    globstar: undefined,
    rule: undefined,
  };
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
