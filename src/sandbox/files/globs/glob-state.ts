/**
 * Patterns as states that a walk moves through, each made once.
 *
 * Most names of a disk fit no part of any pattern, and from one place all such
 * names lead to the same state. They are told apart by how they begin and end,
 * so that only the few others are put to the patterns themselves.
 */
import {
  type GlobCursor,
  type GlobRule,
  type GlobSegment,
  globCursor,
  parseGlob,
} from "../../../policy/index.ts";

/** Names that were put to the patterns are remembered up to this number, per state. */
const MAX_REMEMBERED = 4096;

interface NameEnds {
  readonly head: string;
  readonly tail: string;
}

/** Which patterns may still match at a place, and what denies it already. */
export class GlobState {
  /** The rule that denies the place and all below it. */
  readonly rule: GlobRule | undefined;
  /** The only names worth a look here, where patterns say names and nothing else. */
  readonly names: readonly string[] | undefined;
  /** Different for different states of the same patterns. */
  readonly id: number;
  readonly #cursor: GlobCursor;
  readonly #all: Automaton;
  readonly #remembered = new Map<string, GlobState | undefined>();
  #plain: { readonly next: GlobState | undefined } | undefined;

  constructor(cursor: GlobCursor, id: number, all: Automaton) {
    this.rule = cursor.rule;
    this.names = cursor.names;
    this.id = id;
    this.#cursor = cursor;
    this.#all = all;
  }

  /** One name further down; nothing when no pattern can match there. */
  next(name: string): GlobState | undefined {
    if (this.#all.mayFit(name)) return this.#exactly(name);
    this.#plain ??= { next: this.#all.stateOf(this.#cursor.enter(name)) };
    return this.#plain.next;
  }

  #exactly(name: string): GlobState | undefined {
    const known = this.#remembered.get(name);
    if (known !== undefined || this.#remembered.has(name)) return known;
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    const next = this.#all.stateOf(this.#cursor.enter(name));
    this.#remembered.set(name, next);
    return next;
  }
}

/** The state at `/`. */
export function startState(globs: readonly GlobRule[]): GlobState {
  return new Automaton(globs).start;
}

class Automaton {
  readonly start: GlobState;
  readonly #states = new Map<string, GlobState>();
  readonly #ends: readonly NameEnds[];

  constructor(globs: readonly GlobRule[]) {
    this.#ends = endsOf(globs.flatMap(({ pattern }) => parseGlob(pattern).flat()));
    this.start = this.#intern(globCursor(globs));
  }

  stateOf(cursor: GlobCursor | undefined): GlobState | undefined {
    return cursor === undefined ? undefined : this.#intern(cursor);
  }

  /** False only for names that no part of a pattern fits. */
  mayFit(name: string): boolean {
    for (const { head, tail } of this.#ends) {
      if (name.endsWith(tail) && name.startsWith(head)) return true;
    }
    return false;
  }

  #intern(cursor: GlobCursor): GlobState {
    const { key } = cursor;
    const state = this.#states.get(key) ?? new GlobState(cursor, this.#states.size, this);
    this.#states.set(key, state);
    return state;
  }
}

function endsOf(segments: readonly GlobSegment[]): NameEnds[] {
  const ends = segments.flatMap((segment) => endsOfSegment(segment));
  const distinct = new Map(ends.map((end) => [`${end.head}/${end.tail}`, end]));
  return [...distinct.values()];
}

function endsOfSegment(segment: GlobSegment): NameEnds[] {
  if (segment.kind === "globstar") return [];
  if (segment.kind === "literal") return [{ head: segment.name, tail: segment.name }];
  const plain = segment.pattern.map((token) => (token.kind === "char" ? token.char : undefined));
  const first = plain.indexOf(undefined);
  const last = plain.lastIndexOf(undefined);
  return [{ head: plain.slice(0, first).join(""), tail: plain.slice(last + 1).join("") }];
}
