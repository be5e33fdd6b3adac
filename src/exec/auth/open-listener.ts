import net from "node:net";
import type { ServerAddress } from "../server/listen-address.ts";
import type { AuthSettings } from "./auth-flags.ts";
import { StartupError } from "./startup-error.ts";

/** Throws {@link StartupError} for an address that other machines reach and anybody may use. */
export function refuseOpenListener(address: ServerAddress, { kind }: Pick<AuthSettings, "kind">) {
  if (kind !== "none" || address.kind !== "tcp" || isLoopback(address.host)) return;
  throw new StartupError(
    "openListener",
    `Cannot listen on "${address.host}": other machines reach it and there is no --ws-auth, expected one or a loopback address`,
  );
}

/** Throws {@link StartupError} for auth that nobody would be asked for. */
export function refuseUnusedAuth(address: ServerAddress, { kind }: Pick<AuthSettings, "kind">) {
  if (kind === "none" || address.kind !== "stdio") return;
  throw new StartupError(
    "invalidFlags",
    'Cannot use "--ws-auth": nobody is asked for a token on stdio, expected ws://IP:PORT or unix://PATH',
  );
}

const LOOPBACK = new net.BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** IPv4 addresses in IPv6 clothing are seen through; whatever is no address is not loopback. */
function isLoopback(host: string): boolean {
  const family = net.isIP(host);
  return family !== 0 && LOOPBACK.check(host, family === 6 ? "ipv6" : "ipv4");
}
