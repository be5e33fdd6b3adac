import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { APP_LIMITS } from "../../../src/app-server/app-dialect.ts";
import { createLineTransport, createMemoryPair } from "../../../src/rpc/index.ts";
import { RawWire } from "../../rpc/support/raw-wire.ts";
import { StandInServer, standIn } from "./support/stand-in-server.ts";

function start() {
  const [near, far] = createMemoryPair();
  const server = new StandInServer();
  const peer = server.accept(far);
  return { server, peer, wire: new RawWire(near) };
}

async function isAlive(wire: RawWire): Promise<void> {
  expect(await wire.ask({ id: "alive", method: "version" })).toEqual({
    id: "alive",
    result: { version: 1 },
  });
}

const invalid = (message: string) => ({ code: -32600, message: `Invalid request: ${message}` });
const UNREADABLE = { code: -32700, message: "Parse error: the line is not UTF-8" };

describe("appDialect", () => {
  it.each([
    "{",
    "",
    "[]",
    "5",
    '{"id":77}',
    '[{"id":1,"method":"version"}]',
    '{"id":null,"method":"version"}',
    '{"id":1.5,"method":"version"}',
    '{"id":9007199254740993,"method":"version"}',
    '{"id":1,"method":5}',
    '{"id":1,"method":"version"',
    '{"id":1,"id":1,"method":"version"}',
    '{"id":1,"error":"x"}',
  ])("ignores %s without an answer and stays open", async (text) => {
    const { wire } = start();
    await wire.text(text);
    await isAlive(wire);
  });

  it.each([
    ["an unknown notification", { method: "fly" }],
    ["a notification with params it does not take", { method: "note", params: 5 }],
    ["a result that nobody asked for", { id: 5, result: { decision: "accept" } }],
    ["an error that nobody asked for", { id: "x", error: { code: 1, message: "m" } }],
  ])("ignores %s", async (_, message) => {
    const { wire, server } = start();
    await wire.send(message);
    await isAlive(wire);
    expect(server.notes).toEqual([]);
  });

  it("answers a request with bytes that are not UTF-8, with its id as far as that can be read", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    new StandInServer().accept(createLineTransport({ input, output }));
    const bad = (id: string) =>
      Buffer.concat([
        Buffer.from(`{"id":${id},"method":"echo","params":{"text":"`),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('"}}\n'),
      ]);
    input.write(bad("7"));
    input.write(Buffer.from('{"id":"\xff","method":"echo"}\n', "latin1"));
    input.write(Buffer.from('{"method":"echo","params":{"text":"\xff"},"id":9}\n', "latin1"));
    input.write(Buffer.from('{"method":"note","params":{"text":"\xff","id":1}}\n', "latin1"));
    input.write(Buffer.from('{"id":5,"result":"\xff"}\n', "latin1"));
    input.write('{"id":8,"method":"version"}\n');
    let said = "";
    for await (const chunk of output) {
      said += chunk;
      if (said.split("\n").length === 5) break;
    }
    const answers = said
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(answers).toEqual([
      { id: 7, error: UNREADABLE },
      { id: null, error: UNREADABLE },
      { id: 9, error: UNREADABLE },
      { id: 8, result: { version: 1 } },
    ]);
  });

  it("H02 lists what it knows when it does not know a method", async () => {
    const { wire } = start();
    expect(await wire.ask({ id: 1, method: "x" })).toEqual({
      error: invalid(
        "unknown variant `x`, expected one of `echo`, `version`, `hold`, `stop`, `ask`",
      ),
      id: 1,
    });
  });

  it("repeats only the beginning of a long method", async () => {
    const { wire } = start();
    await wire.send({ id: 1, method: "x".repeat(1e6) });
    expect((await wire.nextText()).length).toBeLessThan(500);
  });

  it.each([
    [{ text: 5 }, "invalid type: integer `5`, expected a string"],
    [{}, "missing field `text`"],
    [undefined, "missing field `params`"],
    [null, "missing field `params`"],
  ])("says of params %j: %s", async (params, problem) => {
    const { wire } = start();
    expect(await wire.ask({ id: 1, method: "echo", params })).toEqual({
      error: invalid(problem),
      id: 1,
    });
  });

  it("writes no version, and an error before its id", async () => {
    const { wire } = start();
    await wire.send({ jsonrpc: "2.0", id: 1, method: "version", trace: { traceparent: "x" } });
    expect(await wire.nextText()).toBe('{"id":1,"result":{"version":1}}');
    await wire.send({ id: "a", method: "echo", params: {} });
    expect(await wire.nextText()).toMatch(/^\{"error":\{"code":-32600,.*\},"id":"a"\}$/);
  });

  it("stamps notifications with the time, and requests with nothing", async () => {
    const { wire } = start();
    const before = Date.now();
    const told = await wire.ask({ method: "note", params: { text: "a" } });
    const { emittedAtMs } = told;
    expect(told).toEqual({ method: "told", params: { text: "a" }, emittedAtMs });
    expect(Number.isSafeInteger(emittedAtMs) && Number(emittedAtMs) >= before).toBe(true);
    const asked = await wire.ask({ id: 1, method: "ask", params: { text: "b" } });
    expect(Object.keys(asked)).toEqual(["id", "method", "params"]);
  });
});

