import { once } from "node:events";
import http from "node:http";
import type net from "node:net";
import { setFlagsFromString } from "node:v8";
import vm from "node:vm";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import {
  clientOf,
  connectWebSocket,
  createPeer,
  jsonRpc2,
  type ListenOptions,
  listenWebSocket,
  type Transport,
  type WebSocketListener,
} from "../../../src/rpc/index.ts";
import { strictDialect } from "../support/dialects.ts";
import { RawWire } from "../support/raw-wire.ts";
import { sample, serveSample } from "../support/sample-protocol.ts";
import { readFrames } from "../support/web-socket-frames.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = vm.runInNewContext("gc");

/** What is not garbage, in the heap and beside it. */
function heldBytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const listeners: WebSocketListener[] = [];
const LOOPBACK = { kind: "tcp", host: "127.0.0.1", port: 0 } as const;

async function listen(options: Partial<ListenOptions> = {}) {
  const accepted = Promise.withResolvers<Transport>();
  const accept = (transport: Transport) => accepted.resolve(transport);
  const listener = await listenWebSocket({ address: LOOPBACK, accept, ...options });
  listeners.push(listener);
  return { url: listener.address, listener, accepted: accepted.promise };
}

const connect = (url: string, options = {}) => connectWebSocket({ kind: "url", url }, options);

async function get(url: string, headers: Record<string, string> = {}) {
  const request = http.get(url.replace("ws:", "http:"), { headers });
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  let body = "";
  for await (const chunk of response) body += chunk;
  return { status: response.statusCode, body };
}

async function upgradeStatus(url: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(url, { headers });
  socket.on("error", () => {});
  const [, response] = (await once(socket, "unexpected-response")) as [
    unknown,
    http.IncomingMessage,
  ];
  let body = "";
  for await (const chunk of response) body += chunk;
  return { status: response.statusCode, body };
}

afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close()));
});

