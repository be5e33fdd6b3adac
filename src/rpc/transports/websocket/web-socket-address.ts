import type { SocketFiles } from "./socket-files.ts";

/** Where a client connects: a `ws:` URL, or a socket file. */
export type WebSocketAddress =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "unix"; readonly path: string };

/** Where a listener binds. Port 0 lets the system choose. */
export type ListenAddress =
  | { readonly kind: "tcp"; readonly host: string; readonly port: number }
  | { readonly kind: "unix"; readonly path: string; readonly files?: SocketFiles };

/** The URL of a bound address; IPv6 hosts are bracketed. */
export function webSocketUrl({
  host,
  port,
}: {
  readonly host: string;
  readonly port: number;
}): string {
  return `ws://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
