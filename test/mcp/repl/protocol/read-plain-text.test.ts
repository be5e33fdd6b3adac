import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPlainText } from "../../../../src/mcp/repl/protocol/read-plain-text.ts";
import { WorkerMessage } from "../../../../src/mcp/repl/protocol/worker-message.ts";
import { JSON_LIMITS, readJson } from "../../../../src/rpc/index.ts";
import { campaign } from "../../../support/campaign.ts";

const lineOf = (base64: string, stream = "stdout") =>
  `{"type":"output_text","stream":"${stream}","data_b64":"${base64}"}`;

/** What the reader of all messages makes of a line. */
function readFully(line: string): unknown {
  const limits = { ...JSON_LIMITS, maxLength: 1 << 22 };
  try {
    const message = WorkerMessage.safeParse(readJson(line, limits));
    if (!message.success || message.data.type !== "output_text") return "refused";
    const { stream, data_b64 } = message.data;
    return { stream, bytes: Buffer.from(data_b64, "base64") };
  } catch {
    return "refused";
  }
}

describe("readPlainText", () => {
  it("reads what workers print, of both streams and of any length", () => {
    for (const text of ["", "a", "ab", "abc", "\u00e4\n".repeat(5000)]) {
      for (const stream of ["stdout", "stderr"] as const) {
        const bytes = Buffer.from(text);
        expect(readPlainText(lineOf(bytes.toString("base64"), stream))).toEqual({ stream, bytes });
      }
    }
  });

  it.each([
    ["another stream", lineOf("YQ==", "raw")],
    ["no padding", lineOf("YQ")],
    ["padding too much", lineOf("YWI===")],
    ["padding in the middle", lineOf("YQ==YQ==")],
    ["the alphabet of addresses", lineOf("-_-_")],
    ["a space", lineOf("YQ= =")],
    ["a character beyond", lineOf("YQ=\u00e9")],
    ["an escape", lineOf("Y\\u0051==")],
    ["a member more", lineOf('YQ==","is_continuation":false,"x":"')],
    ["a member twice", lineOf('YWJj","data_b64":"YWJj')],
    ["more than a text may have", lineOf("A".repeat((1 << 20) + 4))],
    ["something behind", `${lineOf("YQ==")} `],
    ["another order", '{"stream":"stdout","type":"output_text","data_b64":"YQ=="}'],
  ])("leaves a line with %s to the reader of all messages", (_, line) => {
    expect(readPlainText(line)).toBeUndefined();
  });

  it("reads nothing that the reader of all messages would refuse or read otherwise", () => {
    const piece = fc.constantFrom(
      "Y",
      "Q",
      "=",
      "==",
      "+",
      "/",
      "-",
      "_",
      '"',
      "\\",
      " ",
      "\u00e9",
      "AAAA",
    );
    const body = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
      fc.base64String(),
    );
    const same = fc.property(body, fc.constantFrom("stdout", "stderr"), (base64, stream) => {
      const line = lineOf(base64, stream);
      const plain = readPlainText(line);
      if (plain !== undefined) expect(readFully(line)).toEqual(plain);
    });
    fc.assert(same, campaign(20_000));
  });
});
