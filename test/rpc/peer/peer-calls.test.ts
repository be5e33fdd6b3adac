import { afterEach, describe, expect, it, vi } from "vitest";
import {
  clientOf,
  createMemoryPair,
  createPeer,
  createRouter,
  jsonRpc2,
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

  it("fills in defaults and drops unknown members before it sends", async () => {
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

  it("does not take a very long time-out for none at all", async () => {
    const { client, wire } = askRaw();
    const call = client.version(undefined, { timeoutMs: 2 ** 40 });
    const { id } = await wire.next();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await wire.send({ id, result: { version: 1 } });
    expect(await call).toEqual({ version: 1 });
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
