import { once } from "node:events";
import net from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import {
  connectWebSocket,
  type ListenOptions,
  listenWebSocket,
  type Transport,
  type WebSocketListener,
} from "../../../src/rpc/index.ts";
import { turn } from "../support/raw-wire.ts";

const listeners: WebSocketListener[] = [];
const sockets: net.Socket[] = [];

async function listen(options: Partial<ListenOptions> = {}) {
  const address = { kind: "tcp", host: "127.0.0.1", port: 0 } as const;
  const listener = await listenWebSocket({ address, accept() {}, ...options });
  listeners.push(listener);
  return { listener, url: listener.address };
}

/** A client that never ends its half of the connection by itself. */
async function writeRaw(url: string, text: string) {
  const port = Number(new URL(url).port);
  const socket = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  sockets.push(socket);
  let answer = "";
  socket.on("data", (bytes) => (answer += bytes));
  socket.on("error", () => {});
  socket.write(text);
  await once(socket, "end");
  return answer;
}

const UPGRADE = [
  "GET / HTTP/1.1",
  "Host: x",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
].join("\r\n");
const HOSTILE = "Origin: http://evil.example\r\nContent-Length: 0\r\n\r\n";

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(listeners.splice(0).map((listener) => listener.close()));
});

describe("HttpGate", () => {
  it("lets a listener close while refused clients keep their half open", async () => {
    const { listener, url } = await listen();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => writeRaw(url, `${UPGRADE}\r\n${HOSTILE}`)),
    );
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    await listener.close();
  });

  it("serves nothing that follows a refusal on the same socket", async () => {
    const accept = vi.fn();
    const { url } = await listen({ accept });
    const plain = `POST /x HTTP/1.1\r\nHost: x\r\n${HOSTILE}`;
    expect(await writeRaw(url, `${plain}${UPGRADE}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 403 /);
    expect(await writeRaw(url, `${UPGRADE}\r\n${HOSTILE}${UPGRADE}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 403 /,
    );
    expect(accept).not.toHaveBeenCalled();
  });

  it("answers one plain request on a socket", async () => {
    const route = vi.fn(() => ({ status: 200, body: "ok" }));
    const { url } = await listen({ route });
    const request = "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n";
    const answer = await writeRaw(url, request + request);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(answer).toContain("\r\nok\r\n");
    expect(route).toHaveBeenCalledTimes(1);
  });

  it("sees an Origin behind any number of headers", async () => {
    const { url } = await listen();
    const many = "a:\r\n".repeat(2_100);
    expect(await writeRaw(url, `${UPGRADE}\r\n${many}${HOSTILE}`)).toMatch(/^HTTP\/1\.1 403 /);
  });
});

describe("listenWebSocket", () => {
  it("logs what accept throws, closes that connection and serves the next", async () => {
    const faults: unknown[] = [];
    const accepted = Promise.withResolvers<Transport>();
    const accept = vi
      .fn((transport: Transport) => accepted.resolve(transport))
      .mockImplementationOnce(() => {
        throw new Error("no context");
      });
    const { url } = await listen({ accept, log: (fault) => faults.push(fault) });
    const first = new WebSocket(url);
    await once(first, "close");
    expect(faults).toMatchObject([{ message: "no context" }]);
    const second = new WebSocket(url);
    await once(second, "open");
    await accepted.promise;
    second.terminate();
  });

  it("reads nothing from a connection that nobody has opened", async () => {
    const accepted = Promise.withResolvers<Transport>();
    const { url } = await listen({ accept: accepted.resolve });
    const client = await connectWebSocket({ kind: "url", url });
    client.open({ message() {}, closed() {} });
    const server = await accepted.promise;
    let sent = 0;
    const chunk = "x".repeat(1024 * 1024);
    const stalled = Promise.withResolvers<void>();
    const producer = (async () => {
      for (; sent < 64; sent += 1) {
        const sending = client.send(chunk);
        const quick = await Promise.race([sending.then(() => true), afterTurns(50)]);
        if (!quick) stalled.resolve();
        await sending;
      }
    })();
    await stalled.promise;
    expect(sent).toBeLessThan(64);
    server.open({ message() {}, closed() {} });
    await producer;
  });
});

describe("connectWebSocket", () => {
  it.each([
    ["a URL that is none", "not a url", {}],
    ["a URL of another kind", "ftp://127.0.0.1/", {}],
    ["a header that cannot be sent", "ws://127.0.0.1:1", { headers: { a: "b\r\nc: d" } }],
  ])("rejects %s and does not throw", async (_, url, options) => {
    const connecting = connectWebSocket({ kind: "url", url }, options);
    await expect(connecting).rejects.toMatchObject({
      name: "TransportError",
      code: "unreachable",
    });
  });
});

async function afterTurns(count: number): Promise<false> {
  for (let n = 0; n < count; n += 1) await turn();
  return false;
}
