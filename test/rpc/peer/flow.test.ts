import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createLineTransport,
  createMemoryPair,
  createPeer,
  createRouter,
  jsonRpc2,
  method,
  notification,
  type Peer,
  type Transport,
} from "../../../src/rpc/index.ts";
import { cancellable } from "../support/dialects.ts";
import { RawWire, turn } from "../support/raw-wire.ts";

const tree = {
  ping: method("ping", { summary: "Ping", params: z.object({ n: z.int() }), result: z.int() }),
  pass: notification("pass", { summary: "Pass on", params: z.object({ left: z.int() }) }),
};

const log = () => {};

/** A peer whose notifications travel back until they have no steps left. */
function start(transport: Transport, passed: () => void): Peer {
  const router = createRouter<typeof tree, { peer: Peer }>({
    methods: tree,
    handlers: {
      ping: async ({ n }) => {
        await turn();
        return n;
      },
      pass: async ({ left }, { peer }) => {
        passed();
        if (left > 0) await peer.notify(tree.pass, { left: left - 1 });
      },
    },
  });
  const serve = { router, context: (peer: Peer) => ({ peer }) };
  return createPeer({ transport, dialect: jsonRpc2, log, serve });
}

const lines = (): readonly [Transport, Transport] => {
  const [there, back] = [new PassThrough(), new PassThrough()];
  return [
    createLineTransport({ input: back, output: there }),
    createLineTransport({ input: there, output: back }),
  ];
};

describe("two peers", () => {
  it.each([
    ["memory", createMemoryPair],
    ["lines", lines],
  ])("whose handlers await notifications do not wait for each other, over %s", async (_, pair) => {
    const total = 10_000;
    let passed = 0;
    const all = Promise.withResolvers<void>();
    const count = () => {
      passed += 1;
      if (passed === total * 4) all.resolve();
    };
    const peers = pair().map((transport) => start(transport, count));
    for (let n = 0; n < total; n += 1)
      for (const peer of peers) void peer.notify(tree.pass, { left: 1 });
    await all.promise;
  });

  it.each([
    ["memory", createMemoryPair],
    ["lines", lines],
  ])("answer 10,000 calls in each direction at once, over %s", async (_, pair) => {
    const peers = pair().map((transport) => start(transport, () => {}));
    const numbers = Array.from({ length: 10_000 }, (_, n) => n);
    const answers = await Promise.all(
      peers.map((peer) => Promise.all(numbers.map((n) => peer.call(tree.ping, { n })))),
    );
    expect(answers).toEqual([numbers, numbers]);
  });
});

describe("a peer with as many calls under way as it may have", () => {
  function crowded(maxCalls: number) {
    const [near, far] = createMemoryPair();
    const limits = { maxCalls };
    const dialect = cancellable(jsonRpc2);
    const peer = createPeer({ transport: near, dialect, log, limits });
    return { peer, wire: new RawWire(far) };
  }

  it("sends the next call when one ends, and keeps the order of everything", async () => {
    const { peer, wire } = crowded(2);
    const calls = [0, 1, 2].map((n) => peer.call(tree.ping, { n }));
    const note = peer.notify(tree.pass, { left: 7 });
    const [first, second] = [await wire.next(), await wire.next()];
    await turn();
    expect(wire.unread).toBe(0);
    await wire.send({ id: first.id, result: 0 });
    const third = await wire.next();
    expect(third).toMatchObject({ params: { n: 2 } });
    expect(await wire.next()).toMatchObject({ method: "pass", params: { left: 7 } });
    await wire.send({ id: third.id, result: 2 });
    await wire.send({ id: second.id, result: 1 });
    expect(await Promise.all(calls)).toEqual([0, 1, 2]);
    await note;
  });

  it("sends neither a call that was cancelled while it waited nor its cancellation", async () => {
    const { peer, wire } = crowded(1);
    const stop = new AbortController();
    const first = peer.call(tree.ping, { n: 1 });
    const second = peer.call(tree.ping, { n: 2 }, { signal: stop.signal });
    const third = peer.call(tree.ping, { n: 3 });
    stop.abort();
    await expect(second).rejects.toMatchObject({ code: "cancelled" });
    await wire.send({ id: (await wire.next()).id, result: 1 });
    expect(await first).toBe(1);
    const sent = await wire.next();
    expect(sent).toMatchObject({ params: { n: 3 } });
    await wire.send({ id: sent.id, result: 3 });
    expect(await third).toBe(3);
  });

  it("sends an urgent call at once, ahead of those that wait", async () => {
    const { peer, wire } = crowded(1);
    const calls = [1, 2].map((n) => peer.call(tree.ping, { n }));
    const urgent = peer.call(tree.ping, { n: 3 }, { urgent: true });
    expect(await wire.next()).toMatchObject({ params: { n: 1 } });
    const sent = await wire.next();
    expect(sent).toMatchObject({ params: { n: 3 } });
    await wire.send({ id: sent.id, result: 3 });
    expect(await urgent).toBe(3);
    peer.close();
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: "closed" });
  });

  it("ends the calls that wait when it closes", async () => {
    const { peer } = crowded(1);
    const calls = [1, 2, 3].map((n) => peer.call(tree.ping, { n }));
    const note = peer.notify(tree.pass, { left: 0 });
    peer.close();
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: "closed" });
    await expect(note).rejects.toMatchObject({ code: "closed" });
  });
});
