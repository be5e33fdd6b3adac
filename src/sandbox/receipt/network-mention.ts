/**
 * A host or a socket in an error line of a common program.
 *
 * Without a network there is no route and no name server, so a command sees
 * failures that a network that is merely down would give it too.
 */

export type NetworkMention =
  | { readonly kind: "network"; readonly host: string | undefined }
  /** `own` where the command only tried to make one. */
  | { readonly kind: "unixSocket"; readonly path: string | undefined; readonly own: boolean };

/** The host is the group. Each pattern starts with fixed words, so that a long line costs its length. */
const HOSTS: readonly RegExp[] = [
  /could not resolve host(?:name)?:? ['"‘]?([\w.:-]+)/i,
  /unable to resolve host address ['"‘]?([\w.:-]+)/i,
  /getaddrinfo (?:EAI_AGAIN|ENOTFOUND) ([\w.:-]+)/,
  /lookup ([\w.-]+)(?: on [\w.:[\]-]+)?: /,
  /(?<=([\w.-]{1,253})): (?:temporary failure in name resolution|name or service not known)/i,
  /failed to connect to ([\w.:[\]-]+) port \d+/i,
  /connect to host ([\w.:-]+) port \d+: network is unreachable/i,
  /connecting to ([\w.:[\]-]+?)(?::\d+)?\.\.\. failed: network is unreachable/i,
  /connect ENETUNREACH ([\w.:]+?)(?::\d+)?(?: |$)/,
  /\/dev\/(?:tcp|udp)\/([\w.:-]+)\/\d+: network is unreachable/i,
  /dial (?:tcp|udp)[46]? ([\w.:[\]-]+?)(?::\d+)?: connect: network is unreachable/i,
];
const NETWORK =
  /network is unreachable|ENETUNREACH|temporary failure in name resolution|name or service not known|EAI_AGAIN|could not resolve host|unable to resolve host|no such host|failed to connect to \S{1,253} port \d/i;

/** Reads a failure of the network or of a socket. Nothing for any other line. */
export function networkMention(line: string): NetworkMention | undefined {
  if (/operation not permitted|\bEPERM\b/i.test(line)) return socketMention(line);
  if (!NETWORK.test(line)) return undefined;
  const host = HOSTS.map((pattern) => pattern.exec(line)?.[1]).find((one) => one !== undefined);
  if (host !== undefined && isLoopback(host)) return undefined;
  // A word of the message itself, as in "[Errno -3] Temporary failure …", is no host.
  const named = host !== undefined && /[.:]/.test(host) && host.length <= 253;
  return { kind: "network", host: named ? host.replace(/^[.:]+|[.:]+$/g, "") : undefined };
}

function socketMention(line: string): NetworkMention | undefined {
  const [, call, path] =
    /\b(connect|listen) EPERM:?(?: operation not permitted)? (\/.*)$/.exec(line) ?? [];
  if (path !== undefined) return { kind: "unixSocket", path, own: call === "listen" };
  if (!/\b(?:socket|connect)(?: failed)?: operation not permitted/i.test(line)) return undefined;
  const named = /on socket "(\/[^"]{1,200})"/.exec(line)?.[1];
  return { kind: "unixSocket", path: named, own: named === undefined };
}

/** A service that is not there: the loopback of a sandbox works. */
function isLoopback(host: string): boolean {
  return /^(?:127\.|localhost$|\[?::1\]?$)/.test(host);
}
