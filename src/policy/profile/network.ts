/**
 * What a profile says about the network.
 *
 * Rules are their own case, not a detail of "enabled": code that only asks
 * whether the network is on cannot compile without meeting them.
 */
import { z } from "zod";
import { asTransform } from "../as-transform.ts";
import { parseAbsolutePath } from "../paths/absolute-path.ts";
import { PolicyError } from "../policy-error.ts";

export type Network =
  | { readonly kind: "restricted" }
  | { readonly kind: "enabled" }
  | { readonly kind: "ruled"; readonly rules: NetworkRules };

const Verdict = z.enum(["allow", "deny"]);

/** A network that is on for some destinations only. An empty list allows nothing. */
export const NetworkRules = z
  .strictObject({
    /** `limited` lets only GET, HEAD and OPTIONS through. */
    mode: z.enum(["full", "limited"]).default("full"),
    domains: z.record(z.string(), Verdict).transform(asTransform(domainRules)).prefault({}),
    ports: z.array(z.int().min(1).max(65_535)).optional(),
    unixSockets: z.record(z.string(), Verdict).transform(asTransform(socketRules)).prefault({}),
    allowLocalBinding: z.boolean().default(false),
  })
  .meta({ id: "NetworkRules", description: "Destinations that the network is on for." });
export type NetworkRules = Readonly<z.infer<typeof NetworkRules>>;

type Verdicts = Record<string, "allow" | "deny">;

/** One spelling per pattern; where two spellings mean one pattern, deny wins. */
function domainRules(given: Verdicts): Verdicts {
  const rules = new Map<string, "allow" | "deny">();
  for (const [text, verdict] of Object.entries(given)) {
    const pattern = parseDomainPattern(text);
    if (pattern === "*" && verdict === "deny") {
      throw new PolicyError("malformed", 'Cannot deny domain "*": expected a host to deny');
    }
    if (rules.get(pattern) !== "deny") rules.set(pattern, verdict);
  }
  return Object.fromEntries(rules);
}

/** One spelling per socket; where two spellings mean one, deny wins. */
function socketRules(given: Verdicts): Verdicts {
  const rules = new Map<string, "allow" | "deny">();
  for (const [text, verdict] of Object.entries(given)) {
    const path = parseAbsolutePath(text);
    if (rules.get(path) !== "deny") rules.set(path, verdict);
  }
  return Object.fromEntries(rules);
}

/** Reads `host`, `*.host`, `**.host` or `*`. Throws on what could be read in two ways. */
export function parseDomainPattern(text: string): string {
  if (text.trim() === "*") return "*";
  const pattern = text.trim().toLowerCase().replace(/\.+$/, "");
  const [, wildcard = "", host = ""] = /^(\*\*?\.)?(.*)$/s.exec(pattern) ?? [];
  const canonical = HOST.test(host) ? canonicalHost(host) : undefined;
  if (canonical !== undefined && !(wildcard && ADDRESS.test(canonical)))
    return wildcard + canonical;
  throw new PolicyError(
    "malformed",
    `Cannot use domain pattern ${JSON.stringify(text)}: expected "host", "*.host", "**.host" or "*" without a port`,
  );
}

const HOST =
  /^(?!__proto__$)(?:(?!-)[a-z0-9_-]{1,63}(?:\.(?!-)[a-z0-9_-]{1,63})*|\[[0-9a-f:.]+\])$/;
const ADDRESS = /^\[|^[\d.]+$/;

/** The spelling every client arrives at; nothing for a number that only some read as an address. */
function canonicalHost(host: string): string | undefined {
  const url = URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`) : undefined;
  if (url === undefined) return undefined;
  return host.startsWith("[") || url.hostname === host ? url.hostname : undefined;
}
