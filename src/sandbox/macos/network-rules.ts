/**
 * The network and unix sockets.
 *
 * There is no private loopback on macOS: with the network off no address can be
 * reached, the host's own included. Sockets in the file system are a choice of
 * their own, whatever the network is; they are judged by where they lie.
 */
import type { BoundProfile } from "../../policy/index.ts";
import { anySpelling } from "./any-spelling.ts";
import type { Denied } from "./deny-rules.ts";
import type { RuleSources } from "./file-rules.ts";
import { below } from "./parameters.ts";
import { type Region, readableRegions, writableRegions } from "./regions.ts";
import { form, matching, named, rule, type Sbpl } from "./sbpl.ts";

const CONNECT = ["network-outbound"];
const LISTEN = ["network-bind", "network-inbound"];
const ANYWHERE: Sbpl = { kind: "text", text: "*:*" };

/** Names, routes and certificates; not the key chain, and nothing that starts programs. */
const INTERNET: readonly Sbpl[] = [
  rule("allow", CONNECT, [form("remote", "ip", ANYWHERE)]),
  rule("allow", LISTEN, [form("local", "ip", ANYWHERE)]),
  rule("allow", CONNECT, [named("literal", "/private/var/run/mDNSResponder")]),
  rule("allow", ["system-socket"], [form("socket-domain", "AF_ROUTE")]),
  rule("allow", ["sysctl-read"], [named("sysctl-name-prefix", "net.routetable.")]),
  rule(
    "allow",
    ["mach-lookup"],
    [
      named("global-name", "com.apple.SystemConfiguration.DNSConfiguration"),
      named("global-name", "com.apple.SystemConfiguration.configd"),
      named("global-name", "com.apple.trustd.agent"),
    ],
  ),
];

/** What the profile opens of the network. Rules by destination are refused before this. */
export function networkRules(profile: BoundProfile, sources: RuleSources, denied: Denied): Sbpl[] {
  return [
    ...(profile.network.kind === "enabled" ? INTERNET : []),
    ...socketRules(profile, sources, denied),
  ];
}

/** `private` reaches what lies where the command may write, `host` also what it may read. */
function socketRules({ unixSockets }: BoundProfile, sources: RuleSources, denied: Denied): Sbpl[] {
  if (unixSockets === "none") return [];
  const own = writableRegions(sources.real);
  const reached = unixSockets === "host" ? readableRegions(sources.real) : own;
  return [
    ...reached.map((region) => rule("allow", CONNECT, [socketFilter(region, sources, "remote")])),
    ...own.map((region) => rule("allow", LISTEN, [socketFilter(region, sources, "local")])),
    ...denied.filters.flatMap((filter) => [
      rule("deny", CONNECT, [socket("remote", filter)]),
      rule("deny", LISTEN, [socket("local", filter)]),
    ]),
  ];
}

function socketFilter(
  { root, holes }: Region,
  { parameters }: RuleSources,
  side: "remote" | "local",
): Sbpl {
  const whole = socket(side, below(parameters.add("UNIX_SOCKET_PATH", root.path)));
  if (holes.length === 0) return whole;
  const exceptions = holes.flatMap(({ path }) => [
    below(parameters.add("UNIX_SOCKET_HOLE", path)),
    matching(anySpelling(path, "below")),
  ]);
  const closed = exceptions.map((one) => form("require-not", socket(side, one)));
  return form("require-all", whole, ...closed);
}

function socket(side: "remote" | "local", filter: Sbpl): Sbpl {
  return form(side, "unix-socket", filter);
}
