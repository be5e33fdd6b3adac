/**
 * What a profile says about the network.
 *
 * Rules are their own case, not a detail of "enabled": code that only asks
 * whether the network is on cannot compile without meeting them.
 */
import { z } from "zod";
import { asTransform } from "../as-transform.ts";
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
    unixSockets: z.record(z.string().refine(isSocketPath), Verdict).default({}),
    allowLocalBinding: z.boolean().default(false),
  })
  .meta({ id: "NetworkRules", description: "Destinations that the network is on for." });
export type NetworkRules = Readonly<z.infer<typeof NetworkRules>>;

type Verdicts = Record<string, "allow" | "deny">;

/** One spelling per pattern; where two spellings mean one pattern, deny wins. */
function domainRules(given: Verdicts): Verdicts {
  const rules: Verdicts = {};
  for (const [text, verdict] of Object.entries(given)) {
    const pattern = parseDomainPattern(text);
    if (pattern === "*" && verdict === "deny") {
      throw new PolicyError("malformed", 'Cannot deny domain "*": expected a host to deny');
    }
    if (rules[pattern] !== "deny") rules[pattern] = verdict;
  }
  return rules;
}

/** Reads `host`, `*.host`, `**.host` or `*`. Throws on what could be read in two ways. */
export function parseDomainPattern(text: string): string {
  const pattern = text.trim().toLowerCase().replace(/\.+$/, "");
  const host = pattern.replace(/^\*\*?\./, "");
  if (pattern === "*" || HOST_NAME.test(host) || ADDRESS.test(host)) return pattern;
  throw new PolicyError(
    "malformed",
    `Cannot use domain pattern ${JSON.stringify(text)}: expected "host", "*.host", "**.host" or "*" without a port`,
  );
}

const HOST_NAME = /^(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;
const ADDRESS = /^\[[0-9a-f:.]+\]$/;

function isSocketPath(text: string): boolean {
  return text.startsWith("/") && !text.includes("\0");
}
