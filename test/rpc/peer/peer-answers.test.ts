import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createMemoryPair,
  createPeer,
  createRouter,
  jsonRpc2,
  type Transport,
} from "../../../src/rpc/index.ts";
import { campaign } from "../../support/campaign.ts";
import { cancellable, lenientDialect } from "../support/dialects.ts";
import { RawWire, turn } from "../support/raw-wire.ts";
import { rawSample, sample, serveSample } from "../support/sample-protocol.ts";

describe("createPeer answering", () => {
  it("sends an RpcError as it is, with its data", async () => {
    const { wire } = rawSample();
    expect(await wire.ask({ id: 1, method: "fail", params: { how: "rpc" } })).toMatchObject({
      id: 1,
      error: { code: -32010, message: "taken", data: { by: "you" } },
    });
  });

  it.each(["other", "badResult", "cycle"])(
    "hides the text of the fault %s and logs it",
    async (how) => {
      const { wire, server } = rawSample();
      const reply = await wire.ask({ id: 1, method: "fail", params: { how } });
      expect(reply).toEqual({
        jsonrpc: "2.0",
        id: 1,
        error: { code: -32603, message: "internal error" },
      });
      expect(server.faults).toHaveLength(1);
    },
  );

  it("answers null for a handler that returns nothing", async () => {
    const { wire } = rawSample();
    const reply = await wire.ask({ id: 1, method: "fail", params: { how: "nothing" } });
    expect(reply).toEqual({ jsonrpc: "2.0", id: 1, result: null });
  });

  it("shows a server the experimental mark before the handler runs", async () => {
    const gated = rawSample({ gated: true });
    expect(await gated.wire.ask({ id: 1, method: "tryOut" })).toMatchObject({
      error: { code: -32600, message: "tryOut is experimental" },
    });
    expect(await rawSample().wire.ask({ id: 1, method: "tryOut" })).toMatchObject({ result: null });
  });

  it("tells the handler at work when the connection ends", async () => {
    const { wire, server, peer } = rawSample();
    await wire.send({ id: 1, method: "hold", params: { name: "a" } });
    await server.begun("a");
    wire.transport.close();
    await peer.settled;
    expect(server.aborted).toEqual(["a"]);
  });

  it("does not start what still waits when the connection ends", async () => {
    const { wire, server, peer } = rawSample();
    await wire.send({ id: 1, method: "hold", params: { name: "a" } });
    await wire.send({ id: 2, method: "hold", params: { name: "b" } });
    await server.begun("a");
    wire.transport.close();
    await peer.settled;
    expect(server.started).toEqual(["a"]);
  });

  it("stops a call the other side cancels, at work or waiting, and answers it", async () => {
    const { wire, server } = rawSample({ dialect: cancellable(jsonRpc2) });
    await wire.send({ id: 1, method: "hold", params: { name: "a" } });
    await wire.send({ id: "two", method: "hold", params: { name: "b" } });
    await server.begun("a");
    await wire.send({ method: "$/cancelRequest", params: { id: "two" } });
    await wire.send({ method: "$/cancelRequest", params: { id: 1 } });
    await wire.send({ method: "$/cancelRequest", params: ["nonsense"] });
    expect(await wire.next()).toMatchObject({ id: 1, result: { name: "a" } });
    expect(await wire.next()).toMatchObject({ id: "two", error: { code: -32600 } });
    expect(server).toMatchObject({ started: ["a"], aborted: ["a"] });
  });

  it("logs no fault of a handler that stops because it was told to", async () => {
    const { wire, server } = rawSample({ dialect: cancellable(jsonRpc2) });
    await wire.send({ id: 1, method: "fail", params: { how: "whenTold" } });
    await server.begun("whenTold");
    await wire.send({ method: "$/cancelRequest", params: { id: 1 } });
    expect(await wire.next()).toMatchObject({
      error: { code: -32600, message: "the request was cancelled" },
    });
    expect(server.faults).toEqual([]);
  });

  it("stops only the call that was named", async () => {
    const schedule = { kind: "concurrent", limit: 2 } as const;
    const { wire, server } = rawSample({ dialect: cancellable(jsonRpc2), schedule });
    for (const id of [1, 2])
      await wire.send({ id, method: "hold", params: { name: `call ${id}` } });
    await server.begun("call 2");
    await wire.send({ method: "$/cancelRequest", params: { id: 2 } });
    expect(await wire.next()).toMatchObject({ id: 2 });
    expect(server.aborted).toEqual(["call 2"]);
  });

  it("takes nothing for a cancellation in a dialect that has none", async () => {
    const { wire, server } = rawSample();
    await wire.send({ id: 1, method: "hold", params: { name: "a" } });
    await server.begun("a");
    await wire.send({ method: "$/cancelRequest", params: { id: 1 } });
    await turn();
    expect(server.aborted).toEqual([]);
  });

  it("answers when the log itself throws", async () => {
    const [near, far] = createMemoryPair();
    const router = createRouter<typeof sample.toServer, undefined>({
      methods: sample.toServer,
      handlers: new Proxy({} as never, { get: () => () => raise() }),
    });
    const serve = { router, context: () => undefined };
    createPeer({ transport: far, dialect: jsonRpc2, serve, log: raise });
    const wire = new RawWire(near);
    expect(await wire.ask({ id: 1, method: "version" })).toMatchObject({
      id: 1,
      error: { code: -32603 },
    });
    expect(await wire.ask({ id: 2, method: "no such method" })).toMatchObject({ id: 2 });
  });

  it("does not answer the answer to its own malformed message", async () => {
    const [near, far] = createMemoryPair();
    const passed: string[] = [];
    createPeer({ transport: spyOn(near, passed), dialect: jsonRpc2, log: raise });
    serveSample(far);
    await near.send("nonsense");
    for (let n = 0; n < 20; n += 1) await turn();
    expect(passed).toEqual([]);
  });

  it("returns every id as it came", async () => {
    const ids = fc.oneof(fc.string({ unit: "binary" }), fc.maxSafeInteger());
    const { wire } = rawSample({ dialect: lenientDialect(() => 0) });
    await fc.assert(
      fc.asyncProperty(ids, async (id) => {
        const reply = await wire.ask({ id, method: "version" });
        expect(reply.id).toEqual(id === 0 ? 0 : id);
      }),
      campaign(1_000),
    );
  });

  it("says which integers an id may be, and answers one by its value", async () => {
    const { wire } = rawSample();
    await wire.text('{"id":9007199254740993,"method":"version"}');
    expect(await wire.next()).toMatchObject({
      id: null,
      error: { message: "Invalid request: `id` is not a string or an integer below 2^53" },
    });
    await wire.text('{"id":1e2,"method":"version"}');
    expect(await wire.next()).toMatchObject({ id: 100, result: {} });
  });

  it("survives any JSON and answers the next good request", async () => {
    const message = fc.oneof(
      fc.json(),
      fc
        .record(
          {
            id: fc.oneof(fc.jsonValue(), fc.integer()),
            method: fc.oneof(fc.constantFrom("echo", "version", "note", "ready"), fc.jsonValue()),
            params: fc.oneof(fc.jsonValue(), fc.record({ text: fc.jsonValue() })),
            result: fc.jsonValue(),
            error: fc.jsonValue(),
          },
          { requiredKeys: [] },
        )
        .map((value) => JSON.stringify(value)),
    );
    const { wire, server } = rawSample({ dialect: lenientDialect(() => 0) });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(message, async (text) => {
        round += 1;
        await wire.text(text);
        await wire.send({ id: `round ${round}`, method: "version" });
        let reply = await wire.next();
        while (reply.id !== `round ${round}`) reply = await wire.next();
        expect(reply).toMatchObject({ result: { version: 1 } });
      }),
      campaign(5_000),
    );
    expect(server.faults).toEqual([]);
  });
});

function raise(): never {
  throw new Error("the log is full");
}

/** The same transport, with what is sent through it written down. */
function spyOn(transport: Transport, passed: string[]): Transport {
  return {
    kind: transport.kind,
    label: transport.label,
    open: (receiver) => transport.open(receiver),
    send: (text) => {
      passed.push(text);
      return transport.send(text);
    },
    pause: () => transport.pause(),
    resume: () => transport.resume(),
    close: (reason) => transport.close(reason),
  };
}
