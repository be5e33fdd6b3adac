import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createLineTransport,
  createMemoryPair,
  createPeer,
  createRouter,
  type FaultLog,
  jsonRpc2,
  type Method,
  method,
  notification,
  ReceivedRpcError,
  RpcError,
  type Transport,
} from "../../../src/rpc/index.ts";
import { RawWire, turn } from "../support/raw-wire.ts";

const any = method("any", { summary: "Anything", params: z.unknown(), result: z.unknown() });
const failure = (code: string) => expect.objectContaining({ name: "RpcFailure", code });
const INTERNAL = { code: "internalError", message: "internal error" };

/** Two peers, of which one answers `any` with what `handle` does. */
function pair(handle: (params: unknown) => unknown, transports = createMemoryPair()) {
  const faults: unknown[] = [];
  const [near, far] = transports;
  serve(far, handle, (fault) => faults.push(fault));
  const peer = createPeer({ transport: near, dialect: jsonRpc2, log() {} });
  return { peer, faults };
}

function serve(transport: Transport, handle: (params: unknown) => unknown, log: FaultLog) {
  const methods: { any: Method } = { any };
  const router = createRouter<typeof methods, undefined>({ methods, handlers: { any: handle } });
  return createPeer({
    transport,
    dialect: jsonRpc2,
    log,
    serve: { router, context: () => undefined },
  });
}

function linePair(maxLineBytes: number): readonly [Transport, Transport] {
  const [there, back] = [new PassThrough(), new PassThrough()];
  return [
    createLineTransport({ input: back, output: there, maxLineBytes }),
    createLineTransport({ input: there, output: back, maxLineBytes }),
  ];
}

function nested(depth: number): unknown {
  return depth === 0 ? null : [nested(depth - 1)];
}

const thrown = (make: () => unknown) => () => {
  throw make();
};

