import type { BoundProfile } from "../access/bound-profile.ts";
import { accessTo, decide } from "../access/decide.ts";
import type { AbsolutePath } from "../paths/absolute-path.ts";
import { type Access, allowsMore } from "../profile/access.ts";
import { liftedPattern } from "./lifted-pattern.ts";

export interface LiftedDeny {
  /** A path, or a pattern. */
  readonly path: string;
  readonly asked: Access;
  /** The entry of the current profile that denies it. */
  readonly rule: string;
}

/**
 * The first place that the current profile denies and the next one opens.
 *
 * `preserveDenies` compares symbols with symbols and paths with paths; on a
 * host, a symbol and a path may meet, so an override is asked about once more
 * after both profiles are bound.
 */
export function liftedDeny(current: BoundProfile, next: BoundProfile): LiftedDeny | undefined {
  for (const path of new Set([...namedIn(current), ...namedIn(next)])) {
    const decision = decide(current, path);
    if (decision.by !== "entry" || decision.access !== "deny") continue;
    const asked = accessTo(next, path);
    if (allowsMore(asked, "deny")) return { path, asked, rule: decision.entry.rule };
  }
  const lifted = liftedPattern(current, next);
  return lifted && { path: lifted.pattern, asked: lifted.asked, rule: lifted.rule };
}

/** Access changes only where a profile names a path. */
function namedIn({ files }: BoundProfile): AbsolutePath[] {
  return files.type === "restricted" ? files.entries.map(({ path }) => path) : [];
}
