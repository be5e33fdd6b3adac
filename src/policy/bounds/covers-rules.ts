import type { NetworkRules } from "../profile/network.ts";

/**
 * True when everything `inner` lets through, `outer` lets through too.
 *
 * Errs on the side of "no": denies of `outer` must be repeated in `inner`.
 */
export function coversRules(outer: NetworkRules, inner: NetworkRules): boolean {
  return (
    (outer.mode === "full" || inner.mode === "limited") &&
    (outer.allowLocalBinding || !inner.allowLocalBinding) &&
    portsCovered(outer.ports, inner.ports) &&
    verdictsCovered(outer.domains, inner.domains, coversDomain) &&
    verdictsCovered(outer.unixSockets, inner.unixSockets, (a, b) => a === b)
  );
}

function portsCovered(outer: readonly number[] | undefined, inner: readonly number[] | undefined) {
  if (outer === undefined) return true;
  return inner?.every((port) => outer.includes(port)) ?? false;
}

function verdictsCovered(
  outer: NetworkRules["domains"],
  inner: NetworkRules["domains"],
  covers: (outer: string, inner: string) => boolean,
): boolean {
  const allowed = (rules: NetworkRules["domains"]) => patternsOf(rules, "allow");
  return (
    patternsOf(outer, "deny").every((pattern) => inner[pattern] === "deny") &&
    allowed(inner).every((one) => allowed(outer).some((pattern) => covers(pattern, one)))
  );
}

function patternsOf(rules: NetworkRules["domains"], wanted: "allow" | "deny"): string[] {
  return Object.entries(rules).flatMap(([pattern, verdict]) =>
    verdict === wanted ? [pattern] : [],
  );
}

/** `*` covers all, `**.h` covers `h` and all below, `*.h` covers all below, a host covers itself. */
function coversDomain(outer: string, inner: string): boolean {
  if (outer === "*" || outer === inner) return true;
  const below = (pattern: string) => pattern.replace(/^\*\*?\./, "");
  const host = below(outer);
  if (host === outer || inner === "*") return false;
  const isBelow = below(inner).endsWith(`.${host}`);
  if (outer.startsWith("**.")) return isBelow || below(inner) === host;
  return isBelow || inner === outer;
}
