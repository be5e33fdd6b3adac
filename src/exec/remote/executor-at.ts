import { connectWebSocket, type Transport, type WebSocketAddress } from "../../rpc/index.ts";
import { ExecError } from "../exec-error.ts";
import type { Connect } from "./link/open-session.ts";
import { openWayTo } from "./open-way.ts";

export interface ExecutorAtOptions {
  /** Sent with every handshake. */
  readonly bearerToken?: string;
}

/** How to connect to an address: `ws://HOST:PORT`, `wss://…` or `unix:///PATH`. Throws where a token would travel in the open. */
export function executorAt(address: string, { bearerToken }: ExecutorAtOptions = {}): Connect {
  const where = readAddress(address);
  const open = bearerToken === undefined ? undefined : openWayTo(address);
  if (open !== undefined) throw new ExecError("invalidRequest", open);
  const headers = bearerToken === undefined ? {} : { authorization: `Bearer ${bearerToken}` };
  return (signal) => connectWebSocket(where, { headers, signal });
}

/** How to use a connection that there is only one of, such as the pipes of a process. */
export function executorOver(transport: Transport): Connect {
  let isUsed = false;
  return async () => {
    if (isUsed) {
      throw new ExecError(
        "disconnected",
        `Cannot reach the executor: the connection to "${transport.label}" is over and there is no other`,
      );
    }
    isUsed = true;
    return transport;
  };
}

const UNIX = "unix://";

function readAddress(address: string): WebSocketAddress {
  if (/^wss?:\/\/./.test(address)) return { kind: "url", url: address };
  const path = address.startsWith(UNIX) ? address.slice(UNIX.length) : "";
  if (path.startsWith("/")) return { kind: "unix", path };
  throw new ExecError(
    "invalidRequest",
    `Cannot connect to "${address}": it is no address of an executor, expected ws://HOST:PORT, wss://HOST or unix:///PATH`,
  );
}
