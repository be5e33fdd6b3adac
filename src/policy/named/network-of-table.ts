import { PolicyError } from "../policy-error.ts";
import { type Network, NetworkRules } from "../profile/network.ts";
import { readShape } from "../read-shape.ts";
import type { ProfileTable } from "./profile-table.ts";

/**
 * What a `network` table means.
 *
 * A list that is there and empty allows nothing; only a table without any list
 * means the whole network. Rules beside `enabled = false` would do nothing, so
 * they are refused instead of being forgotten. `unix_socket_access` is no rule
 * of the network: it neither needs it nor switches it on.
 */
export function networkOfTable(table: ProfileTable["network"]): Network {
  if (table === undefined) return { kind: "restricted" };
  const { enabled = false, mode, ports, domains, unix_sockets: unixSockets } = table;
  const local = table.allow_local_binding;
  const ruled = mode === "limited" || [ports, domains, unixSockets, local].some(isGiven);
  if (!enabled && ruled) {
    throw new PolicyError(
      "malformed",
      'Cannot use "network": it has rules but is not enabled, expected enabled = true or no rules',
    );
  }
  if (!ruled) return { kind: enabled ? "enabled" : "restricted" };
  const rules = { mode, ports, domains, unixSockets, allowLocalBinding: local };
  return { kind: "ruled", rules: readShape(NetworkRules, rules, "network") };
}

function isGiven(value: unknown): boolean {
  return value !== undefined;
}
