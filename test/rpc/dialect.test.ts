import { once } from "node:events";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createLineTransport, type RpcDialect } from "../../src/rpc/index.ts";
import { lenientDialect, strictDialect } from "./support/dialects.ts";
import { rawSample, serveSample } from "./support/sample-protocol.ts";

const MALFORMED = [
  ["bad JSON", "{"],
  ["an array", "[]"],
  ["a batch", '[{"id":1,"method":"version"}]'],
  ["no method, result or error", '{"id":77}'],
  ["a null id", '{"id":null,"method":"version"}'],
  ["a fractional id", '{"id":1.5,"method":"version"}'],
  ["an id a double cannot hold", '{"id":9007199254740993,"method":"version"}'],
  ["an object as id", '{"id":{},"method":"version"}'],
  ["a method that is no string", '{"id":1,"method":5}'],
  ["a repeated key", '{"id":1,"id":1,"method":"version"}'],
  ["a repeated key in the params", '{"id":1,"method":"echo","params":{"text":"a","text":"b"}}'],
  ["a prototype", '{"id":1,"method":"echo","params":{"text":"a","__proto__":{}}}'],
  ["too many values", `{"id":1,"method":"version","params":[${"0,".repeat(262_144)}0]}`],
  ["an error that is no object", '{"id":1,"error":"x"}'],
  ["a scalar", "5"],
  ["an empty text", ""],
] as const;

const alive = async ({ wire }: ReturnType<typeof rawSample>) => {
  expect(await wire.ask({ id: "alive", method: "version" })).toMatchObject({
    id: "alive",
    result: { version: 1 },
  });
};

describe("strictDialect", () => {
  const dialect = strictDialect;

  it.each(MALFORMED)("answers %s with id -1 and stays open", async (_, text) => {
    const sample = rawSample({ dialect });
    await sample.wire.text(text);
    const reply = await sample.wire.next();
    expect(reply).toMatchObject({ id: -1, error: { code: -32600 } });
    expect((reply.error as { message: string }).message).toMatch(
      /^failed to parse websocket JSON-RPC message from exec-server websocket right: ./,
    );
    await alive(sample);
  });

  it("names the transport it came by", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    serveSample(createLineTransport({ input, output }), { dialect });
    input.write("{\n");
    const [line] = await once(output, "data");
    expect(JSON.parse(String(line)).error.message).toMatch(
      /^failed to parse JSON-RPC message from exec-server stdio: ./,
    );
  });

  it("says of an unknown method that it is not implemented", async () => {
    const { wire } = rawSample({ dialect });
    expect(await wire.ask({ id: 1, method: "fly" })).toEqual({
      error: { code: -32601, message: "exec-server stub does not implement `fly` yet" },
      id: 1,
    });
  });

  it.each([
    ["an unknown notification", { method: "fly" }],
    ["a known notification with bad params", { method: "note", params: {} }],
    ["a request's name without an id", { method: "version" }],
    ["a result it never asked for", { id: 5, result: {} }],
    ["an error it never asked for", { id: "x", error: { code: 1, message: "m" } }],
  ])("closes on %s", async (_, message) => {
    const { wire, peer } = rawSample({ dialect });
    await wire.send(message).catch(() => {});
    expect(await wire.closed).toMatchObject({ kind: "ended" });
    expect(await peer.closed).toMatchObject({ kind: "local" });
    expect(wire.unread).toBe(0);
  });

  it("names wrong params without a prefix", async () => {
    const { wire } = rawSample({ dialect });
    expect(await wire.ask({ id: 1, method: "echo", params: { text: 5 } })).toMatchObject({
      error: { code: -32602, message: "invalid type: number, expected a string" },
    });
    expect(await wire.ask({ id: 1, method: "echo", params: {} })).toMatchObject({
      error: { code: -32602, message: "missing field `text`" },
    });
  });

  it.each([[[]], [{ a: 1 }]])("refuses %j where no params are taken", async (params) => {
    const { wire } = rawSample({ dialect });
    expect(await wire.ask({ id: 1, method: "version", params })).toMatchObject({
      error: { code: -32602, message: expect.stringMatching(/^invalid type: .*, expected unit$/) },
    });
  });

  it("ignores unknown members and a version, and writes neither", async () => {
    const { wire } = rawSample({ dialect });
    const envelope = {
      jsonrpc: "2.0",
      id: -7,
      method: "echo",
      trace: { traceparent: "x" },
      more: 1,
    };
    const reply = await wire.ask({ ...envelope, params: { text: "a", unknown: 1 } });
    expect(reply).toEqual({ id: -7, result: { text: "a" } });
  });
});

