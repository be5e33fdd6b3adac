import { describe, expect, it } from "vitest";
import { KeptOutput } from "../../../src/session/commands/kept-output.ts";

function keep(text: string | Buffer, { head = 4, tail = 4, step = 1 } = {}): string {
  const kept = new KeptOutput({ head, tail });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += step) kept.add(bytes.subarray(at, at + step));
  expect(kept.total).toBe(bytes.length);
  return kept.render((missing) => `[${missing}]`).toString();
}

describe("kept output", () => {
  it.each(["", "a", "abcd", "abcde", "abcdefgh"])("is %j as it is", (text) => {
    for (const step of [1, 3, 100]) expect(keep(text, { step })).toBe(text);
  });

  it("is the first and the last bytes of more, in whatever pieces it comes", () => {
    for (const step of [1, 2, 3, 7, 100]) {
      expect(keep("0123456789abcdefghij", { step })).toBe("0123\n[12]\nghij");
    }
  });

  it("never shows a part of a character", () => {
    for (let shift = 0; shift < 4; shift += 1) {
      const text = `${"x".repeat(shift)}${"é€😀".repeat(20)}`;
      const shown = keep(text, { head: 11, tail: 13, step: 5 });
      expect(shown).not.toContain("\uFFFD");
      const missing = Number(/\[(\d+)\]/.exec(shown)?.[1]);
      const kept = Buffer.byteLength(shown.replace(/\n\[\d+\]\n/, ""));
      expect(kept + missing).toBe(Buffer.byteLength(text));
    }
  });

  it("holds no more than it shows, whatever passes through", () => {
    const kept = new KeptOutput({ head: 10, tail: 10 });
    for (let chunk = 0; chunk < 100_000; chunk += 1) kept.add(Buffer.from(`${chunk % 10}`));
    expect(kept.render(() => "").toString()).toBe("0123456789\n\n0123456789");
  });

  it("does not hold on to the pieces of a beginning that comes a byte at a time", () => {
    const kept = new KeptOutput({ head: 10_000, tail: 10 });
    const pieces = Array.from({ length: 5000 }, () => Buffer.from("x"));
    for (const piece of pieces) kept.add(piece);
    pieces[0]?.fill("y");
    expect(kept.render(() => "").toString()).toBe("x".repeat(5000));
  });
});
