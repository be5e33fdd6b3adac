/** What network rules let through, decided in the order that the specification gives. */
import type { BoundNetwork, NetworkRules } from "../../../src/policy/index.ts";

export interface Request {
  readonly to: string;
  readonly kind: "host" | "local" | "socket";
  readonly method: "GET" | "POST";
  readonly port: number;
}

const HOSTS = ["x.io", "a.x.io", "b.a.x.io", "y.io", "z.y.io", "other.org", "ax.io"];
const ADDRESSES = ["127.0.0.1", "10.0.0.1", "localhost", "[::1]"];

/** One request for each combination that the generated rules can tell apart. */
export const requests: readonly Request[] = [
  ...HOSTS.map((to) => ({ to, kind: "host" as const })),
  ...ADDRESSES.map((to) => ({ to, kind: "local" as const })),
  ...["/run/a", "/run/b", "/run/c"].map((to) => ({ to, kind: "socket" as const })),
].flatMap(({ to, kind }) =>
  (["GET", "POST"] as const).flatMap((method) =>
    [80, 443, 22].map((port) => ({ to, kind, method, port })),
  ),
);

export function letsThrough(network: BoundNetwork, request: Request): boolean {
  if (network.kind !== "ruled") return network.kind === "enabled";
  return network.all.every((rules) => allowedBy(rules, request));
}

function allowedBy(rules: NetworkRules, { to, kind, method, port }: Request): boolean {
  if (kind === "socket") return rules.unixSockets[to] === "allow";
  if (rules.mode === "limited" && method === "POST") return false;
  if (rules.ports !== undefined && !rules.ports.includes(port)) return false;
  const verdicts = Object.entries(rules.domains);
  if (verdicts.some(([pattern, word]) => word === "deny" && fits(pattern, to))) return false;
  // A private address must be named itself; a pattern that happens to fit it opens nothing.
  if (kind === "local" && !rules.allowLocalBinding) return rules.domains[to] === "allow";
  return verdicts.some(([pattern, word]) => word === "allow" && fits(pattern, to));
}

function fits(pattern: string, host: string): boolean {
  if (pattern === "*" || pattern === host) return true;
  if (pattern.startsWith("**.")) {
    return host === pattern.slice(3) || host.endsWith(pattern.slice(2));
  }
  return pattern.startsWith("*.") && host.endsWith(pattern.slice(1));
}
