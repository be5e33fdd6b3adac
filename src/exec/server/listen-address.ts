import net from "node:net";
import type { ListenAddress } from "../../rpc/index.ts";
import { StartupError } from "../auth/startup-error.ts";

/** Where an exec-server is reached: a port, a socket file, or its own input and output. */
export type ServerAddress = ListenAddress | { readonly kind: "stdio" };

const DEFAULT = "ws://127.0.0.1:0";
const FORMS = "expected ws://IP:PORT, stdio or unix://PATH";

/** Reads `--listen`; absent means a free port of the loopback address. Throws {@link StartupError}. */
export function parseListenAddress(text: string = DEFAULT): ServerAddress {
  if (text === "stdio" || text === "stdio://") return { kind: "stdio" };
  if (text.startsWith("unix://")) return unixAddress(text);
  if (text.startsWith("ws://")) return tcpAddress(text);
  throw unusable(text, `it has none of the known forms, ${FORMS}`);
}

function unixAddress(text: string): ServerAddress {
  const path = text.slice("unix://".length);
  if (path.startsWith("/")) return { kind: "unix", path };
  throw unusable(text, `its path is not absolute, ${FORMS} with an absolute PATH`);
}

function tcpAddress(text: string): ServerAddress {
  const [, v6, v4 = "", digits] =
    /^ws:\/\/(?:\[([^\]%]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  const host = v6 ?? v4;
  if (!(v6 === undefined ? net.isIPv4(v4) : net.isIPv6(v6))) {
    throw unusable(text, `it is not a literal IP address and a port, ${FORMS}`);
  }
  if (port > 65_535) throw unusable(text, `port ${port} does not exist, ${FORMS}`);
  return { kind: "tcp", host, port };
}

function unusable(text: string, why: string): StartupError {
  return new StartupError("invalidFlags", `Cannot listen on ${JSON.stringify(text)}: ${why}`);
}
