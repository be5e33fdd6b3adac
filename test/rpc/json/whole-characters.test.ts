import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wholeCharacters } from "../../../src/rpc/json/whole-characters.ts";
import { jsonRpc2 } from "../../../src/rpc/json-rpc-2.ts";
import { writeMessage } from "../../../src/rpc/message/write-message.ts";
import { campaign } from "../../support/campaign.ts";

const pieces = fc.constantFrom("\ud83d", "\ude00", "😀", "\\", "\\ud83d", '"', "\n", "ud83d", "a");
const text = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(""));

describe("JSON", () => {
  it("is written without halves of characters, and with all else as it was", () => {
    fc.assert(
      fc.property(text, text, (name, value) => {
        const whole = JSON.parse(wholeCharacters(JSON.stringify([name, { value }])));
        expect(whole).toEqual([name.toWellFormed(), { value: value.toWellFormed() }]);
      }),
      campaign(2000),
    );
  });

  const params = { text: "a\ud83d" };

  it.each([
    ["a notification", { kind: "notification", method: "m", params }],
    ["a result", { kind: "reply", id: 1, outcome: { kind: "result", value: params } }],
    [
      "a refusal",
      { kind: "reply", id: 1, outcome: { kind: "error", error: { code: 1, message: "a\ud83d" } } },
    ],
  ] as const)("has no half of a character in %s", (_, message) => {
    const written = writeMessage(message, jsonRpc2);
    expect(written).toContain("a\ufffd");
    expect(written).not.toContain("\\ud83d");
  });

  it("asks for nothing else than was meant", () => {
    const written = writeMessage({ kind: "request", id: 1, method: "m", params }, jsonRpc2);
    expect(JSON.parse(written).params).toEqual(params);
  });
});
