/** Which receipt a client of a confined server hears of. */
import { describe, expect, it } from "vitest";
import { RECEIPT_KEY, receiptOfResult } from "../../../src/mcp/index.ts";
import { CoreDriver } from "./support/core-driver.ts";
import { A, metaOf } from "./support/states.ts";

const OURS = "01K00000000000000000000001";
const ANOTHERS = "01K00000000000000000000002";

const call = (id: number) => ({
  id,
  method: "tools/call",
  params: { name: "write", _meta: metaOf(A) },
});

const told = (receiptId: string) => ({ [RECEIPT_KEY]: { version: 1, receiptId } });

function driverWith(receiptId: string | null): CoreDriver {
  const driver = new CoreDriver();
  driver.receiptId = receiptId;
  return driver;
}

const resultOf = ([message]: Record<string, unknown>[]) =>
  message?.result as Record<string, unknown>;

describe("the result of a call", () => {
  it.each([
    ["nothing", {}],
    ["other words", { _meta: { other: 1 } }],
    ["somebody else's receipt", { _meta: { other: 1, ...told(ANOTHERS) } }],
  ])("names the receipt of the process that gave it, where the server says %s", (_, said) => {
    const driver = driverWith(OURS);
    driver.say(call(1));
    driver.reply({ id: 1, result: { content: [], ...said } });
    const result = resultOf(driver.got());
    expect(receiptOfResult(result)).toBe(OURS);
    const other = "_meta" in said && { other: 1 };
    expect(result).toEqual({ content: [], _meta: { ...other, ...told(OURS) } });
  });

  it("names none where none is known, whatever the server says", () => {
    const driver = driverWith(null);
    driver.say(call(1));
    driver.reply({ id: 1, result: { content: [], _meta: { other: 1, ...told(ANOTHERS) } } });
    expect(resultOf(driver.got())).toEqual({ content: [], _meta: { other: 1 } });
  });

  it("is otherwise passed on as it was written", () => {
    const driver = driverWith(OURS);
    driver.say(call(1));
    driver.reply('{"id":1, "result" : {"n":12345678901234567890,"content":[ ]},"jsonrpc":"2.0"}');
    expect(driver.client).toEqual([
      `{"id":1, "result" : {"n":12345678901234567890,"content":[ ],"_meta":${JSON.stringify(told(OURS))}},"jsonrpc":"2.0"}`,
    ]);
  });

  it.each([
    ["an error", '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}'],
    ["no object", '{"jsonrpc":"2.0","id":1,"result":[1]}'],
    ["one whose _meta is no object", '{"jsonrpc":"2.0","id":1,"result":{"_meta":1}}'],
  ])("is left alone where it is %s", (_, text) => {
    const driver = driverWith(OURS);
    driver.say(call(1));
    driver.reply(text);
    expect(driver.client).toEqual([text]);
  });

  it("names it also where the call was made a task", () => {
    const driver = driverWith(OURS);
    driver.say({ id: 1, method: "tasks/result", params: { taskId: "1" } });
    driver.reply({ id: 1, result: { content: [], _meta: told(ANOTHERS) } });
    expect(receiptOfResult(resultOf(driver.got()))).toBe(OURS);
  });

  it.each(["resources/read", "initialize", "ours/own"])(
    "is the only one that names a receipt: what a server answers to %s does not",
    (method) => {
      const driver = driverWith(OURS);
      driver.say({ id: 1, method, params: {} });
      driver.reply({ id: 1, result: { a: 1, _meta: { other: 1, ...told(ANOTHERS) } } });
      const result = resultOf(driver.got());
      expect(result).toMatchObject({ a: 1, _meta: { other: 1 } });
      expect(receiptOfResult(result)).toBeNull();
    },
  );

  it("is left alone where something else was asked", () => {
    const driver = driverWith(OURS);
    driver.say({ id: 1, method: "tools/list" });
    const text = '{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}';
    driver.reply(text);
    expect(driver.client).toEqual([text]);
  });
});

describe("a call that comes to nothing", () => {
  it("names the receipt of the server that died over it", () => {
    const driver = driverWith(OURS);
    driver.say(call(1));
    driver.run(driver.core.lost(1, "it exited"));
    expect(receiptOfResult(resultOf(driver.got()))).toBe(OURS);
  });

  it("names the receipt of the start that was refused", () => {
    const driver = driverWith(null);
    driver.automatic = false;
    driver.say(call(1));
    driver.run(driver.core.notStarted(1, "Cannot start", OURS));
    expect(receiptOfResult(resultOf(driver.got()))).toBe(OURS);
  });

  it("names none where it brought no state: nothing was to be started", () => {
    const driver = driverWith(OURS);
    driver.say({ id: 1, method: "tools/call", params: { name: "write" } });
    expect(resultOf(driver.got())).not.toHaveProperty("_meta");
  });
});
