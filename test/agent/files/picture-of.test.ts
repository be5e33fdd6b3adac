import { describe, expect, it } from "vitest";
import { pictureOf } from "../../../src/agent/files/picture-of.ts";

const bytes = (...parts: readonly (string | readonly number[])[]) =>
  Buffer.concat(
    parts.map((part) =>
      typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part),
    ),
  );

const png = (...size: readonly number[]) =>
  bytes("\x89PNG\r\n\x1a\n", [0, 0, 0, 13], "IHDR", size, [8, 0, 0, 0, 0], "....IEND....");
const PNG = png(0, 0, 0x4e, 0x20, 0, 0, 0, 1);
const GIF = bytes("GIF89a", [0x2c, 1, 2, 0], [0, 0, 0, 0x3b]);
const FRAME = [0xff, 0xc2, 0, 11, 8, 0, 3, 0x1f, 0x41, 1, 1, 0x11, 0];
const JPEG = bytes(
  [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xff, 0xc4, 0, 2],
  FRAME,
  [0xff, 0xd9],
);
const webp = (kind: string, ...rest: readonly number[]) =>
  bytes("RIFF", [12 + rest.length, 0, 0, 0], "WEBP", kind, [0, 0, 0, 0], rest);
const WEBP = {
  VP8X: webp("VP8X", 0, 0, 0, 0, 0x40, 0x1f, 0, 1, 0, 0),
  VP8L: webp("VP8L", 0x2f, 0x40, 0x1f, 0, 0),
  "VP8 ": webp("VP8 ", 0, 0, 0, 0x9d, 0x01, 0x2a, 0x41, 0x1f, 1, 0),
};

describe("a picture is known by its bytes", () => {
  it.each([
    ["png", PNG, { mimeType: "image/png", width: 20_000, height: 1 }],
    ["gif", GIF, { mimeType: "image/gif", width: 300, height: 2 }],
    ["jpeg", JPEG, { mimeType: "image/jpeg", width: 8001, height: 3 }],
    ["webp, extended", WEBP.VP8X, { mimeType: "image/webp", width: 8001, height: 2 }],
    ["webp, lossless", WEBP.VP8L, { mimeType: "image/webp", width: 8001, height: 1 }],
    ["webp, lossy", WEBP["VP8 "], { mimeType: "image/webp", width: 8001, height: 1 }],
  ])("%s", (_, content, picture) => {
    expect(pictureOf(content)).toEqual(picture);
    for (let length = 0; length < content.length - 8; length += 1) {
      expect([length, pictureOf(content.subarray(0, length))]).toEqual([length, undefined]);
    }
  });

  it.each([
    ["text", Buffer.from("hello")],
    ["nothing", Buffer.alloc(0)],
    ["one without width", png(0, 0, 0, 0, 0, 0, 0, 1)],
    ["a jpeg without a frame", bytes([0xff, 0xd8, 0xff, 0xd9, 0, 2], [0xff, 0xda, 0, 2, 1])],
    ["a jpeg of markers alone", Buffer.concat([JPEG.subarray(0, 2), Buffer.alloc(1000, 0xff)])],
  ])("%s is none", (_, content) => {
    expect(pictureOf(content)).toBeUndefined();
  });
});
