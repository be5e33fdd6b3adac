/** What is sent, kept and held back while clients come and go. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, vi } from "vitest";
import type { ProcessEvent } from "../../../src/exec/index.ts";
import { readProcess } from "../../../src/exec/server/processes/read-process.ts";
import {
  type EventSink,
  SeenWrites,
  ServedProcess,
} from "../../../src/exec/server/sessions/served-process.ts";
import { JSON_LIMITS, readJson } from "../../../src/rpc/index.ts";
import { FakeProcess } from "./support/fake-process.ts";

const MIB = 1 << 20;
const BLOCK = 64 << 10;
const FOREVER = new AbortController().signal;

/** A client that confirms what it has when the test says so. */
class FakeSink implements EventSink {
  readonly sent: number[] = [];
  readonly #asked: (() => void)[] = [];

  async send(_: string, event: ProcessEvent): Promise<void> {
    this.sent.push(event.seq);
  }

  confirmed(): Promise<void> {
    return new Promise((resolve) => this.#asked.push(resolve));
  }

  async confirmAll(): Promise<void> {
    for (const one of this.#asked.splice(0)) one();
    await settle();
  }
}

async function settle(): Promise<void> {
  for (let count = 0; count < 20; count += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Prints so much, unless it is held. */
async function print(process: FakeProcess, bytes: number): Promise<number> {
  let printed = 0;
  while (printed < bytes && !process.isHeld) {
    process.print(new Uint8Array(BLOCK));
    printed += BLOCK;
    await settle();
  }
  return printed;
}

const kept = async (served: ServedProcess, afterSeq = 0) =>
  (await readProcess(served, { processId: "p", afterSeq }, FOREVER)).chunks.map(({ seq }) => seq);

/** What would have ended a wait that was answered at once. */
async function signalsOfWait(): Promise<WeakRef<AbortSignal>[]> {
  const process = new FakeProcess();
  const served = new ServedProcess(process, undefined);
  const any = vi.spyOn(AbortSignal, "any");
  const read = readProcess(served, { processId: "p", waitMs: 600_000 }, FOREVER);
  const signals = any.mock.calls.flat(2).filter((one) => one !== FOREVER);
  any.mockRestore();
  process.print("news");
  expect((await read).chunks).toHaveLength(1);
  return signals.map((one) => new WeakRef(one));
}

const upTo = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe("a process that nobody listens to", () => {
  it("is held up instead of losing what it printed first", async () => {
    const process = new FakeProcess();
    const served = new ServedProcess(process, undefined);
    const printed = await print(process, 16 * MIB);
    expect(printed).toBeGreaterThanOrEqual(2 * MIB);
    expect(printed).toBeLessThan(4 * MIB);
    expect(await kept(served)).toEqual(upTo(1, MIB / BLOCK));
  });

  it("goes on when somebody comes, with the next number", async () => {
    const process = new FakeProcess();
    const served = new ServedProcess(process, undefined);
    const printed = await print(process, 16 * MIB);
    const sink = new FakeSink();
    served.attach(sink);
    await settle();
    expect(process.isHeld).toBe(false);
    expect(sink.sent).toEqual(upTo(MIB / BLOCK + 1, printed / BLOCK));
    expect(await kept(served)).toEqual(upTo(1, printed / BLOCK));
  });

  it("is let run to its end once nobody will come back", async () => {
    const process = new FakeProcess();
    const served = new ServedProcess(process, undefined);
    await print(process, 16 * MIB);
    const over = served.drain();
    await process.terminate();
    await over;
    expect(served.output.isClosed).toBe(true);
  });

  it("is held up by very many small pieces as well", async () => {
    const process = new FakeProcess();
    const served = new ServedProcess(process, undefined);
    for (let count = 0; count < 60_000; count += 1) process.print("x");
    await settle();
    expect((await kept(served)).length).toBe(50_000);
  });
});

describe("27 a client that comes back", () => {
  it("keeps what it has not read, whatever it is sent and confirms after it", async () => {
    const process = new FakeProcess();
    const served = new ServedProcess(process, undefined);
    await print(process, 16 * MIB);
    const sink = new FakeSink();
    served.attach(sink);
    await settle();
    await print(process, 4 * MIB);
    await sink.confirmAll();
    expect((await kept(served))[0]).toBe(1);
  });

  it("lets go of it once it was read, and of nothing that it did not confirm", async () => {
    const process = new FakeProcess();
    const served = new ServedProcess(process, undefined);
    await print(process, 16 * MIB);
    const sink = new FakeSink();
    served.attach(sink);
    await settle();
    await kept(served);
    await settle();
    expect((await kept(served))[0]).toBe(1);
    await print(process, 4 * MIB);
    await sink.confirmAll();
    const left = await kept(served);
    expect(left[0]).toBeGreaterThan(1);
    expect(left.length * BLOCK).toBeLessThanOrEqual(MIB + 4 * BLOCK);
  });
});

describe("26 a wait", () => {
  it("is refused when its connection is over", async () => {
    const served = new ServedProcess(new FakeProcess(), undefined);
    const over = new AbortController();
    const read = readProcess(served, { processId: "p", waitMs: 600_000 }, over.signal);
    over.abort();
    await expect(read).rejects.toThrow("session has been resumed by another connection");
  });

  it("leaves nothing behind once it is answered, however long it might have been", async () => {
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    const signals = await signalsOfWait();
    expect(signals).toHaveLength(1);
    const left = () => {
      collect();
      return signals.filter((one) => one.deref() !== undefined);
    };
    await expect.poll(left).toEqual([]);
  });

  it("ends when a process is lost, and says so, as does what is sent", async () => {
    const lost = (async function* (): AsyncGenerator<ProcessEvent> {
      yield { kind: "output", seq: 1, stream: "stdout", chunk: Buffer.from("a") };
      throw new Error("it was lost");
    })();
    const sink = new FakeSink();
    const served = new ServedProcess(new FakeProcess("p", lost), sink);
    await served.done;
    const read = await readProcess(
      served,
      { processId: "p", afterSeq: 1, waitMs: 600_000 },
      FOREVER,
    );
    expect(read).toMatchObject({ chunks: [], exitCode: 137, closed: true, failure: "it was lost" });
    expect(sink.sent).toEqual([1, 2, 3]);
  });
});

describe("39 writes", () => {
  it("are remembered by the last 4096 names", async () => {
    const writes = new SeenWrites();
    const written: string[] = [];
    const write = (id: string) =>
      writes.once(id, async () => {
        written.push(id);
        return true;
      });
    for (let count = 0; count <= 4096; count += 1) await write(`${count}`);
    for (const id of ["1", "4096", "0"]) await write(id);
    expect(written.slice(4096)).toEqual(["4096", "0"]);
  });

  it.each([
    ["was refused", () => Promise.reject(new Error("full")), /full/],
    ["found no input", () => Promise.resolve(false), undefined],
  ])(
    "tells whoever sends a write again that it %s, and lets it be tried anew",
    async (_, first, why) => {
      const writes = new SeenWrites();
      const both = [writes.once("a", first), writes.once("a", async () => true)];
      for (const one of both) {
        if (why === undefined) expect(await one).toBe(false);
        else await expect(one).rejects.toThrow(why);
      }
      expect(await writes.once("a", async () => true)).toBe(true);
    },
  );
});

describe("a process that prints a byte at a time", () => {
  it("asks its client what it has as often as one that prints more at a time", async () => {
    const process = new FakeProcess();
    const sink = new FakeSink();
    const served = new ServedProcess(process, sink);
    for (let count = 0; count < 2000; count += 1) process.print(new Uint8Array(1));
    await settle();
    await sink.confirmAll();
    expect(served.output.confirmed).toBeGreaterThan(1000);
  });
});

describe("a client that stops reading what comes in small pieces", () => {
  it("is not sent more of them than one answer holds", async () => {
    const process = new FakeProcess();
    const sink = new FakeSink();
    const served = new ServedProcess(process, sink);
    for (let count = 0; count < 100; count += 1) process.print("x");
    await settle();
    await sink.confirmAll();
    for (let count = 0; count < 120_000 && !process.isHeld; count += 1) {
      process.print("x");
      if (count % 1000 === 0) await settle();
    }
    served.attach(undefined);
    await settle();
    const answer = await readProcess(served, { processId: "p", afterSeq: 1 }, FOREVER);
    expect(() => readJson(JSON.stringify({ id: 1, result: answer }), JSON_LIMITS)).not.toThrow();
    expect(answer.chunks.length).toBe(answer.nextSeq - 2);
  });

  it("is sent the rest once it has answered", async () => {
    const process = new FakeProcess();
    const sink = new FakeSink();
    new ServedProcess(process, sink);
    for (let count = 1; count <= 100_000; count += 1) {
      process.print("x");
      if (count % 1000 === 0) await sink.confirmAll();
    }
    process.end();
    for (let count = 0; count < 200; count += 1) await sink.confirmAll();
    expect(sink.sent).toEqual(upTo(1, 100_002));
  });

  it("44 is given what it missed in as many answers as that takes, where it never answered", async () => {
    const process = new FakeProcess();
    const served = new ServedProcess(process, new FakeSink());
    for (let count = 0; count < 70_000; count += 1) process.print("x");
    process.end(3);
    await served.done;
    const read = (afterSeq: number) => readProcess(served, { processId: "p", afterSeq }, FOREVER);
    const first = await read(0);
    expect(() => readJson(JSON.stringify({ id: 1, result: first }), JSON_LIMITS)).not.toThrow();
    expect(first).toMatchObject({ nextSeq: 60_001, exited: false, exitCode: null, closed: false });
    const rest = await read(first.nextSeq - 1);
    expect(rest.chunks.map(({ seq }) => seq)).toEqual(upTo(60_001, 70_000));
    expect(rest).toMatchObject({ nextSeq: 70_003, exitCode: 3, closed: true });
  });

  it("is sent everything where it has never answered", async () => {
    const process = new FakeProcess();
    const sink = new FakeSink();
    new ServedProcess(process, sink);
    for (let count = 1; count <= 60_000; count += 1) {
      process.print("x");
      if (count % 1000 === 0) await settle();
    }
    expect(sink.sent).toEqual(upTo(1, 60_000));
  });
});
