import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openOutput } from "../../../../src/sandbox/run/streams/open-pipe.ts";
import { lendOutput, ownedOf } from "../../../../src/sandbox/run/streams/output-pipe.ts";

/** What a script prints. */
function print(script: string) {
  const { inner, outer } = openOutput();
  const child = spawn("/bin/sh", ["-c", script], { stdio: ["ignore", inner, "ignore"] });
  fs.closeSync(inner);
  expect(child.pid).toBeDefined();
  return outer;
}

/** A megabyte in which no two pieces are alike. */
const NUMBERS = "seq 1 160000";
const numbers = Buffer.from(Array.from({ length: 160_000 }, (_, n) => `${n + 1}\n`).join(""));

function copiesOf(stream: Readable) {
  const copies: Buffer[] = [];
  lendOutput(stream, (bytes) => {
    copies.push(Buffer.from(bytes));
    return false;
  });
  return copies;
}

describe("what a command prints", () => {
  it("is what readers of the stream get, many at a time", async () => {
    const all = await Promise.all([1, 2, 3].map(() => buffer(print(NUMBERS))));
    for (const one of all) expect(one.equals(numbers)).toBe(true);
  });

  it("waits in the pipe for a reader who is slow", async () => {
    const stream = print(NUMBERS);
    await sleep(200);
    expect(stream.readableLength).toBeLessThan(256 << 10);
    expect((await buffer(stream)).equals(numbers)).toBe(true);
  });

  it("is lent as it is read, and what came before that first", async () => {
    const stream = print(`echo first; sleep 0.1; ${NUMBERS}`);
    await once(stream, "readable");
    const copies = copiesOf(stream);
    expect(String(Buffer.concat(copies))).toBe("first\n");
    await once(stream, "end");
    expect(Buffer.concat(copies).equals(Buffer.concat([Buffer.from("first\n"), numbers]))).toBe(
      true,
    );
  });

  it("is lent in the same buffer each time, while nobody keeps that", async () => {
    const lent = new Set<ArrayBufferLike>();
    const stream = print(NUMBERS);
    lendOutput(stream, ({ buffer: memory }) => {
      lent.add(memory);
      return false;
    });
    await once(stream, "end");
    expect(lent.size).toBe(1);
  });

  it("stays what it was where it is kept", async () => {
    const kept: Buffer[] = [];
    const stream = print(NUMBERS);
    lendOutput(stream, (bytes) => {
      const isKept = bytes.length % 2 === 0;
      kept.push(isKept ? bytes : Buffer.from(bytes));
      return isKept;
    });
    await once(stream, "end");
    expect(Buffer.concat(kept).equals(numbers)).toBe(true);
  });

  it("takes at most twice the room it needs where it is kept", () => {
    const long = ownedOf(Buffer.alloc(10).subarray(0, 6));
    const short = Buffer.alloc(10).subarray(0, 5);
    expect([long.buffer.byteLength, ownedOf(short) === short]).toEqual([10, false]);
  });

  it("is held up while the stream is paused, by whoever it is lent to as well", async () => {
    const stream = print(NUMBERS);
    const copies: Buffer[] = [];
    lendOutput(stream, (bytes) => {
      copies.push(Buffer.from(bytes));
      stream.pause();
      setImmediate(() => stream.resume());
      return false;
    });
    await once(stream, "end");
    expect(Buffer.concat(copies).equals(numbers)).toBe(true);
    const held = print(NUMBERS);
    const before = copiesOf(held);
    held.pause();
    await sleep(100);
    expect(before).toEqual([]);
    held.destroy();
  });

  it("may come from any other stream", async () => {
    const stream = Readable.from([Buffer.from("a"), Buffer.from("b")]);
    const copies = copiesOf(stream);
    await once(stream, "end");
    expect(String(Buffer.concat(copies))).toBe("ab");
  });

  it("arrives whole in whatever pieces it is printed", async () => {
    const pieces = fc.array(fc.integer({ min: 1, max: 90_000 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(pieces, fc.boolean(), async (sizes, isLent) => {
        const stream = print(sizes.map((size, n) => `yes ${n} | head -c ${size}`).join("; "));
        const copies = isLent ? copiesOf(stream) : [];
        const all = isLent ? once(stream, "end").then(() => Buffer.concat(copies)) : buffer(stream);
        const expected = sizes.map((size, n) => `${n}\n`.repeat(size).slice(0, size)).join("");
        expect(String(await all)).toBe(expected);
      }),
      { numRuns: 30 },
    );
  });
});
