/**
 * Sits between a client and an exec-server, notes what both say, and can cut the line.
 *
 * A cut is unkind: what the server has sent in the moments before it never arrives.
 */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type RawData, WebSocket, WebSocketServer } from "ws";

export interface WireMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

export interface WireTap {
  readonly url: string;
  readonly fromClient: readonly WireMessage[];
  /** What reached the client. */
  readonly fromServer: readonly WireMessage[];
  readonly connections: () => number;
}

/** After so many messages of a process the line goes dead, and it is cut once `lost` more were sent into it. */
export interface Cuts {
  readonly times: number;
  readonly after: number;
  readonly lost: number;
  /** Called after the last one. */
  readonly over: () => void;
}

/** Listens until the test is over, or as long as `finished` says. */
export async function wireTap(
  target: string,
  cuts?: Cuts,
  finished: (end: () => void) => void = onTestFinished,
): Promise<WireTap> {
  const [fromClient, fromServer]: [WireMessage[], WireMessage[]] = [[], []];
  const listener = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
  await once(listener, "listening");
  let [connections, cut] = [0, 0];
  listener.on("connection", (client, { headers: { authorization } }) => {
    connections += 1;
    const headers = authorization === undefined ? {} : { authorization };
    const server = new WebSocket(target, { headers, perMessageDeflate: false });
    const line = new Line(client, server);
    const opened = once(server, "open").catch(() => client.terminate());
    client.on("message", async (bytes) => {
      fromClient.push(messageOf(bytes));
      await opened;
      if (server.readyState === WebSocket.OPEN) server.send(String(bytes));
    });
    server.on("message", (bytes) => {
      const message = messageOf(bytes);
      if (cuts !== undefined && cut < cuts.times && line.isDead(message, cuts)) {
        if (!line.isCut(cuts)) return;
        cut += 1;
        if (cut === cuts.times) cuts.over();
        return;
      }
      fromServer.push(message);
      client.send(String(bytes));
    });
  });
  finished(() => {
    listener.close();
    for (const client of listener.clients) client.terminate();
  });
  const { port } = listener.address() as AddressInfo;
  return { url: `ws://127.0.0.1:${port}`, fromClient, fromServer, connections: () => connections };
}

/** One client and its way to the server; the end of one is the end of the other. */
class Line {
  readonly #ends: readonly WebSocket[];
  #messages = 0;

  constructor(client: WebSocket, server: WebSocket) {
    this.#ends = [client, server];
    for (const end of this.#ends) end.on("close", () => this.#cut()).on("error", () => {});
  }

  /** Whether it carries no more; what is meant for the client is lost then. */
  isDead({ method }: WireMessage, { after }: Cuts): boolean {
    if (method?.startsWith("process/")) this.#messages += 1;
    return this.#messages > after;
  }

  /** Cuts it once enough was lost. */
  isCut({ after, lost }: Cuts): boolean {
    const [client] = this.#ends;
    if (this.#messages < after + lost || client?.readyState !== WebSocket.OPEN) return false;
    this.#cut();
    return true;
  }

  #cut(): void {
    for (const end of this.#ends) end.terminate();
  }
}

function messageOf(bytes: RawData): WireMessage {
  return JSON.parse(String(bytes));
}
