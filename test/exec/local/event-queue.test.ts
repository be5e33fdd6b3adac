import { describe, expect, it } from "vitest";
import { EventQueue } from "../../../src/exec/local/event-queue.ts";

const output = (size: number) =>
  ({ kind: "output", stream: "stdout", chunk: new Uint8Array(size) }) as const;

describe("EventQueue", () => {
  it("30 numbers what happens from 1 on, without a gap, in the order it happened", async () => {
    const queue = new EventQueue(() => {});
    queue.add(output(1));
    queue.add({ kind: "exited", exit: { exitCode: 0, sandboxDenied: false } });
    queue.add(output(1));
    queue.add({ kind: "closed" });
    const seen: string[] = [];
    for await (const { kind, seq } of queue) seen.push(`${kind} ${seq}`);
    expect(seen).toEqual(["output 1", "exited 2", "output 3", "closed 4"]);
  });

  it("waits for what has not happened yet", async () => {
    const queue = new EventQueue(() => {});
    setImmediate(() => queue.add(output(1)));
    setTimeout(() => queue.add({ kind: "closed" }), 5);
    const seen: string[] = [];
    for await (const { kind } of queue) seen.push(kind);
    expect(seen).toEqual(["output", "closed"]);
  });

  it("holds up whoever produces until the reader has caught up", async () => {
    const holds: boolean[] = [];
    const queue = new EventQueue((held) => holds.push(held));
    const reader = queue[Symbol.asyncIterator]();
    queue.add(output((1 << 20) - 1));
    expect(holds).toEqual([]);
    queue.add(output(1));
    expect(holds).toEqual([true]);
    await reader.next();
    expect(holds).toEqual([true, false]);
  });
});
