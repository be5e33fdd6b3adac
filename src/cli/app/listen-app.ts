/**
 * The door of an app-server for clients that come over a socket.
 *
 * Who may come in is decided before the upgrade; a connection too many, or one
 * that comes while the server ends, is told so in HTTP.
 */
import type { IncomingMessage } from "node:http";
import path from "node:path";
import { APP_MESSAGE_BYTES } from "../../app-server/index.ts";
import type { loadBearerAuth, ServerAddress } from "../../exec/index.ts";
import {
  type Authorization,
  type HttpReply,
  listenWebSocket,
  type Peer,
  type Transport,
} from "../../rpc/index.ts";
import { makeFolder } from "../../sandbox/index.ts";
import type { CliWorld } from "../command.ts";
import { ownHome } from "../policy/bind-flags.ts";
import { createAppAuthorize } from "./app-authorize.ts";
import { controlSocket } from "./app-door.ts";
import { ConnectionLimit } from "./connection-limit.ts";

/** Most connections at once. */
export const MAX_CONNECTIONS = 128;

export interface ListenAppOptions {
  readonly address: Exclude<ServerAddress, { kind: "stdio" }>;
  readonly auth: ReturnType<typeof loadBearerAuth>;
  readonly accept: (transport: Transport) => Peer;
  readonly world: CliWorld;
}

export interface AppListener {
  /** Lets nobody in any more; who is in stays. */
  drain(): void;
  /** Ends every connection, and removes the socket file. */
  close(): Promise<void>;
}

/** Listens, and says where on standard error. Throws `TransportError`. */
export async function listenApp(options: ListenAppOptions): Promise<AppListener> {
  const { address, auth, accept, world } = options;
  const authorize = createAppAuthorize(auth);
  const limit = new ConnectionLimit(MAX_CONNECTIONS);
  let draining = false;
  const turnedAway = () => (draining ? ENDING : limit.isReached ? CROWDED : undefined);
  if (address.kind === "unix") prepareSocketFolder(address.path, world);
  const listener = await listenWebSocket({
    address,
    binary: "drop",
    maxMessageBytes: APP_MESSAGE_BYTES,
    route: (request) => (draining ? { status: 503 } : healthReply(request)),
    authorize: async (request) => {
      const verdict = await authorize(request);
      return verdict.kind === "ok" ? (turnedAway() ?? verdict) : verdict;
    },
    accept: (transport) => {
      // Others may have been let through in the same turn.
      if (turnedAway()) transport.close("there are too many connections");
      else limit.count(accept(transport));
    },
  });
  world.err(banner(address, auth, listener.address));
  return {
    drain: () => {
      draining = true;
    },
    close: () => listener.close(),
  };
}

const CROWDED: Authorization = {
  kind: "refused",
  status: 503,
  body: "Server overloaded; retry later.",
};
const ENDING: Authorization = { kind: "refused", status: 503, body: "the server is ending" };

const HEALTH_PATHS = ["/readyz", "/healthz"];

function healthReply({ method, url = "" }: IncomingMessage): HttpReply | undefined {
  const isLook = method === "GET" || method === "HEAD";
  return isLook && HEALTH_PATHS.includes(url) ? { status: 200 } : undefined;
}

/** Only the folder that is writ's own; a folder that somebody names is theirs to make. */
function prepareSocketFolder(socket: string, world: CliWorld): void {
  if (socket === controlSocket(ownHome(world))) makeFolder(path.dirname(socket));
}

function banner(
  address: ListenAppOptions["address"],
  { kind }: ListenAppOptions["auth"],
  bound: string,
): string {
  if (address.kind === "unix") {
    return `writ app-server (unix socket)\n  listening on: unix://${bound}\n`;
  }
  const http = bound.replace(/^ws:/, "http:");
  const open = "  note: without --ws-auth every program on this machine may connect\n";
  return [
    `writ app-server (WebSockets)\n  listening on: ${bound}\n`,
    ...HEALTH_PATHS.map((one) => `  ${one.slice(1)}: ${http}${one}\n`),
    kind === "none" ? open : "",
  ].join("");
}
