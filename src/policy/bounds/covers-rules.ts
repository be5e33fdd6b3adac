import type { NetworkRules } from "../profile/network.ts";

type Verdicts = NetworkRules["domains"];

/**
 * True when everything `inner` lets through, `outer` lets through too.
 *
 * Errs on the side of "no": denies of `outer` must be repeated in `inner`. An
 * address or a local name is open only where it is named, so a wildcard does
 * not cover one unless local destinations are open anyway.
 */
export function coversRules(outer: NetworkRules, inner: NetworkRules): boolean {
  return (
    (outer.mode === "full" || inner.mode === "limited") &&
    (outer.allowLocalBinding || !inner.allowLocalBinding) &&
    portsCovered(outer.ports, inner.ports) &&
    deniesKept(outer.domains, inner.domains) &&
    deniesKept(outer.unixSockets, inner.unixSockets) &&
    domainsCovered(outer, inner) &&
    allowed(inner.unixSockets).every((one) => outer.unixSockets[one] === "allow")
  );
}

function portsCovered(outer: readonly number[] | undefined, inner: readonly number[] | undefined) {
  if (outer === undefined) return true;
  const open = new Set(outer);
  return inner?.every((port) => open.has(port)) ?? false;
}

function deniesKept(outer: Verdicts, inner: Verdicts): boolean {
  return Object.keys(outer).every((one) => outer[one] === "allow" || inner[one] === "deny");
}

function domainsCovered(outer: NetworkRules, inner: NetworkRules): boolean {
  const open = new Set(allowed(outer.domains));
  return allowed(inner.domains).every((pattern) => {
    if (open.has(pattern)) return true;
    return (outer.allowLocalBinding || !isLocal(pattern)) && coveredByWildcard(pattern, open);
  });
}

/** `*` covers all, `**.h` covers `h` and all below it, `*.h` covers all below it. */
function coveredByWildcard(pattern: string, open: ReadonlySet<string>): boolean {
  if (open.has("*")) return true;
  const host = pattern.replace(/^\*\*?\./, "");
  if (pattern === "*") return false;
  if (open.has(`**.${host}`) || (pattern.startsWith("*.") && open.has(`*.${host}`))) return true;
  for (let dot = host.indexOf("."); dot !== -1; dot = host.indexOf(".", dot + 1)) {
    const above = host.slice(dot + 1);
    if (open.has(`*.${above}`) || open.has(`**.${above}`)) return true;
  }
  return false;
}

function isLocal(pattern: string): boolean {
  const host = pattern.replace(/^\*\*?\./, "");
  return /^\[|^[\d.]+$|(^|\.)(localhost|local|internal)$/.test(host);
}

function allowed(rules: Verdicts): string[] {
  return Object.keys(rules).filter((pattern) => rules[pattern] === "allow");
}
