import type { AbsolutePath } from "../../../policy/index.ts";
import type { GlobMatch } from "../../files/globs/glob-cache.ts";
import { SandboxError } from "../../sandbox-error.ts";

/** The cost of mounts grows with their square; a plan with more is refused. */
export const MAX_MOUNTS = 256;

/** What there may be very much of. */
interface Dear {
  readonly matches: readonly GlobMatch[];
  /** Folders that stay in place for what patterns match. */
  readonly pins: readonly AbsolutePath[];
  /** Hidden under every profile. */
  readonly fleeting: readonly AbsolutePath[];
}

/** Throws {@link SandboxError} where a plan has too many, with what most of them are for. */
export function refuseManyMounts(count: number, dear: Dear): void {
  if (count <= MAX_MOUNTS) return;
  throw new SandboxError(
    "tooManyMounts",
    `Cannot build the sandbox: the profile needs ${count} mounts${dearest(dear)}, expected at most ${MAX_MOUNTS}`,
  );
}

/** What a person would change first, as a part of a sentence; nothing where rules alone are too many. */
function dearest({ matches, pins, fleeting }: Dear): string {
  const byRule = [...Map.groupBy(matches, ({ rule }) => rule.rule)];
  const [first] = byRule.toSorted(([, one], [, other]) => other.length - one.length);
  const [rule, { length: most }] = first ?? ["", []];
  if (most === 0 && fleeting.length === 0) return "";
  if (most >= fleeting.length) return `, ${most} of them for what ${rule} matches${toKeep(pins)}`;
  return `, ${fleeting.length} of them to hide sockets or what else this host has mounted`;
}

function toKeep({ length }: Dear["pins"]): string {
  return length === 0
    ? ""
    : ` and ${length} to keep folders in its reach ("**" in their place needs none)`;
}
