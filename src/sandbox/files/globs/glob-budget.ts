/**
 * How much one look for what patterns deny may cost.
 *
 * A bound that is reached is a refusal which names a pattern and the number: a
 * rule that was looked at in part is not a rule that is kept.
 */
import { type GlobRule, globCursor } from "../../../policy/index.ts";
import { SandboxError } from "../../sandbox-error.ts";

export interface WalkBounds {
  /** Names that are looked at. */
  readonly entries: number;
  readonly milliseconds: number;
  /** Paths that are found. */
  readonly matches: number;
  /** Folders within one another, counted from `/`. */
  readonly depth: number;
}

export const WALK_BOUNDS: WalkBounds = {
  entries: 1_000_000,
  milliseconds: 10_000,
  matches: 256,
  depth: 256,
};

/** What is left of the bounds while one walk lasts. */
export class GlobBudget {
  readonly bounds: WalkBounds;
  readonly #globs: readonly GlobRule[];
  readonly #end: number;
  #entries = 0;

  constructor(globs: readonly GlobRule[], bounds: WalkBounds) {
    this.bounds = bounds;
    this.#globs = globs;
    this.#end = performance.now() + bounds.milliseconds;
  }

  /** How many more names may be looked at. */
  get entries(): number {
    return this.bounds.entries - this.#entries;
  }

  spend(entries: number, folder: string): void {
    this.#entries += entries;
    const { entries: most, milliseconds } = this.bounds;
    if (this.#entries > most) throw this.refusal(folder, `more than ${most} names to look at`);
    if (performance.now() > this.#end) {
      throw this.refusal(folder, `looking took more than ${milliseconds} ms`);
    }
  }

  checkDepth(depth: number, folder: string): void {
    const { depth: most } = this.bounds;
    if (depth > most) throw this.refusal(folder, `folders are nested more than ${most} deep`);
  }

  checkMatches(count: number, rule: GlobRule): void {
    const { matches: most } = this.bounds;
    if (count > most) throw ruleRefusal(rule, `it matches more than ${most} paths`);
  }

  /** Names a pattern that leads to the folder; behind a link that may be any. */
  refusal(folder: string, what: string, options?: ErrorOptions): SandboxError {
    const rule = this.#globs.find((glob) => leadsTo(glob, folder)) ?? this.#globs[0];
    return ruleRefusal(rule, `${what} in "${shortened(folder)}"`, options);
  }
}

function leadsTo(glob: GlobRule, folder: string): boolean {
  let cursor: ReturnType<typeof globCursor> | undefined = globCursor([glob]);
  for (const name of folder.split("/").filter(Boolean)) cursor = cursor?.enter(name);
  return cursor !== undefined;
}

/** The pattern cannot be kept, and the command is therefore not run. */
export function ruleRefusal(
  rule: GlobRule | undefined,
  what: string,
  options?: ErrorOptions,
): SandboxError {
  return new SandboxError("unenforceableRule", `Cannot enforce ${rule?.rule}: ${what}`, options);
}

function shortened(folder: string): string {
  return folder.length <= 200 ? folder || "/" : `${folder.slice(0, 100)}…${folder.slice(-99)}`;
}