describe("a request that is JSON and too much of it", () => {
  const deep = `${"[".repeat(200)}${"]".repeat(200)}`;
  const values = `[${"0,".repeat(APP_LIMITS.json?.maxValues ?? 0)}0]`;

  it.each([
    ["a repeated member", '{"id":7,"method":"echo","params":{"text":"a","text":"b"}}'],
    [
      "a repeated member, method first",
      '{"method":"echo","id":7,"params":{"text":"a","text":"b"}}',
    ],
    ["a prototype", '{"jsonrpc":"2.0","id":7,"method":"echo","params":{"__proto__":{}}}'],
    ["too deep params", `{"id":7,"method":"echo","params":${deep}}`],
    ["too deep params, strange method", `{"id":7,"method":"\\u0000","params":${deep}}`],
    ["too deep params, long method", `{"id":7,"method":"${"x".repeat(900)}","params":${deep}}`],
    ["too deep params, quoted method first", `{"method":"\\"","id":7,"params":${deep}}`],
    ["too many values", `{ "id" : 7 , "method" : "echo" , "params" : ${values}}`],
  ])("is refused by its id: %s", async (_, text) => {
    const { wire } = start();
    await wire.text(text);
    expect(await wire.next()).toEqual({
      error: {
        code: -32600,
        message: expect.stringMatching(/^Invalid request: Cannot read JSON: /),
      },
      id: 7,
    });
    await isAlive(wire);
  });

  it("is refused by an id that is a text", async () => {
    const { wire } = start();
    await wire.text('{"id":"a-1","method":"echo","params":{"text":"a","text":"b"}}');
    expect(await wire.next()).toMatchObject({ id: "a-1", error: { code: -32600 } });
  });

  it("is not taken for one where the id is that of something inside", async () => {
    const { wire } = start();
    await wire.text('{"params":{"id":7,"method":"echo","a":1,"a":1},"method":"note"}');
    await isAlive(wire);
  });

  it.each([
    ["first", (id: string) => `{"id":${id},"result":{"text":"\xe9${"x".repeat(5000)}"}}`],
    ["last", (id: string) => `{"result":{"text":"\xe9${"x".repeat(5000)}"},"id":${id}}`],
    ["in no JSON", (id: string) => `{"id":${id},"result":{"text":\xe9}`],
  ])("ends the question that an answer was for that is not UTF-8, its id %s", async (_, answer) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    new StandInServer().accept(createLineTransport({ input, output }));
    const lines = createInterface(output)[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value ?? "");
    input.write('{"id":1,"method":"ask","params":{"text":"b"}}\n');
    const { id } = await next();
    input.write(Buffer.from(`${answer(id)}\n`, "latin1"));
    expect(await next()).toMatchObject({ id: 1, error: { code: -32603 } });
  });

  it("ends the question that a malformed answer was for", async () => {
    const { wire } = start();
    const { id } = await wire.ask({ id: 1, method: "ask", params: { text: "b" } });
    await wire.text(`{"id":${id},"result":{"text":"a","text":"b"}}`);
    expect(await wire.next()).toMatchObject({ id: 1, error: { code: -32603 } });
  });
});

it("takes a message of 64 MiB and more", async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const server = new StandInServer();
  server.accept(createLineTransport({ input, output, maxLineBytes: 128 * 1024 * 1024 }));
  const text = "x".repeat(70 * 1024 * 1024);
  input.write(
    `${JSON.stringify({ id: 1, method: standIn.toServer.echo.name, params: { text } })}\n`,
  );
  let length = 0;
  for await (const chunk of output) {
    length += (chunk as Buffer).length;
    if ((chunk as Buffer).at(-1) === 0x0a) break;
  }
  expect(length).toBeGreaterThan(text.length);
});