describe("listenWebSocket", () => {
  it("serves calls in both directions at the address it says", async () => {
    const { url } = await listen({ accept: (transport) => void serveSample(transport) });
    expect(url).toMatch(/^ws:\/\/127\.0\.0\.1:[1-9]\d*$/);
    const peer = createPeer({ transport: await connect(url), dialect: jsonRpc2, log() {} });
    expect(await clientOf(sample.toServer, peer).echo({ text: "hällo" })).toEqual({
      text: "hällo",
    });
    peer.close();
  });

  it("labels a connection with the other end's address", async () => {
    const { url, accepted } = await listen();
    await connect(url);
    expect((await accepted).label).toMatch(/^127\.0\.0\.1:\d+$/);
  });

  it("refuses an address that is taken", async () => {
    const { url } = await listen();
    const port = Number(new URL(url).port);
    const second = listenWebSocket({ address: { ...LOOPBACK, port }, accept() {} });
    await expect(second).rejects.toMatchObject({
      ...{ name: "TransportError", code: "addressInUse" },
      message: `Cannot listen on "${url}": somebody listens there already (EADDRINUSE), expected an address that is free`,
    });
  });

  it("refuses every request that carries an Origin, before routes and authorization", async () => {
    const seen: string[] = [];
    const route = () => ({ status: 200 });
    const authorize = () => {
      seen.push("asked");
      return { kind: "ok" } as const;
    };
    const { url } = await listen({ route, authorize });
    const headers = { origin: "http://evil.example" };
    expect(await get(`${url}/readyz`, headers)).toEqual({ status: 403, body: "" });
    expect(await upgradeStatus(url, headers)).toEqual({ status: 403, body: "" });
    expect(await upgradeStatus(url, { origin: "" })).toMatchObject({ status: 403 });
    expect(seen).toEqual([]);
  });

  it("answers its routes, and any other plain request with 400", async () => {
    const route = ({ url }: http.IncomingMessage) =>
      url === "/readyz" ? { status: 200 } : undefined;
    const { url } = await listen({ route, authorize: () => ({ kind: "refused", body: "no" }) });
    expect(await get(`${url}/readyz`)).toEqual({ status: 200, body: "" });
    expect(await get(`${url}/other`)).toMatchObject({ status: 400 });
  });

  it("answers a refused upgrade with the status and body it was given", async () => {
    const { url } = await listen({
      authorize: ({ headers, url: path }) => {
        if (path !== "/") return { kind: "refused", status: 404, body: "" };
        if (headers.authorization === "Bearer t") return { kind: "ok" };
        return { kind: "refused", body: "missing websocket bearer token" };
      },
    });
    expect(await upgradeStatus(url)).toEqual({
      status: 401,
      body: "missing websocket bearer token",
    });
    expect(await upgradeStatus(`${url}/else`)).toEqual({ status: 404, body: "" });
    await expect(connect(url)).rejects.toMatchObject({
      code: "refused",
      message: `Cannot connect to "${url}": the server wants a token (401), expected one that it knows`,
    });
    await expect(connect(`${url}/else`)).rejects.toThrow("answered 404, expected an upgrade");
    const transport = await connect(url, { headers: { authorization: "Bearer t" } });
    transport.open({ message() {}, closed() {} });
    transport.close();
  });

  it("fails closed when a hook throws", async () => {
    const hook = () => {
      throw new Error("hook");
    };
    const { url } = await listen({ route: hook, authorize: hook });
    expect(await get(`${url}/readyz`)).toEqual({ status: 500, body: "" });
    expect(await upgradeStatus(url)).toEqual({ status: 500, body: "" });
  });

  it("closes without a code where the dialect closes", async () => {
    const { url } = await listen({
      accept: (transport) => void serveSample(transport, { dialect: strictDialect }),
    });
    const socket = new WebSocket(url);
    await once(socket, "open");
    socket.send(JSON.stringify({ method: "no such notification" }));
    expect(await once(socket, "close")).toEqual([1005, Buffer.alloc(0)]);
  });

  it.each([
    ["accept", ["binary", "text"]],
    ["drop", ["text"]],
  ] as const)("can %s binary messages", async (binary, expected) => {
    const { url, accepted } = await listen({ binary });
    const socket = new WebSocket(url);
    await once(socket, "open");
    socket.send(Buffer.from("binary"));
    socket.send("text");
    const wire = new RawWire(await accepted);
    for (const text of expected) expect(await wire.nextText()).toBe(text);
    socket.terminate();
  });

  it("calls binary bytes that are not UTF-8 malformed", async () => {
    const { url, accepted } = await listen();
    const socket = new WebSocket(url);
    await once(socket, "open");
    socket.send(Buffer.from([0xff]));
    const transport = await accepted;
    const kind = await new Promise((resolve) => {
      transport.open({ message: (incoming) => resolve(incoming.kind), closed() {} });
    });
    expect(kind).toBe("malformed");
    socket.terminate();
  });

  it("calls a text that is not UTF-8 malformed, and stays connected", async () => {
    const { url, accepted } = await listen();
    const socket = new WebSocket(url);
    await once(socket, "open");
    socket.send(Buffer.from([0xff]), { binary: false });
    socket.send("still here");
    const transport = await accepted;
    const got: string[] = [];
    await new Promise<void>((resolve) => {
      transport.open({
        message: (incoming) => got.push(incoming.kind) === 2 && resolve(),
        closed: () => resolve(),
      });
    });
    expect(got).toEqual(["malformed", "text"]);
    socket.terminate();
  });

  it("answers the latest of many pings to one who does not read, and holds no more", async () => {
    const { url, accepted } = await listen();
    const socket = new WebSocket(url);
    await once(socket, "open");
    const raw = (socket as unknown as { readonly _socket: net.Socket })._socket;
    (await accepted).open({ message() {}, closed() {} });
    raw.pause();
    const ping = Buffer.concat([Buffer.from([0x89, 0x80 | 125, 0, 0, 0, 0]), Buffer.alloc(125, 1)]);
    const many = Buffer.concat(Array<Buffer>(8000).fill(ping));
    const before = heldBytes();
    for (let round = 0; round < 60; round += 1) {
      if (!raw.write(many)) await once(raw, "drain");
    }
    expect(heldBytes() - before).toBeLessThan(25 << 20);
    const answered = new Promise((resolve) => {
      socket.on("pong", (data) => String(data) === "last" && resolve(true));
    });
    socket.ping("last");
    raw.resume();
    expect(await answered).toBe(true);
    socket.terminate();
  });

  it("pings at the interval it is given and does not mind silence", async () => {
    const { url, accepted } = await listen({ pingIntervalMs: 5 });
    const socket = new WebSocket(url, { autoPong: false });
    for (let n = 0; n < 4; n += 1) await once(socket, "ping");
    const wire = new RawWire(await accepted);
    socket.send("still here");
    expect(await wire.nextText()).toBe("still here");
    socket.terminate();
  });

  it("offers no compression", async () => {
    const { url } = await listen();
    const socket = new WebSocket(url, { perMessageDeflate: true });
    await once(socket, "open");
    expect(socket.extensions).toBe("");
    socket.terminate();
  });

  it("sends a long message in frames of at most 8 MiB, and only then", async () => {
    const { url, accepted } = await listen();
    const frames = await readFrames(url);
    const transport = await accepted;
    const long = "ä".repeat(10 * 1024 * 1024);
    const sent = Promise.all(["short", long, "after"].map((text) => transport.send(text)));
    expect(await frames.next()).toMatchObject({ opcode: 1, fin: true, length: 5 });
    const MiB = 1024 * 1024;
    expect(await frames.next()).toMatchObject({ opcode: 1, fin: false, length: 8 * MiB });
    expect(await frames.next()).toMatchObject({ opcode: 0, fin: false, length: 8 * MiB });
    expect(await frames.next()).toMatchObject({ opcode: 0, fin: true, length: 4 * MiB });
    expect(await frames.next()).toMatchObject({ opcode: 1, fin: true, length: 5 });
    await sent;
    frames.end();
  });

  it("passes a 20 MiB message through unharmed, and cuts one above 64 MiB", async () => {
    const { url, accepted } = await listen();
    const client = new RawWire(await connect(url));
    const server = new RawWire(await accepted);
    const long = "ä1".repeat(7 * 1024 * 1024);
    await client.text(long);
    expect((await server.nextText()) === long).toBe(true);
    client.text("x".repeat(64 * 1024 * 1024 + 1)).catch(() => {});
    expect(await server.closed).toMatchObject({ kind: "failed" });
    await client.closed;
  });

  it("slows a sender whose reader stalls, and delivers everything when it reads again", async () => {
    const { url, accepted } = await listen();
    const client = await connect(url);
    const arrived: number[] = [];
    const total = 64;
    const all = Promise.withResolvers<void>();
    client.open({
      message: (incoming) => {
        arrived.push(Number(incoming.kind === "text" ? incoming.text.trim() : Number.NaN));
        if (arrived.length === total) all.resolve();
      },
      closed() {},
    });
    client.pause();
    const server = await accepted;
    server.open({ message() {}, closed() {} });
    let sent = 0;
    const stalled = Promise.withResolvers<void>();
    const producer = (async () => {
      for (; sent < total; sent += 1) {
        const accepting = server.send(`${sent}`.padEnd(1024 * 1024));
        const quick = await Promise.race([accepting.then(() => true), afterTurns(50)]);
        if (!quick) stalled.resolve();
        await accepting;
      }
    })();
    await stalled.promise;
    expect(sent).toBeLessThan(total);
    client.resume();
    await Promise.all([producer, all.promise]);
    expect(arrived).toEqual(Array.from({ length: total }, (_, n) => n));
  });

  it("ends its connections when it closes, and rejects what is sent later", async () => {
    const { url, listener, accepted } = await listen();
    const client = new RawWire(await connect(url));
    const server = new RawWire(await accepted);
    await listener.close();
    expect(await client.closed).toMatchObject({ kind: "ended" });
    await expect(server.text("late")).rejects.toMatchObject({ code: "closed" });
    await expect(connect(url)).rejects.toMatchObject({
      code: "unreachable",
      message: `Cannot connect to "${url}": nobody listens there (ECONNREFUSED), expected a server that runs`,
    });
  });
});

describe("connectWebSocket", () => {
  it("gives up when its signal fires", async () => {
    const { url } = await listen();
    const connecting = connect(url, { signal: AbortSignal.abort() });
    await expect(connecting).rejects.toMatchObject({ name: "TransportError" });
  });

  it("misses no message that comes with the handshake", async () => {
    const { url } = await listen({ accept: (transport) => void transport.send("first") });
    for (let n = 0; n < 20; n += 1) {
      const wire = new RawWire(await connect(url));
      expect(await wire.nextText()).toBe("first");
      wire.transport.close();
    }
  });
});

async function afterTurns(count: number): Promise<false> {
  for (let n = 0; n < count; n += 1) await new Promise((resolve) => setImmediate(resolve));
  return false;
}
