/** What a network policy comes to with the grants of the commands that run. Pure. */

export type NetworkPolicy = "allow-all" | "deny-all" | { readonly allow: DomainRules };

/** Each domain that is open, with what is added to requests to it. `*` is every other one. */
export type DomainRules = Readonly<Record<string, readonly HeaderRule[]>>;

export interface HeaderRule {
  readonly headers: Readonly<Record<string, string>>;
}

export interface NetworkGrant extends HeaderRule {
  readonly domain: string;
}

/** Base plus grants: the base itself where there are none, and nothing open that neither opens. */
export function effectiveNetwork(
  base: NetworkPolicy,
  grants: readonly NetworkGrant[],
): NetworkPolicy {
  if (grants.length === 0) return base;
  const rules = new Map(Object.entries(rulesOf(base)).map(([domain, list]) => [domain, [...list]]));
  for (const { domain, headers } of grants) {
    const list = rules.get(domain) ?? [];
    if (!list.some((rule) => isSame(rule, { headers }))) list.push({ headers });
    rules.set(domain, list);
  }
  return { allow: Object.fromEntries(rules) };
}

function rulesOf(base: NetworkPolicy): DomainRules {
  if (base === "allow-all") return { "*": [] };
  return base === "deny-all" ? {} : base.allow;
}

function isSame(one: HeaderRule, other: HeaderRule): boolean {
  const sorted = ({ headers }: HeaderRule) => JSON.stringify(Object.entries(headers).sort());
  return sorted(one) === sorted(other);
}
