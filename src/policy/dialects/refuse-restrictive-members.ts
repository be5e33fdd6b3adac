import { memberName } from "../member-name.ts";
import { PolicyError } from "../policy-error.ts";

/** Words in a member's name that make it a possible restriction. */
const RESTRICTIVE =
  /acl|access|allow|black|block|capabilit|ceiling|deny|denied|disable|domain|egress|enforce|exclude|expire|forbid|force|hidden|hide|ingress|internet|isolat|level|limit|lock|mask|max|mode|narrow|network|^no[A-Z]|offline|only|path|permission|polic|privilege|profile|protect|prox|quota|read|refus|require|restrict|root|rule|safe|sandbox|scope|seccomp|secret|secur|strict|timeout|trust|ttl|until|valid|white|writ/i;

/**
 * Lets plain members of a newer party pass, except those that may narrow what is allowed.
 *
 * Ignoring a flag keeps us compatible; ignoring a restriction would run a
 * command under less than was asked for. A list or an object is never a flag.
 */
export function refuseRestrictiveMembers(
  value: unknown,
  known: Readonly<Record<string, unknown>>,
  what: string,
): void {
  for (const [member, inner] of Object.entries(value as object)) {
    if (Object.hasOwn(known, member)) continue;
    const isFlag = typeof inner !== "object" || inner === null;
    if (isFlag && !RESTRICTIVE.test(member)) continue;
    throw new PolicyError(
      "unknown",
      `Cannot read "${memberName(what, member)}": it is unknown and may be a restriction, expected ${Object.keys(known).join(", ")}`,
    );
  }
}
