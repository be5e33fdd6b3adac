import { describe, expect, it } from "vitest";
import { KeptBytes } from "../../../src/exec/server/sessions/kept-bytes.ts";

const MIB = 1 << 20;

/** Bytes that say which piece they are of. */
const piece = (size: number, mark: number) => new Uint8Array(size).fill(mark % 251);

describe("KeptBytes", () => {
  it("keeps what it was given, whatever becomes of that", () => {
    const kept = new KeptBytes();
    const given = piece(5, 7);
    const copy = kept.keep(given);
    given.fill(0);
    expect([...copy]).toEqual([7, 7, 7, 7, 7]);
  });

  it("takes little room for little", () => {
    const { buffer } = new KeptBytes().keep(piece(5, 1));
    expect(buffer.byteLength).toBeLessThanOrEqual(4096);
  });

  it("takes a piece that is larger than everything", () => {
    const copy = new KeptBytes().keep(piece(3 * MIB, 9));
    expect(copy.length).toBe(3 * MIB);
    expect(copy.at(-1)).toBe(9);
  });

  it("keeps every piece as it came until it is dropped, and uses few buffers for many", () => {
    const kept = new KeptBytes();
    const held: { readonly copy: Uint8Array; readonly given: Uint8Array }[] = [];
    const buffers = new Set<ArrayBufferLike>();
    for (let mark = 0; mark < 3000; mark += 1) {
      const given = piece(1 + ((mark * 7919) % 65_536), mark);
      const copy = kept.keep(given);
      buffers.add(copy.buffer);
      held.push({ copy, given });
      while (held.length > 40) {
        held.shift();
        kept.dropOldest();
      }
      // The oldest go wrong first.
      const wrong = held.slice(0, 3).filter((one) => Buffer.compare(one.copy, one.given) !== 0);
      expect(wrong.length).toBe(0);
    }
    expect(buffers.size).toBeLessThan(16);
  });

  it("starts anew once nothing is left", () => {
    const kept = new KeptBytes();
    kept.keep(piece(10, 1));
    kept.dropOldest();
    kept.dropOldest();
    expect([...kept.keep(piece(2, 3))]).toEqual([3, 3]);
  });

  /** The buffers that pieces of a whole one each are kept in. */
  const buffersOf = (kept: KeptBytes, count: number) =>
    new Set(Array.from({ length: count }, (_, mark) => kept.keep(piece(MIB, mark)).buffer));
  const drop = (kept: KeptBytes, count: number) => {
    for (let one = 0; one < count; one += 1) kept.dropOldest();
  };

  it("uses several again that became free at once, for whoever prints next", () => {
    const [one, another] = [new KeptBytes(), new KeptBytes()];
    const first = buffersOf(one, 6);
    drop(one, 6);
    expect(buffersOf(another, 6).intersection(first).size).toBe(6);
  });

  it("keeps a few free ones at most, however many have printed", () => {
    const many = Array.from({ length: 10 }, () => new KeptBytes());
    const all = new Set(many.flatMap((one) => [...buffersOf(one, 4)]));
    for (const one of many) drop(one, 4);
    expect(all.size).toBe(40);
    expect(buffersOf(new KeptBytes(), 40).intersection(all).size).toBe(8);
  });
});
