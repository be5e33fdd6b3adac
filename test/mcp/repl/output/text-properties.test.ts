/** However bytes are cut, the text is the same, and none of it is lost or given twice. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EscapeStripper } from "../../../../src/mcp/repl/output/escape-stripper.ts";
import { Timeline } from "../../../../src/mcp/repl/output/timeline.ts";
import { Utf8Decoder } from "../../../../src/mcp/repl/output/utf8-decoder.ts";
import { campaign } from "../../../support/campaign.ts";

const RETENTION = { headChars: 1e6, tailChars: 1e6, imageBytes: 1e6 };

/** Bytes with many characters that are whole, cut or none, and pieces of escapes. */
const bytes = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 6 }),
      fc
        .constantFrom(
          ..."\u001b[31m|\u001b]0;t\u0007|\u001b|\u009b1|\u001bP|\u001b\\|\n|[".split("|"),
        )
        .map((text) => Buffer.from(text)),
    ),
    { maxLength: 20 },
  )
  .map((parts) => Buffer.concat(parts));

const cuts = fc.array(fc.nat(64), { maxLength: 12 });

function pieces<T extends string | Uint8Array>(whole: T, at: readonly number[]): T[] {
  const places = [...new Set(at.map((place) => place % (whole.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map(
    (place, index) => whole.slice(place, places[index] ?? whole.length) as T,
  );
}

describe("for any bytes and any cuts", () => {
  it("decoding gives the same text", () => {
    const decode = (chunks: readonly Uint8Array[]) => {
      const decoder = new Utf8Decoder();
      return chunks.map((chunk) => decoder.write(chunk)).join("") + decoder.seal();
    };
    const same = fc.property(bytes, cuts, (whole, at) => {
      expect(decode(pieces(whole, at))).toBe(decode([whole]));
    });
    fc.assert(same, campaign(20_000));
  });

  it("decoding is that of the platform where the bytes are text", () => {
    const same = fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(new Utf8Decoder().write(Buffer.from(text))).toBe(text.toWellFormed());
    });
    fc.assert(same, campaign(5_000));
  });

  it("stripping gives the same text, with no introducer left in it", () => {
    const strip = (chunks: readonly string[]) => {
      const stripper = new EscapeStripper();
      return chunks.map((chunk) => stripper.write(chunk)).join("") + stripper.seal();
    };
    const same = fc.property(bytes, cuts, (whole, at) => {
      const text = whole.toString("latin1");
      expect(strip(pieces(text, at))).toBe(strip([text]));
      expect(strip([text])).not.toContain("\u001b");
      expect(strip([text])).not.toContain("\u009b");
    });
    fc.assert(same, campaign(20_000));
  });

  it("takes put together are what was written, whenever they are taken", () => {
    const chunk = fc.record({
      stream: fc.constantFrom("stdout" as const, "stderr" as const, "raw" as const),
      text: fc.string({ minLength: 1, unit: "grapheme-ascii" }),
      isTaken: fc.boolean(),
    });
    const whole = fc.property(fc.array(chunk), (chunks) => {
      const timeline = new Timeline({ retention: RETENTION });
      const taken: { stream: string; text: string }[] = [];
      const take = () => {
        for (const item of timeline.take().items) if (item.kind === "text") taken.push(item);
      };
      for (const { stream, text, isTaken } of chunks) {
        timeline.add({ kind: "text", stream, bytes: Buffer.from(text) });
        if (isTaken) take();
      }
      take();
      for (const isOf of [
        (stream: string) => stream === "stderr",
        (stream: string) => stream !== "stderr",
      ]) {
        const written = chunks.filter(({ stream }) => isOf(stream)).map(({ text }) => text);
        const got = taken.filter(({ stream }) => isOf(stream)).map(({ text }) => text);
        expect(got.join("")).toBe(written.join(""));
      }
    });
    fc.assert(whole, campaign(5_000));
  });
});

describe("stripping", () => {
  it.each([
    ["colours", "\u001b[1;31mred\u001b[0m", "red"],
    ["a title that ends with a bell", "\u001b]0;title\u0007text", "text"],
    ["a title that ends with ST", "\u001b]0;title\u001b\\text", "text"],
    ["a link", "\u001b]8;;http://a\u001b\\b\u001b]8;;\u001b\\", "b"],
    ["a character set", "\u001b(Btext", "text"],
    ["a saved cursor", "\u001b7text\u001b8", "text"],
    ["a sequence of one character", "\u009b31mred", "red"],
  ])("takes out %s", (_, text, expected) => {
    expect(new EscapeStripper().write(text)).toBe(expected);
  });

  it.each([
    ["a title that never ends", "\u001b]0;no end\nnext", "0;no end\nnext"],
    ["a string too long to be one", `\u001bP${"x".repeat(5000)}`, "x".repeat(5000)],
    ["a sequence broken by a character", "\u001b[1é", "1é"],
    ["a sequence within a title", "\u001b]0;t\u001b[1mbold", "0;tbold"],
  ])("keeps the text of %s", (_, text, expected) => {
    expect(new EscapeStripper().write(text)).toBe(expected);
  });

  it("gives up what is held when it is sealed", () => {
    const stripper = new EscapeStripper();
    expect(stripper.write("a\u001b]0;t")).toBe("a");
    expect(stripper.seal()).toBe("0;t");
    expect(stripper.write("b")).toBe("b");
  });
});
