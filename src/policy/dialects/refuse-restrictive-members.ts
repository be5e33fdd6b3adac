import { PolicyError } from "../policy-error.ts";

/** Words in a member's name that make it a possible restriction. */
const RESTRICTIVE =
  /allow|block|ceiling|deny|denied|domain|exclude|forbid|forced|limit|mask|max|network|only|permission|polic|protect|prox|quota|readonly|refus|require|restrict|rule/i;

/**
 * Lets members of a newer party pass, except those that may narrow what is allowed.
 *
 * Ignoring a harmless member keeps us compatible; ignoring a restriction would
 * run a command under less than was asked for.
 */
export function refuseRestrictiveMembers(
  value: unknown,
  known: Readonly<Record<string, unknown>>,
  what: string,
): void {
  for (const member of Object.keys(value as object)) {
    if (Object.hasOwn(known, member) || !RESTRICTIVE.test(member)) continue;
    throw new PolicyError(
      "unknown",
      `Cannot read "${what}.${member}": it is unknown and may be a restriction, expected ${Object.keys(known).join(", ")}`,
    );
  }
}
