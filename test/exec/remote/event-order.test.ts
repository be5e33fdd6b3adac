import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventOrder } from "../../../src/exec/remote/processes/event-order.ts";
import type { RemoteEvent } from "../../../src/exec/remote/processes/remote-event.ts";
import { campaign } from "../../support/campaign.ts";

function output(seq: number, bytes = 1): RemoteEvent {
  return { kind: "output", seq, stream: "stdout", chunk: new Uint8Array(bytes) };
}

function seqsOf(given: readonly RemoteEvent[] | "overfull"): readonly number[] {
  return given === "overfull" ? [] : given.map(({ seq }) => seq);
}

describe("the order of events", () => {
  it("gives out every number once and in order, however they come and come again", () => {
    const shuffled = fc.integer({ min: 1, max: 60 }).chain((count) =>
      fc.array(fc.integer({ min: 1, max: count }), { maxLength: 60 }).chain((again) =>
        fc.shuffledSubarray([...Array.from({ length: count }, (_, i) => i + 1), ...again], {
          minLength: count + again.length,
        }),
      ),
    );
    fc.assert(
      fc.property(shuffled, (seqs) => {
        const order = new EventOrder();
        const given = seqs.flatMap((seq) => seqsOf(order.add(output(seq))));
        const count = Math.max(...seqs);
        expect(given).toEqual(Array.from({ length: count }, (_, i) => i + 1));
        expect(order.hasGap).toBe(false);
        expect(order.lastSeq).toBe(count);
      }),
      campaign(1000) as fc.Parameters<[number[]]>,
    );
  });

  it("knows of a gap until it is filled", () => {
    const order = new EventOrder();
    expect(seqsOf(order.add(output(2)))).toEqual([]);
    expect(order.hasGap).toBe(true);
    expect(seqsOf(order.add(output(1)))).toEqual([1, 2]);
    expect(order.hasGap).toBe(false);
  });

  it.each([
    ["256 events", 1, 256],
    ["a mebibyte", 1 << 18, 4],
  ])("keeps %s that are early, and then the latest of them", (_, bytes, room) => {
    const order = new EventOrder();
    for (let seq = 2; seq < 2 + room; seq += 1) {
      expect(order.add(output(seq, bytes))).toEqual([]);
    }
    expect(order.add(output(2 + room, bytes))).toBe("overfull");
    expect(seqsOf(order.add(output(1)))).toEqual([1]);
    expect(seqsOf(order.add(output(2)))).toHaveLength(room + 1);
  });

  it("knows of the exit once it was given out", () => {
    const order = new EventOrder();
    order.add({ kind: "exited", seq: 2, exit: { exitCode: 0, sandboxDenied: false } });
    expect(order.hasExit).toBe(false);
    order.add(output(1));
    expect(order.hasExit).toBe(true);
  });
});
