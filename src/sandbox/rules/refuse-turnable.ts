/**
 * What a pattern denies only because a link leads there.
 *
 * The kernel can cover what a link leads to, and not the link. A command that may write in its
 * folder takes the link away, and by no other name does the pattern match what the next command
 * then finds: the rule cannot be kept.
 */
import {
  type AbsolutePath,
  accessTo,
  type BoundProfile,
  type GlobRule,
  isWithin,
} from "../../policy/index.ts";
import type { FileFacts } from "../files/file-facts.ts";
import type { GlobMatch } from "../files/globs/glob-cache.ts";
import { parentOf } from "../files/parent-of.ts";
import { resolvePath } from "../files/resolve-path.ts";
import { SandboxError } from "../sandbox-error.ts";

/** Throws {@link SandboxError} for a match behind a link that the command may turn, unless something else closes it. */
export function refuseTurnable(
  matches: readonly GlobMatch[],
  profile: BoundProfile,
  facts: FileFacts,
): void {
  const kept: AbsolutePath[] = [];
  const turnable: (readonly [GlobMatch, AbsolutePath])[] = [];
  for (const match of matches) {
    const link = turnableLink(match, profile, facts);
    if (link === undefined) kept.push(match.path);
    else turnable.push([match, link]);
  }
  for (const [match, link] of turnable) {
    const isClosed =
      accessTo(profile, match.path) === "deny" || kept.some((one) => isWithin(match.path, one));
    if (!isClosed) throw refusal(match, link);
  }
}

/** Whoever may write to the folder a link lies in may put another link there, or none. */
function turnableLink({ links, rule }: GlobMatch, profile: BoundProfile, facts: FileFacts) {
  return links
    .flatMap((link) => linksFrom(link, rule, facts))
    .find((at) => accessTo(profile, parentOf(at)) === "write");
}

/** Itself as well: it may be gone since it was found. */
function linksFrom(link: AbsolutePath, { rule }: GlobRule, facts: FileFacts): AbsolutePath[] {
  try {
    return [link, ...resolvePath(link, facts).links.map(({ at }) => at)];
  } catch (cause) {
    const why = `the link "${link}" cannot be followed to where it led`;
    throw new SandboxError("unprotectablePath", `Cannot enforce ${rule}: ${why}`, { cause });
  }
}

function refusal({ path, rule: { rule } }: GlobMatch, link: AbsolutePath): SandboxError {
  return new SandboxError(
    "unprotectablePath",
    `Cannot enforce ${rule}: it hides "${path}" only because the link "${link}" leads there, and the command may remove the link, expected no such link or a denial of "${path}" itself`,
  );
}
