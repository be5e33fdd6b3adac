import { describe, expect, it } from "vitest";
import { WorkerMessage } from "../../../../src/mcp/repl/protocol/worker-message.ts";

const image = { type: "output_image", mime_type: "image/png", data_b64: "", is_update: false };
const text = { type: "output_text", stream: "stdout", data_b64: "" };

describe("a WorkerMessage", () => {
  it.each([
    [image],
    [{ ...image, mime_type: "image/svg+xml", source: "figure 1" }],
    [{ ...image, source: null }],
    [{ ...text, data_b64: "A".repeat(1 << 20) }],
  ])("is one of bounded members", (message) => {
    expect(WorkerMessage.safeParse(message).success).toBe(true);
  });

  it.each([
    ["a type that is no picture's", { ...image, mime_type: "text/html" }],
    ["a type without a name", { ...image, mime_type: "image/" }],
    ["a type with a path in it", { ...image, mime_type: "image/../../x" }],
    ["a type that is long", { ...image, mime_type: `image/${"x".repeat(65)}` }],
    ["a source that is long", { ...image, source: "s".repeat(1025) }],
    ["a text that is no piece of one", { ...text, data_b64: "A".repeat((1 << 20) + 4) }],
  ])("has not %s", (_, message) => {
    expect(WorkerMessage.safeParse(message).success).toBe(false);
  });
});
