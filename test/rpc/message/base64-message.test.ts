import { describe, expect, it } from "vitest";
import { Base64Message } from "../../../src/rpc/message/base64-message.ts";
import type { Transport } from "../../../src/rpc/transports/transport.ts";

/** What a transport gets that takes bytes, and one that does not. */
function sent(bytes: Uint8Array): { asBytes: string; asText: string; length: number } {
  const open = JSON.stringify({ method: "é", params: { chunk: "" } });
  const message = new Base64Message(open, bytes);
  const got = { asBytes: "", asText: "", length: message.length };
  message.sendOn({
    async send(text) {
      got.asText = text;
    },
  } as Transport);
  message.sendOn({
    sendBytes(length, write) {
      const buffer = Buffer.alloc(length, "?");
      write(buffer);
      got.asBytes = buffer.toString();
    },
  } as Transport);
  return got;
}

describe("Base64Message", () => {
  it.each([0, 1, 2, 3, 6143, 6144, 6145, 6146, 12_287, 12_288, 65_536, 100_001])(
    "writes %i bytes as JSON has them, in pieces and at once",
    (count) => {
      const whole = Buffer.from(Array.from({ length: count + 7 }, (_, at) => (at * 31) % 251));
      const bytes = whole.subarray(7);
      const text = JSON.stringify({ method: "é", params: { chunk: bytes.toString("base64") } });
      expect(sent(bytes)).toEqual({ asBytes: text, asText: text, length: text.length });
    },
  );

  it("refuses a message whose last member has a value", () => {
    expect(() => new Base64Message('{"chunk":{"a":"x"}}', Buffer.alloc(1))).toThrow(/expected ""/);
  });
});
