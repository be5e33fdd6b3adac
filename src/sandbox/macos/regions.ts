/**
 * The parts of a disk on which an operation is allowed.
 *
 * The most specific rule decides, so an open rule opens everything below it
 * except what a closed rule takes out, and an open rule inside such a hole
 * begins a region of its own. Regions do not overlap with each other's holes:
 * a policy made of them means the same in whatever order its rules are read.
 */
import type { AbsolutePath } from "../../policy/index.ts";
import { parentOf } from "../files/parent-of.ts";
import type { RealRule, RealRules } from "../rules/real-rules.ts";

export interface Region {
  readonly root: RealRule;
  /** The topmost closed rules inside. */
  readonly holes: readonly RealRule[];
}

/** Where something may be read. */
export function readableRegions({ rules }: Pick<RealRules, "rules">): Region[] {
  return regionsOf(rules, ({ access }) => access !== "deny");
}

/** Where something may be written; what does not exist is not the command's to make. */
export function writableRegions({ rules }: Pick<RealRules, "rules">): Region[] {
  const regions = regionsOf(rules, ({ access }) => access === "write");
  return regions.filter(({ root }) => root.missing === undefined);
}

interface Growing {
  readonly root: RealRule;
  readonly holes: RealRule[];
}

/** The regions that rules make, one rule a path. */
function regionsOf(rules: readonly RealRule[], isOpen: (rule: RealRule) => boolean): Region[] {
  const regions: Growing[] = [];
  const regionAt = new Map<AbsolutePath, Growing | undefined>();
  for (const rule of rules.toSorted((a, b) => a.path.length - b.path.length)) {
    const outer = regionAbove(rule.path, regionAt);
    if (!isOpen(rule)) {
      outer?.holes.push(rule);
      regionAt.set(rule.path, undefined);
    } else if (outer !== undefined) regionAt.set(rule.path, outer);
    else {
      const region = { root: rule, holes: [] };
      regions.push(region);
      regionAt.set(rule.path, region);
    }
  }
  return regions;
}

/** What the nearest rule above says: a region, or nothing where it is closed. */
function regionAbove<V>(path: AbsolutePath, known: ReadonlyMap<AbsolutePath, V>): V | undefined {
  for (let at = path; at !== "/"; ) {
    at = parentOf(at);
    if (known.has(at)) return known.get(at);
  }
  return undefined;
}
