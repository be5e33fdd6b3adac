/**
 * What the firewall of a VM is told, and whether it says the same back. Pure.
 *
 * It lets through whole hosts by name and nothing finer. What `*.host` opens
 * there is not written down as exactly as it is here, so only exact names pass.
 */
import type { Network, NetworkRules } from "../../../policy/index.ts";
import { Refusal } from "../../refusal.ts";
import type { SessionError } from "../../session-error.ts";

export type Firewall = "allow-all" | "deny-all" | { readonly allow: readonly string[] };

/** What the service says is in force. */
export interface ToldFirewall {
  readonly allow?: readonly string[] | Readonly<Record<string, unknown>> | undefined;
  readonly subnets?: object | undefined;
}

/** The firewall for a network. Throws `forbidden` on a rule that it would lose. */
export function firewallOf(network: Network): Firewall {
  switch (network.kind) {
    case "restricted":
      return "deny-all";
    case "enabled":
      return "allow-all";
    case "ruled":
      return firewallOfRules(network.rules);
  }
}

/** In the words of the service. */
export function policyOf(firewall: Firewall) {
  return typeof firewall === "string" ? firewall : { allow: [...firewall.allow] };
}

/** Whether what is in force opens nothing that was not asked for. */
export function isKept(
  wanted: Firewall,
  told: "allow-all" | "deny-all" | ToldFirewall | undefined,
): boolean {
  if (wanted === "allow-all" || told === "deny-all") return true;
  if (wanted === "deny-all" || told === undefined || told === "allow-all") return false;
  const { allow = [], subnets } = told;
  const hosts = Array.isArray(allow) ? allow : Object.keys(allow);
  return subnets === undefined && hosts.every((host) => wanted.allow.includes(host));
}

function firewallOfRules({ mode, domains, ports, unixSockets }: NetworkRules): Firewall {
  if (mode === "limited") throw unkept('network mode "limited"', "hosts that are open as a whole");
  if (ports !== undefined) throw unkept("rules for ports", "none");
  if (Object.keys(unixSockets).length > 0) throw unkept("rules for single unix sockets", "none");
  const names = Object.keys(domains);
  const unclear = names.find((name) => !NAME.test(name) || ADDRESS.test(name));
  if (unclear !== undefined) throw unkept(`a rule for "${unclear}"`, "exact names of hosts");
  // What is not listed is closed, so a host that is denied by its exact name is.
  const allow = names.filter((name) => domains[name] === "allow").sort();
  return allow.length === 0 ? "deny-all" : { allow };
}

const NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;
const ADDRESS = /^[\d.]+$/;

function unkept(what: string, expected: string): SessionError {
  return new Refusal(
    "forbidden",
    `Cannot keep the policy in a VM: it has ${what}, which its firewall does not know, expected ${expected}`,
  );
}
