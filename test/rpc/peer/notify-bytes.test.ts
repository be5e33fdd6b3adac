import { randomBytes } from "node:crypto";
import { setImmediate as soon } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  connectWebSocket,
  createMemoryPair,
  createPeer,
  jsonRpc2,
  listenWebSocket,
  notification,
  type Peer,
  type RpcDialect,
  type Transport,
  type WebSocketListener,
} from "../../../src/rpc/index.ts";

const printed = notification("printed", {
  summary: "Something was printed",
  params: z.object({ name: z.string(), seq: z.int(), chunk: z.string() }),
});
const said = notification("said", { summary: "Said", params: z.object({ seq: z.int() }) });

interface Heard {
  readonly method: string;
  readonly params: { readonly name: string; readonly seq: number; readonly chunk: string };
}

const listeners: WebSocketListener[] = [];

afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close()));
});

async function sockets(): Promise<readonly [Transport, Transport]> {
  const accepted = Promise.withResolvers<Transport>();
  const address = { kind: "tcp", host: "127.0.0.1", port: 0 } as const;
  const listener = await listenWebSocket({ address, accept: accepted.resolve });
  listeners.push(listener);
  const client = await connectWebSocket({ kind: "url", url: listener.address });
  return [await accepted.promise, client];
}

const pairs = [
  ["a WebSocket", sockets],
  ["memory", async () => createMemoryPair()],
] as const;

function peerOn(transport: Transport, dialect: RpcDialect = jsonRpc2): Peer {
  return createPeer({ transport, dialect, log() {} });
}

function listenOn(transport: Transport): Heard[] {
  const heard: Heard[] = [];
  transport.open({
    message: (incoming) => incoming.kind === "text" && heard.push(JSON.parse(incoming.text)),
    closed() {},
  });
  return heard;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await soon();
}

describe.each(pairs)("bytes in a notification over %s", (_, pair) => {
  it.each([0, 1, 2, 3, 4, 5, 6_000, 65_536, 9 << 20])("%d of them arrive", async (size) => {
    const [server, client] = await pair();
    const heard = listenOn(client);
    const bytes = randomBytes(size);
    await peerOn(server).notifyBytes(printed, { name: 'hä"llo', seq: 1, chunk: "" }, bytes);
    await until(() => heard.length === 1);
    const params = { name: 'hä"llo', seq: 1, chunk: bytes.toString("base64") };
    expect(heard).toEqual([{ jsonrpc: "2.0", method: "printed", params }]);
  });

  it("keep their order among other notifications, and are their own while nobody reads", async () => {
    const [server, client] = await pair();
    const peer = peerOn(server);
    const pieces = Array.from({ length: 60 }, () => randomBytes(65_536));
    const sent: unknown[] = [];
    pieces.forEach((bytes, index) => {
      const lent = Buffer.from(bytes);
      sent.push(peer.notifyBytes(printed, { name: "p", seq: 2 * index, chunk: "" }, lent));
      lent.fill(0);
      sent.push(peer.notify(said, { seq: 2 * index + 1 }));
    });
    const heard = listenOn(client);
    await Promise.all(sent);
    await until(() => heard.length === 2 * pieces.length);
    expect(heard.map(({ params }) => params.seq)).toEqual(heard.map((__, index) => index));
    const chunks = heard
      .filter(({ method }) => method === "printed")
      .map((one) => one.params.chunk);
    expect(chunks).toEqual(pieces.map((bytes) => bytes.toString("base64")));
  });

  it("are refused where another value stands in their place", async () => {
    const [server] = await pair();
    const sent = peerOn(server).notifyBytes(
      printed,
      { name: "p", seq: 1, chunk: "x" },
      randomBytes(3),
    );
    await expect(sent).rejects.toMatchObject({ code: "badParams" });
  });

  it("are refused where the connection is over", async () => {
    const [server] = await pair();
    const peer = peerOn(server);
    peer.close();
    const sent = peer.notifyBytes(printed, { name: "p", seq: 1, chunk: "" }, randomBytes(3));
    await expect(sent).rejects.toMatchObject({ code: "closed" });
  });
});

it("a slow reader slows who sends bytes", async () => {
  const [server] = await sockets();
  const peer = peerOn(server);
  let sent: Promise<void> | undefined;
  const bytes = randomBytes(65_536);
  for (let seq = 1; sent === undefined && seq < 4_000; seq += 1) {
    sent = peer.notifyBytes(printed, { name: "p", seq, chunk: "" }, bytes);
  }
  expect(sent).toBeInstanceOf(Promise);
  peer.close();
  await sent?.catch(() => {});
});

it("more bytes than the other side reads are not sent", async () => {
  const [server, client] = await sockets();
  const heard = listenOn(client);
  const peer = peerOn(server);
  const sent = peer.notifyBytes(printed, { name: "p", seq: 1, chunk: "" }, Buffer.alloc(49 << 20));
  await expect(sent).rejects.toMatchObject({ code: "badParams" });
  await peer.notify(said, { seq: 2 });
  await until(() => heard.length === 1);
  expect(heard[0]?.method).toBe("said");
});
