import { describe, expect, it } from "vitest";
import { RetainedOutput } from "../../../src/exec/server/sessions/retained-output.ts";

const limits = { bytes: 10, chunks: 5, inFlightBytes: 30, inFlightChunks: 12, readChunks: 12 };

function fill(output: RetainedOutput, sizes: readonly number[], from = 1): void {
  sizes.forEach((size, index) => {
    const chunk = new Uint8Array(size);
    output.add({ kind: "output", seq: from + index, stream: "stdout", chunk });
  });
}

const numbers = (output: RetainedOutput) =>
  output.after(0, Number.POSITIVE_INFINITY).map(({ seq }) => seq);

describe("RetainedOutput", () => {
  it("47 drops the oldest that the client has once there is too much", () => {
    const output = new RetainedOutput(limits);
    output.confirm(99);
    fill(output, [4, 4, 4, 4]);
    expect(numbers(output)).toEqual([3, 4]);
    expect(output.nextSeq).toBe(5);
  });

  it("47 drops the oldest once there are too many chunks", () => {
    const output = new RetainedOutput(limits);
    output.confirm(99);
    fill(output, [1, 1, 1, 1, 1, 1, 1]);
    expect(numbers(output)).toEqual([3, 4, 5, 6, 7]);
  });

  it("46 keeps what it has when it is closed, in as much room as that takes, and drops it as before", () => {
    const output = new RetainedOutput(limits);
    for (const [index, text] of ["lost", "one", "two", "three"].entries()) {
      const chunk = Buffer.from(text);
      output.add({ kind: "output", seq: index + 1, stream: "stdout", chunk });
    }
    output.confirm(1);
    output.add({ kind: "closed", seq: 5 });
    const kept = output.after(0, Number.POSITIVE_INFINITY);
    expect(kept.map(({ seq, chunk }) => [seq, String(chunk)])).toEqual([
      [2, "one"],
      [3, "two"],
      [4, "three"],
    ]);
    expect(new Set(kept.map(({ chunk }) => chunk.buffer.byteLength))).toEqual(new Set([11]));
    output.confirm(4);
    expect(numbers(output)).toEqual([3, 4]);
  });

  it("27 keeps what the client may lack, beyond the bound for what it has", () => {
    const output = new RetainedOutput(limits);
    output.confirm(1);
    fill(output, [4, 4, 4, 4, 4]);
    expect(numbers(output)).toEqual([2, 3, 4, 5]);
    expect(output.isFull).toBe(true);
    output.confirm(5);
    expect(numbers(output)).toEqual([4, 5]);
    expect(output.isFull).toBe(false);
  });

  it("does not grow beyond what can be on its way", () => {
    const output = new RetainedOutput(limits);
    fill(
      output,
      Array.from({ length: 20 }, () => 4),
    );
    expect(numbers(output).length).toBe(7);
    expect(numbers(output).at(-1)).toBe(20);
  });

  it("keeps a chunk that is larger than everything", () => {
    const output = new RetainedOutput(limits);
    output.confirm(99);
    fill(output, [1, 100]);
    expect(numbers(output)).toEqual([2]);
  });

  it("44 gives at least one chunk, and stops before one too many", () => {
    const output = new RetainedOutput({ ...limits, bytes: 100 });
    fill(output, [5, 5, 5]);
    expect(output.after(0, 0).map(({ seq }) => seq)).toEqual([1]);
    expect(output.after(0, 9).map(({ seq }) => seq)).toEqual([1]);
    expect(output.after(0, 10).map(({ seq }) => seq)).toEqual([1, 2]);
    expect(output.after(2, 100).map(({ seq }) => seq)).toEqual([3]);
    expect(output.after(3, 100)).toEqual([]);
    expect(output.has(2)).toBe(true);
    expect(output.has(3)).toBe(false);
  });

  it("gives no more chunks at a time than an answer holds", () => {
    const output = new RetainedOutput({ ...limits, readChunks: 3 });
    fill(output, [1, 1, 1, 1, 1]);
    expect(output.after(0, 100).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(output.after(3, 100).map(({ seq }) => seq)).toEqual([4, 5]);
  });

  it("finds its way after thousands were dropped", () => {
    const output = new RetainedOutput(limits);
    output.confirm(Number.MAX_SAFE_INTEGER);
    fill(
      output,
      Array.from({ length: 10_000 }, () => 3),
    );
    expect(numbers(output)).toEqual([9998, 9999, 10_000]);
  });

  it("47 keeps no more small chunks for a client that never confirms than can be on their way", () => {
    const output = new RetainedOutput(limits);
    fill(
      output,
      Array.from({ length: 20 }, () => 1),
    );
    expect(numbers(output)).toEqual([9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
  });

  it("takes no more room than it has bytes where the client confirms after the end", () => {
    const output = new RetainedOutput(limits);
    fill(output, [4, 4, 4, 4, 4]);
    output.add({ kind: "closed", seq: 6 });
    expect(numbers(output)).toEqual([1, 2, 3, 4, 5]);
    output.confirm(6);
    const rooms = new Set(output.after(0, 100).map(({ chunk }) => chunk.buffer.byteLength));
    expect(numbers(output)).toEqual([4, 5]);
    expect([...rooms]).toEqual([8]);
  });
});
