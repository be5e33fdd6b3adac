import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonRpc2 } from "../../../src/rpc/json-rpc-2.ts";
import { base64Text } from "../../../src/rpc/message/base64-text.ts";
import { writeMessage } from "../../../src/rpc/message/write-message.ts";
import { campaign } from "../../support/campaign.ts";

const bytes = fc.uint8Array({ maxLength: 40 });
/** What may stand beside bytes, as a caller has it: also what JSON leaves out. */
const beside = fc.dictionary(
  fc.string({ maxLength: 4 }),
  fc.oneof(fc.jsonValue(), fc.constant(undefined)),
  { maxKeys: 4 },
);

describe("writeMessage with bytes", () => {
  it.each(["notification", "request", "reply"] as const)("writes a %s as JSON would", (kind) => {
    fc.assert(
      fc.property(bytes, beside, fc.boolean(), (some, others, isFirst) => {
        const chunk = base64Text(some);
        const value = isFirst ? { chunk, ...others } : { ...others, chunk };
        const message = {
          notification: { kind: "notification", method: "m", params: value },
          request: { kind: "request", id: 1, method: "m", params: value },
          reply: { kind: "reply", id: 1, outcome: { kind: "result", value } },
        } as const;
        const { params, result } = JSON.parse(writeMessage(message[kind], jsonRpc2));
        expect(JSON.stringify(params ?? result)).toBe(JSON.stringify(value));
      }),
      campaign(500),
    );
  });

  it("escapes what stands beside them, whatever it says of itself", () => {
    const params = { processId: '","x":"', chunk: base64Text(Buffer.from("abc")) };
    const text = writeMessage({ kind: "notification", method: "m", params }, jsonRpc2);
    expect(JSON.parse(text).params).toEqual({ processId: '","x":"', chunk: "YWJj" });
  });

  it("does not take a text for plain because an earlier one was", () => {
    base64Text(Buffer.from("abc"));
    const params = { chunk: 'Y"Jj' };
    const text = writeMessage({ kind: "notification", method: "m", params }, jsonRpc2);
    expect(JSON.parse(text).params).toEqual(params);
  });
});