describe("lenientDialect", () => {
  const dialect: RpcDialect = lenientDialect(() => 1234);

  it.each(MALFORMED)("ignores %s", async (_, text) => {
    const sample = rawSample({ dialect });
    await sample.wire.text(text);
    await alive(sample);
  });

  it.each([
    ["an unknown notification", { method: "fly" }],
    ["a notification with bad params", { method: "note", params: 5 }],
    ["a stray result", { id: 5, result: {} }],
  ])("ignores %s and does not act on it", async (_, message) => {
    const sample = rawSample({ dialect });
    await sample.wire.send(message);
    await alive(sample);
    expect(sample.server.notes).toEqual([]);
  });

  it("lists the methods it knows when it does not know one", async () => {
    const { wire } = rawSample({ dialect });
    const { error } = (await wire.ask({ id: 1, method: "x" })) as {
      error: { code: number; message: string };
    };
    expect(error.code).toBe(-32600);
    expect(error.message).toMatch(
      /^Invalid request: unknown variant `x`, expected one of `echo`, `version`, /,
    );
    expect(error.message).not.toContain("note");
  });

  it.each([
    [{ text: 5 }, "Invalid request: invalid type: integer `5`, expected a string"],
    [{}, "Invalid request: missing field `text`"],
    [undefined, "Invalid request: missing field `params`"],
    [null, "Invalid request: missing field `params`"],
  ])("says of params %j: %s", async (params, message) => {
    const { wire } = rawSample({ dialect });
    expect(await wire.ask({ id: 1, method: "echo", params })).toEqual({
      error: { code: -32600, message },
      id: 1,
    });
  });

  it("stamps notifications and nothing else", async () => {
    const { wire } = rawSample({ dialect });
    expect(await wire.ask({ id: 1, method: "flood", params: { count: 1 } })).toEqual({
      method: "progress",
      params: { step: 0, note: null },
      emittedAtMs: 1234,
    });
    expect(await wire.next()).toEqual({ id: 1, result: { sent: 1 } });
    expect(await wire.ask({ id: 2, method: "askBack", params: { name: "n" } })).toEqual({
      id: 1,
      method: "confirm",
      params: { name: "n" },
    });
  });
});

describe("jsonRpc2", () => {
  it("writes the version and answers nonsense with a null id", async () => {
    const sample = rawSample();
    expect(await sample.wire.ask([])).toMatchObject({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32600 },
    });
    await sample.wire.text("{");
    expect(await sample.wire.next()).toMatchObject({ id: null, error: { code: -32700 } });
    await alive(sample);
  });

  it("does not answer an unaddressed error, or two peers would answer each other for ever", async () => {
    const sample = rawSample();
    await sample.wire.send({ id: null, error: { code: -32700, message: "Parse error" } });
    await alive(sample);
  });

  it.each([undefined, null, {}])("takes %j as no params", async (params) => {
    const { wire } = rawSample();
    expect(await wire.ask({ id: 1, method: "version", params })).toMatchObject({
      result: { version: 1 },
    });
  });

  it("repeats only the beginning of a long method name", async () => {
    const { wire } = rawSample();
    await wire.send({ id: 1, method: "x".repeat(1e6) });
    expect((await wire.nextText()).length).toBeLessThan(500);
  });
});
