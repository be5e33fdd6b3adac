import { describe, expect, it } from "vitest";
import { RECEIPT_KEY } from "../../../src/mcp/index.ts";
import { idsOfCall } from "../../../src/mcp/state/ids-of-call.ts";

const of = (_meta: unknown) => idsOfCall({ _meta });

describe("idsOfCall", () => {
  it("knows the names that clients use, from either version of the SDK", () => {
    const _meta = { threadId: "t", turnId: "u", callId: "c", progressToken: 1 };
    expect(of(_meta)).toEqual({ thread: "t", turn: "u", call: "c" });
    expect(idsOfCall({ mcpReq: { _meta } })).toEqual(of(_meta));
  });

  it("prefers our own member", () => {
    const _meta = { threadId: "theirs", callId: "c", [RECEIPT_KEY]: { threadId: "ours" } };
    expect(of(_meta)).toEqual({ thread: "ours", call: "c" });
  });

  it.each([
    ["no `_meta`", undefined],
    ["null", null],
    ["text", "threadId"],
    ["a list", ["t"]],
    ["numbers", { threadId: 1, callId: 2 }],
    ["objects", { threadId: { toString: "x" } }],
    ["empty text", { threadId: "" }],
    ["endless text", { threadId: "x".repeat(201) }],
    ["`__proto__` as text", JSON.parse('{"__proto__":{"threadId":"t"}}')],
    ["a receipt that is text", { [RECEIPT_KEY]: "t" }],
  ])("finds none in %s", (_, meta) => {
    expect(of(meta)).toEqual({});
  });
});