describe("a call", () => {
  it.each<[string, () => unknown]>([
    ["a function", () => () => 1],
    ["a symbol", () => Symbol("secret")],
    ["an object that writes itself as nothing", () => ({ toJSON() {} })],
    ["more values than are read", () => Array.from({ length: 300_000 }, () => 1)],
    ["deeper nesting than is read", () => nested(200)],
    ["a member that is not read", () => JSON.parse('{"__proto__":1}')],
    ["an error whose code is no number", thrown(() => new RpcError(Number.NaN, "secret"))],
    ["an error whose code is no integer", thrown(() => new RpcError(1.5, "secret"))],
    ["an error whose message throws", thrown(errorWithTrap)],
    ["a thrown value with traps", thrown(valueWithTrap)],
    ["an error with data that cannot be written", thrown(() => new RpcError(1, "", { data: 1n }))],
  ])("ends with an internal error, logged, when its handler gives %s", async (_, handle) => {
    const { peer, faults } = pair(handle);
    await expect(peer.call(any, {})).rejects.toMatchObject(INTERNAL);
    expect(faults).toHaveLength(1);
  });

  it("ends alone when its reply is longer than the transport takes", async () => {
    const held = Promise.withResolvers<void>();
    const [near, far] = linePair(1_000);
    const handle = (params: unknown) =>
      params === "long" ? "ä".repeat(600) : held.promise.then(() => "held");
    const { peer, faults } = pair(handle, [near, far]);
    const long = peer.call(any, "long");
    const other = peer.call(any, "other");
    await expect(long).rejects.toMatchObject(INTERNAL);
    expect(String(faults[0])).toContain("expected at most 1000");
    held.resolve();
    expect(await other).toBe("held");
  });

  it("is refused before it is sent when it is longer than the transport takes", async () => {
    const { peer } = pair(() => "fine", linePair(1_000));
    const text = "ä".repeat(600);
    await expect(peer.call(any, text)).rejects.toEqual(failure("badParams"));
    const note = notification("note", { summary: "", params: z.string() });
    await expect(peer.notify(note, text)).rejects.toEqual(failure("badParams"));
    expect(await peer.call(any, "short")).toBe("fine");
  });

  it("is refused before it is sent when the other side could not read it", async () => {
    const { peer } = pair(() => "fine");
    for (const params of [nested(200), JSON.parse('{"__proto__":1}')]) {
      await expect(peer.call(any, params)).rejects.toEqual(failure("badParams"));
    }
  });

  it.each([
    '{"id":1}',
    '{"id":1,"error":"text"}',
    '{"id":1,"result":"yes","error":{"code":1,"message":"no"}}',
    '{"id":1,"result":"yes","error":"no"}',
    '{"error":{"code":1.5,"message":""},"id":1}',
    '{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}',
    '{ "result" : {"__proto__":1} , "id" : 1 }',
    '{"jsonrpc":"2.0","id":1,"result":[',
  ])("fails when its answer is %s", async (text) => {
    const [near, far] = createMemoryPair();
    const peer = createPeer({ transport: near, dialect: jsonRpc2, log() {} });
    const wire = new RawWire(far);
    const call = peer.call(any, {});
    expect(await wire.next()).toMatchObject({ id: 1 });
    await wire.text(text);
    await expect(call).rejects.toEqual(failure("badReply"));
    expect(wire.unread).toBe(0);
  });

  it("is answered by a result beside an error that is null", async () => {
    const [near, far] = createMemoryPair();
    const peer = createPeer({ transport: near, dialect: jsonRpc2, log() {} });
    const wire = new RawWire(far);
    const call = peer.call(any, {});
    await wire.next();
    await wire.text('{"id":1,"result":"yes","error":null}');
    expect(await call).toBe("yes");
  });

  it("does not take a malformed request for its answer", async () => {
    const [near, far] = createMemoryPair();
    const peer = createPeer({ transport: near, dialect: jsonRpc2, log() {} });
    const wire = new RawWire(far);
    const call = peer.call(any, {});
    await wire.next();
    for (const text of ['{"id":1,"method":5}', '{"id":1,"method":"a","a":1,"a":2}', "[]"]) {
      await wire.text(text);
      expect(await wire.next()).toMatchObject({ id: null, error: {} });
    }
    await wire.send({ id: 1, result: "yes" });
    expect(await call).toBe("yes");
  });

  it("keeps another server's error from its own caller, and logs it", async () => {
    const upstream = pair(
      thrown(() => new RpcError("notFound", "secret path", { data: { token: 1 } })),
    );
    const { peer, faults } = pair(() => upstream.peer.call(any, {}));
    const error = await peer.call(any, {}).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ ...INTERNAL, data: undefined });
    expect(faults).toMatchObject([{ code: "notFound", message: "secret path" }]);
    expect(faults[0]).toBeInstanceOf(ReceivedRpcError);
  });
});

describe("a notification", () => {
  it("whose params cannot be checked is logged", async () => {
    const [near, far] = createMemoryPair();
    const faults: unknown[] = [];
    const params = z.string().transform(trap);
    const methods = { odd: notification("odd", { summary: "Odd", params }) };
    const router = createRouter<typeof methods, undefined>({ methods, handlers: { odd() {} } });
    const serve = { router, context: () => undefined };
    createPeer({ transport: far, dialect: jsonRpc2, log: (one) => faults.push(one), serve });
    await new RawWire(near).send({ method: "odd", params: "" });
    await turn();
    expect(faults).toMatchObject([{ message: "trap" }]);
  });
});

describe("createPeer", () => {
  it("closes the transport when the context cannot be made, and says why", async () => {
    const [near, far] = createMemoryPair();
    const wire = new RawWire(near);
    const router = createRouter({ methods: {}, handlers: {} });
    const context = () => {
      throw new Error("no context");
    };
    const start = () =>
      createPeer({ transport: far, dialect: jsonRpc2, log() {}, serve: { router, context } });
    expect(start).toThrow("no context");
    expect(await wire.closed).toMatchObject({ kind: "ended" });
  });
});

function errorWithTrap(): RpcError {
  return Object.defineProperty(new RpcError("conflict", ""), "message", { get: trap });
}

function valueWithTrap(): object {
  return new Proxy({}, { getPrototypeOf: trap, get: trap });
}

function trap(): never {
  throw new Error("trap");
}
