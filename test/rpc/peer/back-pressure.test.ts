import { describe, expect, it } from "vitest";
import { createMemoryPair, createPeer, jsonRpc2, type Transport } from "../../../src/rpc/index.ts";
import { lenientDialect } from "../support/dialects.ts";
import { RawWire, turn } from "../support/raw-wire.ts";
import { rawSample, sample, serveSample } from "../support/sample-protocol.ts";

const dialect = lenientDialect(() => 0);
const hold = (name: string) => ({ id: name, method: "hold", params: { name } });

async function settle() {
  for (let n = 0; n < 5; n += 1) await turn();
}

describe("back-pressure", () => {
  it("slows a producer to the reader's pace and loses nothing", async () => {
    const { wire, server } = rawSample({ dialect });
    wire.transport.pause();
    void wire.send({ id: 1, method: "flood", params: { count: 50 } });
    await settle();
    expect(server.sent).toBe(0);
    wire.transport.resume();
    for (let step = 0; step < 50; step += 1) {
      expect(await wire.next()).toMatchObject({ params: { step } });
    }
    expect(await wire.next()).toMatchObject({ id: 1, result: { sent: 50 } });
  });

  it("sends a reply after the notifications that were sent before it, awaited or not", async () => {
    const [near, far] = createMemoryPair();
    const { peer } = serveSample(far, { dialect });
    const wire = new RawWire(near);
    wire.transport.pause();
    const sent = [0, 1, 2].map((step) => peer.notify(sample.toClient.progress, { step }));
    void wire.send({ id: 9, method: "version" });
    await settle();
    wire.transport.resume();
    await Promise.all(sent);
    const order = [];
    for (let n = 0; n < 4; n += 1) order.push(await wire.next());
    expect(order.map((one) => one.id ?? (one.params as { step: number }).step)).toEqual([
      0, 1, 2, 9,
    ]);
  });

  it("does not begin the next call while the last answer is not taken", async () => {
    const { wire, server } = rawSample({ dialect });
    wire.transport.pause();
    void wire.send({ id: 1, method: "version" });
    void wire.send(hold("second"));
    await settle();
    expect(server.started).toEqual([]);
    wire.transport.resume();
    await server.begun("second");
  });

  it("stops reading when enough calls wait, and drops none", async () => {
    const { wire, server } = rawSample({ dialect, limits: { maxQueued: 4 } });
    let accepted = 0;
    const names = Array.from({ length: 20 }, (_, n) => `call ${n}`);
    for (const name of names) void wire.send(hold(name)).then(() => (accepted += 1));
    await server.begun("call 0");
    await settle();
    expect(accepted).toBeLessThanOrEqual(6);
    for (const name of names) server.release(name);
    for (const name of names) expect(await wire.next()).toMatchObject({ id: name });
    expect(accepted).toBe(20);
  });

  it("stops reading when few calls hold much", async () => {
    const { wire, server } = rawSample({ dialect, limits: { maxQueuedLength: 1_000 } });
    let accepted = 0;
    const echo = (id: number) => ({ id, method: "echo", params: { text: "x".repeat(600) } });
    void wire.send(hold("a"));
    for (let id = 0; id < 6; id += 1) void wire.send(echo(id)).then(() => (accepted += 1));
    await server.begun("a");
    await settle();
    expect(accepted).toBeLessThanOrEqual(2);
    server.release("a");
    expect(await wire.next()).toMatchObject({ id: "a" });
    for (let id = 0; id < 6; id += 1) expect(await wire.next()).toMatchObject({ id });
  });

  it("reads on for the answer a handler waits for", async () => {
    const { wire, server } = rawSample({ dialect, limits: { maxQueued: 4 } });
    const question = await wire.ask({ id: "ask", method: "askBack", params: { name: "n" } });
    for (let n = 0; n < 20; n += 1) void wire.send({ id: n, method: "version" });
    void wire.send({ id: question.id, result: { name: "yes" } });
    expect(await wire.next()).toMatchObject({ id: "ask", result: { name: "yes" } });
    for (let n = 0; n < 20; n += 1) expect(await wire.next()).toMatchObject({ id: n });
    expect(server.faults).toEqual([]);
  });

  it("begins to read again when a call is made while it does not", async () => {
    const { wire, server, peer } = rawSample({ dialect, limits: { maxQueued: 4 } });
    void wire.send(hold("a"));
    for (let n = 0; n < 20; n += 1) void wire.send({ id: n, method: "version" });
    await server.begun("a");
    await settle();
    const confirmed = peer.call(sample.toClient.confirm, { name: "n" });
    const question = await wire.next();
    void wire.send({ id: question.id, result: { name: "yes" } });
    expect(await confirmed).toEqual({ name: "yes" });
  });

  it("refuses requests when it may neither stop reading nor hold more, and still gets its answer", async () => {
    const { wire } = rawSample({ dialect, limits: { maxQueued: 4, maxQueuedUrgent: 8 } });
    const question = await wire.ask({ id: "ask", method: "askBack", params: { name: "n" } });
    for (let n = 0; n < 20; n += 1) await wire.send({ id: n, method: "version" });
    for (let n = 8; n < 20; n += 1) {
      expect(await wire.next()).toMatchObject({ id: n, error: { code: -32001 } });
    }
    await wire.send({ id: question.id, result: { name: "yes" } });
    expect(await wire.next()).toMatchObject({ id: "ask", result: { name: "yes" } });
    for (let n = 0; n < 8; n += 1) expect(await wire.next()).toMatchObject({ id: n, result: {} });
  });

  it("gives the connection up at a notification that it can neither hold nor refuse", async () => {
    const limits = { maxQueued: 4, maxQueuedUrgent: 8, maxQueuedLengthUrgent: 16 * 1024 };
    const { wire, peer } = rawSample({ dialect, limits });
    await wire.ask({ id: "ask", method: "askBack", params: { name: "n" } });
    for (let n = 0; n < 20; n += 1)
      wire.send({ method: "note", params: { text: "" } }).catch(() => {});
    expect(await peer.closed).toEqual({ kind: "failed", reason: "too many calls wait" });
    await wire.closed;
  });

  it("gives up a reader that leaves more unread than the bound, when producers do not wait", async () => {
    const [near, far] = createMemoryPair();
    const peer = createPeer({
      transport: far,
      dialect: jsonRpc2,
      log: () => {},
      limits: { maxUnsent: 10_000 },
    });
    const wire = new RawWire(near);
    wire.transport.pause();
    for (let step = 0; step < 1_000; step += 1)
      void peer.notify(sample.toClient.progress, { step });
    expect(await peer.closed).toMatchObject({ kind: "failed" });
  });

  it("delivers what arrived after a pause only on resume, in order", async () => {
    const [near, far]: readonly [Transport, Transport] = createMemoryPair();
    const wire = new RawWire(near);
    far.open({ message() {}, closed() {} });
    near.pause();
    const sent = ["1", "2", "3"].map((text) => far.send(text));
    await settle();
    expect(wire.unread).toBe(0);
    near.resume();
    await Promise.all(sent);
    expect([await wire.nextText(), await wire.nextText(), await wire.nextText()]).toEqual([
      "1",
      "2",
      "3",
    ]);
  });
});
