import { describe, expect, it } from "vitest";
import { EventQueue, followEvents } from "../../../src/exec/local/event-queue.ts";
import type { ProcessEvent } from "../../../src/exec/process-event.ts";

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

describe("followEvents", () => {
  const letters = (text: string) =>
    ({ kind: "output", stream: "stdout", chunk: Buffer.from(text) }) as const;
  const textOf = (event: ProcessEvent) =>
    event.kind === "output" ? String(event.chunk) : event.kind;

  it("hands over what happens before whoever tells of it goes on", async () => {
    const queue = new EventQueue(() => {});
    const seen: string[] = [];
    const over = followEvents(queue, (event) => void seen.push(textOf(event)));
    await null;
    queue.add(letters("a"));
    expect(seen).toEqual(["a"]);
    queue.add({ kind: "closed" });
    expect(seen).toEqual(["a", "closed"]);
    await over;
  });

  it("keeps the order, and a copy of what comes while something is waited for", async () => {
    const queue = new EventQueue(() => {});
    const lent = Buffer.alloc(10);
    const print = (letter: string) => {
      lent.write(letter);
      queue.add({ kind: "output", stream: "stdout", chunk: lent.subarray(0, 1) });
    };
    print("a");
    const seen: string[] = [];
    const { promise: later, resolve: goOn } = Promise.withResolvers<void>();
    const over = followEvents(queue, (event) => {
      seen.push(`${event.seq} ${textOf(event)}`);
      return textOf(event) === "b" ? later : undefined;
    });
    await null;
    for (const letter of ["b", "c", "d"]) print(letter);
    expect(seen).toEqual(["1 a", "2 b"]);
    goOn();
    await later;
    await new Promise(setImmediate);
    print("e");
    queue.add({ kind: "closed" });
    await over;
    expect(seen).toEqual(["1 a", "2 b", "3 c", "4 d", "5 e", "6 closed"]);
  });

  it("says whether it keeps the bytes that it was lent", async () => {
    const queue = new EventQueue(() => {});
    const room = Buffer.alloc(100);
    const print = (size: number) =>
      queue.add({ kind: "output", stream: "stdout", chunk: room.subarray(0, size) });
    expect([print(50), print(51)]).toEqual([false, true]);
    const seen: ProcessEvent[] = [];
    const over = followEvents(queue, (event) => void seen.push(event));
    await new Promise(setImmediate);
    expect(print(51)).toBe(false);
    queue.add({ kind: "closed" });
    await over;
    const memory = seen.map((event) => event.kind === "output" && event.chunk.buffer);
    expect(memory.map((one) => one === room.buffer)).toEqual([false, true, true, false]);
  });

  it("holds up whoever produces while something is waited for, and not before", async () => {
    const holds: boolean[] = [];
    const queue = new EventQueue((held) => holds.push(held));
    const { promise: later, resolve: goOn } = Promise.withResolvers<void>();
    const over = followEvents(queue, ({ seq }) => (seq === 2 ? later : undefined));
    await null;
    queue.add(output(1 << 20));
    queue.add(output(1 << 20));
    expect(holds).toEqual([]);
    queue.add(output(1 << 20));
    expect(holds).toEqual([true]);
    goOn();
    await later;
    await new Promise(setImmediate);
    expect(holds).toEqual([true, false]);
    queue.add({ kind: "closed" });
    await over;
  });

  it("fails as whoever takes the events does, and whoever produces goes on", async () => {
    const queue = new EventQueue(() => {});
    const over = followEvents(queue, () => {
      throw new Error("no more");
    });
    await null;
    queue.add(output(1));
    queue.add({ kind: "closed" });
    await expect(over).rejects.toThrow("no more");
  });

  it("follows any other list of events, one after the other", async () => {
    async function* events(): AsyncGenerator<ProcessEvent> {
      yield { ...letters("a"), seq: 1 };
      yield { kind: "closed", seq: 2 };
    }
    const seen: string[] = [];
    await followEvents(events(), (event) => void seen.push(textOf(event)));
    expect(seen).toEqual(["a", "closed"]);
  });
});
