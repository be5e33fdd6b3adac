import { describe, expect, it } from "vitest";
import { OutgoingCall, releaseMessage } from "../../../src/mcp/host/outgoing-call.ts";

function request(_meta?: Record<string, unknown>) {
  const params = { name: "look", ...(_meta && { _meta }) };
  return { jsonrpc: "2.0" as const, id: 1, method: "tools/call", params };
}

describe("releaseMessage", () => {
  it("makes the _meta of a call when it is written", () => {
    const call = new OutgoingCall((meta) => ({ ...(meta as object), made: true }));
    const message = request(call.mark({ trace: 1 }));
    expect(JSON.stringify(message)).toBe(JSON.stringify(request({ trace: 1 })));
    expect(call.sent).toBe(false);
    const { message: written } = releaseMessage(message);
    expect(JSON.parse(JSON.stringify(written))).toEqual(request({ trace: 1, made: true }));
    expect(call.sent).toBe(true);
  });

  it("leaves a call unsent whose _meta cannot be made", () => {
    const call = new OutgoingCall(() => {
      throw new Error("no sandbox");
    });
    expect(() => releaseMessage(request(call.mark({})))).toThrow("no sandbox");
    expect(call.sent).toBe(false);
  });

  it.each([[undefined], [{}], [{ "outgoing call": {} }]])(
    "refuses a call that nobody here made: %j",
    (meta) => {
      expect(() => releaseMessage(request(meta))).toThrow(/nobody says whose it is/);
    },
  );

  it("refuses to send a call twice", () => {
    const call = new OutgoingCall(() => ({}));
    const message = request(call.mark({}));
    releaseMessage(message);
    expect(() => releaseMessage(message)).toThrow(/sent before/);
  });

  it("lets everything else pass as it is", () => {
    const list = { jsonrpc: "2.0" as const, id: 1, method: "tools/list" };
    const result = { jsonrpc: "2.0" as const, id: 1, result: {} };
    expect([list, result].map((one) => releaseMessage(one).message)).toEqual([list, result]);
  });
});
