import { describe, expect, it } from "vitest";
import {
  readText,
  refuseMessage,
  refuseUnreadable,
} from "../../../src/mcp/transport/refuse-message.ts";

const call = (more: object) => ({ jsonrpc: "2.0", id: 7, method: "tools/call", ...more });

describe("refuseMessage", () => {
  it.each([
    ["`_meta` that is null", { _meta: null }],
    ["`_meta` that is text", { _meta: "x" }],
    ["`_meta` that is a list", { _meta: [] }],
    ["`_meta` that is a number", { _meta: 0 }],
    ["a progress token that is an object", { _meta: { progressToken: {} } }],
    ["a progress token that is null", { _meta: { progressToken: null } }],
    ["a progress token that is a fraction", { _meta: { progressToken: 1.5 } }],
    ["params that are a list", []],
    ["params that are text", "x"],
    ["params that are null", null],
  ])("answers a request with %s by -32602", (_, params) => {
    expect(refuseMessage(call({ params }))).toEqual({
      jsonrpc: "2.0",
      id: 7,
      error: { code: -32602, message: expect.stringMatching(/^Cannot read "tools\/call": /) },
    });
  });

  it.each([
    ["a list of messages", [call({})]],
    ["null", null],
    ["text", "x"],
    ["a number", 1],
    ["a request whose id is null", call({ id: null })],
    ["a request whose id is an object", call({ id: {} })],
    ["a request whose id is a fraction", call({ id: 0.5 })],
    ["a request whose id no number holds exactly", call({ id: 2 ** 60 })],
  ])("answers %s by -32600 to nobody in particular", (_, message) => {
    expect(refuseMessage(message)).toMatchObject({ id: null, error: { code: -32600 } });
  });

  it.each([
    ["a request", call({ params: { _meta: { progressToken: 1 }, name: "x" } })],
    ["a request with a token in words", call({ params: { _meta: { progressToken: "t" } } })],
    ["a request without params", call({})],
    ["a request whose id is text", call({ id: "one" })],
    ["a request whose id is zero", call({ id: 0 })],
    ["a result", { jsonrpc: "2.0", id: 1, result: { _meta: null } }],
    ["an error", { jsonrpc: "2.0", id: null, error: { code: 1, message: "x" } }],
    ["a notification that is malformed", { jsonrpc: "2.0", method: "n", params: { _meta: 1 } }],
    ["an object of another kind", {}],
  ])("leaves %s to others", (_, message) => {
    expect(refuseMessage(message)).toBeUndefined();
  });
});

describe("readText", () => {
  const text = (value: string) => readText({ kind: "text", text: value });

  it.each([
    ["text that is no JSON", "{"],
    ["nothing", ""],
    ["two members of one name", '{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}'],
    ["two states of one name", '{"id":1,"method":"a","params":{"_meta":{"s":1,"s":2}}}'],
    ["endless nesting", "[".repeat(100_000) + "]".repeat(100_000)],
  ])("answers %s by -32700 to nobody in particular", (_, value) => {
    expect(text(value)).toMatchObject({
      kind: "refused",
      answer: { id: null, error: { code: -32700 } },
    });
  });

  it("answers a line that is too long", () => {
    const reason = "Cannot read the line: too long";
    expect(readText({ kind: "malformed", reason })).toMatchObject({
      answer: { error: { code: -32700, message: reason } },
    });
  });

  it("hands on what somebody may serve", () => {
    const value = JSON.stringify(call({}));
    expect(text(value)).toEqual({ kind: "message", message: call({}) });
  });
});

describe("refuseUnreadable", () => {
  it.each([
    ["a request", call({ id: "a" }), { id: "a", error: { code: -32600 } }],
    ["a request without a version", { id: 0, method: "x" }, { id: 0 }],
    ["a notification", { method: "x" }, undefined],
    ["a result", { id: 1, result: {} }, undefined],
    ["null", null, undefined],
  ])("answers %s as it must be", (_, message, answer) => {
    const refused = refuseUnreadable(message);
    if (answer === undefined) expect(refused).toBeUndefined();
    else expect(refused).toMatchObject(answer);
  });
});
