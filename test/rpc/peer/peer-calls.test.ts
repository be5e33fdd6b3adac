import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import {
  clientOf,
  createMemoryPair,
  createPeer,
  createRouter,
  jsonRpc2,
  method,
  notification,
  RpcError,
  RpcFailure,
} from "../../../src/rpc/index.ts";
import { cancellable, strictDialect } from "../support/dialects.ts";
import { RawWire, turn } from "../support/raw-wire.ts";
import { sample, serveSample } from "../support/sample-protocol.ts";

const log = () => {};

function askRaw(dialect = jsonRpc2) {
  const [near, far] = createMemoryPair();
  const peer = createPeer({ transport: near, dialect, log });
  return { peer, client: clientOf(sample.toServer, peer), wire: new RawWire(far) };
}

const failure = (code: string) => expect.objectContaining({ name: "RpcFailure", code });

afterEach(() => {
  vi.useRealTimers();
});

describe("createPeer calling", () => {
  it("asks in both directions over one connection", async () => {
    const [near, far] = createMemoryPair();
    const steps: number[] = [];
    serveSample(far);
    const router = createRouter<typeof sample.toClient, undefined>({
      methods: sample.toClient,
      handlers: {
        confirm: ({ name }) => ({ name: `${name}!` }),
        progress: ({ step }) => void steps.push(step),
      },
    });
    const serve = { router, context: () => undefined };
    const peer = createPeer({ transport: near, dialect: jsonRpc2, serve, log });
    const client = clientOf(sample.toServer, peer);
    expect(await client.askBack({ name: "sure" })).toEqual({ name: "sure!" });
    expect(await client.flood({ count: 3 })).toEqual({ sent: 3 });
    expect(steps).toEqual([0, 1, 2]);
  });

  it("matches answers to calls whatever their order", async () => {
    const { client, wire } = askRaw();
    const first = client.echo({ text: "a" });
    const second = client.echo({ text: "b" });
    const ids = [(await wire.next()).id, (await wire.next()).id];
    await wire.send({ id: ids[1], result: { text: "second" } });
    await wire.send({ id: ids[0], result: { text: "first" } });
    expect(await Promise.all([first, second])).toEqual([{ text: "first" }, { text: "second" }]);
  });

  it("rejects with the other side's error", async () => {
    const { client, wire } = askRaw();
    const call = client.version();
    const { id } = await wire.next();
    await wire.send({ id, error: { code: -32004, message: "gone", data: [1] } });
    const error = await call.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({ code: "notFound", message: "gone", data: [1] });
  });

  it("refuses a result the method does not declare", async () => {
    const { client, wire } = askRaw();
    const call = client.version();
    const { id } = await wire.next();
    await wire.send({ id, result: { version: "1" } });
    await expect(call).rejects.toEqual(failure("badReply"));
  });

  it("sends nothing when the params are wrong", async () => {
    const { client, wire } = askRaw();
    await expect(client.echo({ text: 5 as never })).rejects.toEqual(failure("badParams"));
    await turn();
    expect(wire.unread).toBe(0);
  });

  it("logs the mistake of a producer that does not await", async () => {
    const [near] = createMemoryPair();
    const faults: unknown[] = [];
    const peer = createPeer({ transport: near, dialect: jsonRpc2, log: (one) => faults.push(one) });
    void peer.notify(sample.toClient.progress, { step: "one" as never });
    await turn();
    expect(faults).toEqual([failure("badParams")]);
  });

  it("says that params which are not JSON are the caller's mistake", async () => {
    const [near] = createMemoryPair();
    const peer = createPeer({ transport: near, dialect: jsonRpc2, log });
    const params = z.unknown();
    const call = peer.call(method("any", { summary: "", params, result: params }), { big: 1n });
    await expect(call).rejects.toEqual(failure("badParams"));
    const sent = peer.notify(notification("any", { summary: "", params }), { big: 1n });
    await expect(sent).rejects.toEqual(failure("badParams"));
  });

  it("sends the params of a request as given, so that only the receiver transforms them", async () => {
    const [near, far] = createMemoryPair();
    const peer = createPeer({ transport: near, dialect: jsonRpc2, log });
    const wire = new RawWire(far);
    const doubled = z.object({ count: z.int().transform((count) => count * 2) });
    const double = method("double", { summary: "Double", params: doubled, result: z.null() });
    const call = peer.call(double, { count: 4 });
    const { id, params } = await wire.next();
    expect(params).toEqual({ count: 4 });
    await wire.send({ id, result: null });
    expect(await call).toBeNull();
  });

  it("fills in defaults and drops unknown members of a notification before it sends", async () => {
    const [near, far] = createMemoryPair();
    const peer = createPeer({ transport: near, dialect: jsonRpc2, log });
    const wire = new RawWire(far);
    await peer.notify(sample.toClient.progress, { step: 1, extra: 1 } as never);
    expect(await wire.next()).toEqual({
      jsonrpc: "2.0",
      method: "progress",
      params: { step: 1, note: null },
    });
  });

  it("gives up at the time-out and ignores the late answer", async () => {
    vi.useFakeTimers();
    const { client, peer, wire } = askRaw(strictDialect);
    const call = client.version(undefined, { timeoutMs: 50 });
    const expected = expect(call).rejects.toEqual(failure("timedOut"));
    const { id } = await wire.next();
    await vi.advanceTimersByTimeAsync(50);
    await expected;
    vi.useRealTimers();
    await wire.send({ id, result: { version: 1 } });
    const again = peer.call(sample.toServer.version, {});
    await wire.send({ id: (await wire.next()).id, result: { version: 2 } });
    expect(await again).toEqual({ version: 2 });
  });

  it("sets no timer longer than a timer can be, which would fire at once", async () => {
    const timer = vi.spyOn(globalThis, "setTimeout");
    const { client, peer } = askRaw();
    const call = client.version(undefined, { timeoutMs: 2 ** 40 });
    expect(timer).toHaveBeenCalledWith(expect.any(Function), 2 ** 31 - 1);
    timer.mockRestore();
    peer.close();
    await expect(call).rejects.toEqual(failure("closed"));
  });

  it("cancels with the caller's signal, and tells the other side where the dialect can", async () => {
    const { client, wire } = askRaw(cancellable(jsonRpc2));
    const stop = new AbortController();
    const call = client.version(undefined, { signal: stop.signal });
    const { id } = await wire.next();
    stop.abort();
    await expect(call).rejects.toEqual(failure("cancelled"));
    expect(await wire.next()).toMatchObject({ method: "$/cancelRequest", params: { id } });
  });

  it("sends nothing for a signal that has already fired", async () => {
    const { client, wire } = askRaw();
    const call = client.version(undefined, { signal: AbortSignal.abort() });
    await expect(call).rejects.toEqual(failure("cancelled"));
    await turn();
    expect(wire.unread).toBe(0);
  });

  it.each(["this side", "the other side"])("ends every open call when %s closes", async (side) => {
    const { client, peer, wire } = askRaw();
    const calls = [client.version(), client.echo({ text: "" })].map((call) =>
      call.catch((reason: unknown) => reason),
    );
    await turn();
    if (side === "this side") peer.close();
    else wire.transport.close();
    for (const outcome of await Promise.all(calls)) expect(outcome).toEqual(failure("closed"));
    await expect(client.version()).rejects.toBeInstanceOf(RpcFailure);
    await expect(client.note({ text: "" })).rejects.toEqual(failure("closed"));
  });

  it("does not end the process when nobody awaits a notification that cannot be sent", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const { client, peer } = askRaw();
    peer.close();
    void client.note({ text: "" });
    await turn();
    await turn();
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it("settles each peer's closing with a reason, once", async () => {
    const { peer, wire } = askRaw();
    peer.close("enough");
    peer.close("again");
    expect(await peer.closed).toEqual({ kind: "local", reason: "enough" });
    expect(await wire.closed).toMatchObject({ kind: "ended" });
    await peer.settled;
  });
});
