/** A client of `http/request`, and the server on this machine that its requests reach. */
import { once } from "node:events";
import http, { type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import net from "node:net";
import { onTestFinished } from "vitest";
import { httpMethods } from "../../../../src/exec/protocol/http-methods.ts";
import { execDialect } from "../../../../src/exec/server/exec-dialect.ts";
import {
  createHttpConnection,
  type HttpConnection,
} from "../../../../src/exec/server/http/http-connection.ts";
import {
  type HttpAccess,
  type HttpContext,
  httpHandlers,
} from "../../../../src/exec/server/http/http-handlers.ts";
import {
  createMemoryPair,
  createPeer,
  createRouter,
  type Peer,
} from "../../../../src/rpc/index.ts";
import { RawWire } from "../../../rpc/support/raw-wire.ts";

export interface Reply {
  readonly id: number;
  readonly result?: {
    readonly status: number;
    readonly headers: readonly { readonly name: string; readonly value: string }[];
    readonly bodyBase64: string;
  };
  readonly error?: { readonly code: number; readonly message: string };
}

export interface Delta {
  readonly requestId: string;
  readonly seq: number;
  readonly deltaBase64: string;
  readonly done: boolean;
  readonly error: string | null;
}

export class HttpRig {
  readonly wire: RawWire;
  readonly peer: Peer;
  readonly faults: unknown[] = [];
  #ids = 0;

  constructor(access: HttpAccess) {
    const [near, far] = createMemoryPair();
    this.wire = new RawWire(near);
    const router = createRouter<typeof httpMethods, HttpContext>({
      methods: httpMethods,
      handlers: httpHandlers(access),
    });
    this.peer = createPeer<HttpContext>({
      transport: far,
      dialect: execDialect,
      log: (fault) => this.faults.push(fault),
      serve: { router, context: (peer) => ({ http: connectionOf(peer) }) },
    });
    onTestFinished(() => this.peer.close());
  }

  /** Asks without waiting for the answer. */
  async send(params: Readonly<Record<string, unknown>>): Promise<void> {
    this.#ids += 1;
    const request = { method: "GET", requestId: `r${this.#ids}`, ...params };
    await this.wire.send({ id: this.#ids, method: "http/request", params: request });
  }

  async ask(params: Readonly<Record<string, unknown>>): Promise<Reply> {
    await this.send(params);
    return (await this.wire.next()) as unknown as Reply;
  }

  async delta(): Promise<Delta> {
    const { method, params } = await this.wire.next();
    if (method !== "http/request/bodyDelta") throw new Error(`Not a delta: ${String(method)}`);
    return params as Delta;
  }

  /** Reads what is left of one body, and how it ended. */
  async rest(): Promise<{ body: Buffer; deltas: Delta[]; last: Delta }> {
    const deltas: Delta[] = [];
    for (;;) {
      const last = await this.delta();
      if (last.done) {
        const parts = deltas.map(({ deltaBase64 }) => Buffer.from(deltaBase64, "base64"));
        return { body: Buffer.concat(parts), deltas, last };
      }
      deltas.push(last);
    }
  }
}

function connectionOf(peer: Peer): HttpConnection {
  const connection = createHttpConnection(peer);
  void peer.closed.then(() => connection.close());
  return connection;
}

/** A client whose requests are made. */
export function allowed(env: Readonly<Record<string, string | undefined>> = {}): HttpRig {
  return new HttpRig({ kind: "allowed", env });
}

export interface Target {
  readonly url: string;
  /** What arrived, in order. */
  readonly seen: Arrived[];
}

export interface Arrived {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/** A server that remembers each request, and then answers. */
export async function target(answer: RequestListener): Promise<Target> {
  const seen: Arrived[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers, rawHeaders } = request;
    const body = Buffer.concat(chunks).toString();
    seen.push({ line: `${method} ${url}`, headers, rawHeaders, body });
    answer(request, response);
  });
  return { url: await listening(server), seen };
}

/** A server that writes bytes of its own instead of HTTP. */
export async function rawTarget(accept: (socket: net.Socket) => void): Promise<string> {
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    accept(socket);
  });
  return listening(server);
}

async function listening(server: net.Server): Promise<string> {
  const sockets = new Set<net.Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The text of a buffered answer. */
export function textOf({ result }: Reply): string {
  return Buffer.from(result?.bodyBase64 ?? "", "base64").toString();
}
