/**
 * What patterns deny on this disk, remembered while the process lives.
 *
 * Patterns hold at every depth, so the walk looks at every depth; a profile's
 * `globScanMaxDepth` is not asked (see docs/decisions/0003-globs.md).
 *
 * An executor plans many commands under the same patterns, and little changes
 * from one to the next. Every folder and link is asked each time whether it is
 * still the same; only folders that changed are read. What is remembered is
 * dropped when it is too much and when the clock was set back.
 */
import { readFileSync } from "node:fs";
import { type AbsolutePath, type GlobRule, parseAbsolutePath } from "../../../policy/index.ts";
import { kernelMounts } from "../../linux/mount-table/kernel-mounts.ts";
import { GlobBudget, type WalkBounds } from "./glob-budget.ts";
import type { GlobLook } from "./glob-look.ts";
import { GlobStamps, SETTLE_MS } from "./glob-stamps.ts";
import { type GlobState, startState } from "./glob-state.ts";
import { type FoundMatch, GlobWalk } from "./glob-walk.ts";
import { globWalkAside } from "./glob-walk-aside.ts";

export interface GlobMatch {
  readonly path: AbsolutePath;
  readonly rule: GlobRule;
  /** The links on the way there, where they lie; none where the pattern names the place itself. */
  readonly links: readonly AbsolutePath[];
}

/** What patterns denied when they were looked for. */
export interface FoundByGlobs {
  readonly globs: readonly GlobRule[];
  readonly matches: readonly GlobMatch[];
}

export interface GlobCacheOptions {
  /** How long a folder must have been left alone before its change time is believed. */
  readonly settleMs?: number;
  /** How many folders and links are remembered, over all patterns. */
  readonly places?: number;
}

interface Seen {
  readonly start: GlobState;
  readonly looks: ReadonlyMap<string, GlobLook>;
}

interface Remembered extends Seen {
  readonly places: number;
}

const MAX_PLACES = 100_000;
const CLOCK_SLACK_MS = 1000;
/** Each takes a move by somebody who may not be found out before, and is ended for it. */
const MOST_WALKS = 8;

export class GlobCache {
  readonly #settleMs: number;
  readonly #maxPlaces: number;
  /** By patterns; what was used last comes last. */
  readonly #remembered = new Map<string, Remembered>();
  #clock = Number.NEGATIVE_INFINITY;

  constructor({ settleMs = SETTLE_MS, places = MAX_PLACES }: GlobCacheOptions = {}) {
    this.#settleMs = settleMs;
    this.#maxPlaces = places;
  }

  /** Every real path that a pattern denies, folders before what is in them. */
  expand(globs: readonly GlobRule[], bounds: WalkBounds): GlobMatch[] {
    if (globs.length === 0) return [];
    const { walk, keep } = this.#prepare(globs, bounds);
    walk.run();
    return keep();
  }

  /** The same without holding up the rest of the process; {@link expand} then has little left to read. */
  async expandAside(globs: readonly GlobRule[], bounds: WalkBounds): Promise<GlobMatch[]> {
    if (globs.length === 0) return [];
    const { walk, keep } = this.#prepare(globs, bounds);
    await globWalkAside(walk);
    return keep();
  }

  /**
   * Whether patterns still find what they found, and nothing else. Who moves a folder from where a walk will
   * come to where it has been hides it from that walk, so it is not over before one finds every folder as the
   * last one did. Where folders change all the time, as many walks have to find the same. `isMade` tells what
   * was made since, and holds nothing.
   */
  async findsAgain(
    { globs, matches }: FoundByGlobs,
    bounds: WalkBounds,
    isMade: (path: AbsolutePath) => boolean = () => false,
  ): Promise<boolean> {
    const known = new Set(matches.map(({ path }) => path));
    let latest: Seen | undefined;
    for (let left = MOST_WALKS; left > 0; left -= 1) {
      const { walk, start, keep } = this.#prepare(globs, bounds, latest);
      await globWalkAside(walk);
      const found = keep().filter(({ path }) => known.has(path) || !isMade(path));
      if (namesOf(found) !== namesOf(matches)) return false;
      if (walk.isCalm) return true;
      latest = { start, looks: walk.looks };
    }
    return true;
  }

  /** `latest` is what a walk of the same look has seen, which may be more than is remembered. */
  #prepare(globs: readonly GlobRule[], bounds: WalkBounds, latest?: Seen) {
    this.#forgetIfSetBack();
    const key = JSON.stringify(globs.map(({ pattern, rule }) => [pattern, rule]));
    const earlier = latest ?? this.#remembered.get(key);
    const start = earlier?.start ?? startState(globs);
    const walk = new GlobWalk(start, {
      budget: new GlobBudget(globs, bounds),
      stamps: new GlobStamps(this.#settleMs),
      known: earlier?.looks ?? new Map<string, GlobLook>(),
      unseen: kernelMounts(readFileSync("/proc/self/mountinfo", "utf8")),
    });
    const keep = () => {
      this.#remember(key, { start, looks: walk.looks, places: placesIn(walk.looks) });
      return sorted(walk.matches);
    };
    return { walk, start, keep };
  }

  #remember(key: string, latest: Remembered): void {
    this.#remembered.delete(key);
    this.#remembered.set(key, latest);
    let places = 0;
    for (const { places: more } of this.#remembered.values()) places += more;
    for (const [oldest, { places: fewer }] of this.#remembered) {
      if (places <= this.#maxPlaces) return;
      this.#remembered.delete(oldest);
      places -= fewer;
    }
  }

  /** After a step back, a change could get the very time that a folder had before. */
  #forgetIfSetBack(): void {
    const clock = Date.now() - performance.now();
    if (clock < this.#clock - CLOCK_SLACK_MS) this.#remembered.clear();
    this.#clock = this.#remembered.size === 0 ? clock : Math.max(clock, this.#clock);
  }
}

function placesIn(looks: ReadonlyMap<string, GlobLook>): number {
  let places = looks.size;
  for (const { links, matches } of looks.values()) places += links.length + matches.length;
  return places;
}

/** Equal where the same is found in the same way. */
function namesOf(matches: readonly GlobMatch[]): string {
  return JSON.stringify(matches.map(({ path, links }) => [path, links]));
}

/** In this order a folder comes before whatever is in it. */
function sorted(matches: ReadonlyMap<string, FoundMatch>): GlobMatch[] {
  return [...matches]
    .map(([path, { rule, links }]) => ({
      path: parseAbsolutePath(path),
      rule,
      links: links.map((link) => parseAbsolutePath(link)),
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}
