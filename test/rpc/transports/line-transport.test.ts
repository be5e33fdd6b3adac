import { once } from "node:events";
import { PassThrough, Writable } from "node:stream";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type CloseReason, createLineTransport, type Incoming } from "../../../src/rpc/index.ts";
import { campaign } from "../../support/campaign.ts";
import { lenientDialect } from "../support/dialects.ts";
import { turn } from "../support/raw-wire.ts";
import { serveSample } from "../support/sample-protocol.ts";

function open(options: { maxLineBytes?: number } = {}) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport = createLineTransport({ input, output, ...options });
  const arrived: Incoming[] = [];
  const closed = Promise.withResolvers<CloseReason>();
  transport.open({ message: (one) => arrived.push(one), closed: closed.resolve });
  return { input, output, transport, arrived, closed: closed.promise };
}

const texts = (arrived: readonly Incoming[]) =>
  arrived.map((one) => (one.kind === "text" ? one.text : `malformed: ${one.reason}`));

afterEach(() => {
  vi.useRealTimers();
});

describe("createLineTransport", () => {
  it("writes what is said within one turn of the event loop as one, and waits no longer", async () => {
    const written: string[] = [];
    const output = new Writable({
      decodeStrings: false,
      write: (text, _, done) => done(void written.push(text)),
      writev: (all, done) => done(void written.push(all.map(({ chunk }) => chunk).join(""))),
    });
    const transport = createLineTransport({ input: new PassThrough(), output });
    for (const text of ["one", "two"]) void transport.send(text);
    await undefined;
    void transport.send("three");
    process.nextTick(() => void transport.send("four"));
    await turn();
    await turn();
    expect(written).toEqual(["one\ntwo\nthree\nfour\n"]);
    void transport.send("five");
    await turn();
    await turn();
    expect(written.slice(1)).toEqual(["five\n"]);
  });

  it("takes both line endings and ignores blank lines", async () => {
    const { input, arrived, closed } = open();
    input.end("one\ntwo\r\n\n\r\n  \nthree\n");
    expect(await closed).toMatchObject({ kind: "ended" });
    expect(texts(arrived)).toEqual(["one", "two", "three"]);
  });

  it("delivers a last line that has no newline", async () => {
    const { input, arrived, closed } = open();
    input.end("one\ntwo");
    await closed;
    expect(texts(arrived)).toEqual(["one", "two"]);
  });

  it("calls bytes that are not UTF-8 malformed and reads on", async () => {
    const { input, arrived, closed } = open();
    input.end(Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a, 0x61, 0x0a, 0xed, 0xa0, 0x80]));
    await closed;
    expect(arrived.map(({ kind }) => kind)).toEqual(["malformed", "text", "malformed"]);
  });

  it("ends the connection at a line over the limit, finished or not", async () => {
    for (const text of ["ok\n123456789\nafter\n", "ok\n123456789"]) {
      const { input, arrived, closed } = open({ maxLineBytes: 8 });
      input.write(text);
      expect(await closed).toEqual({ kind: "failed", reason: "a line is over the limit" });
      expect(texts(arrived)).toEqual(["ok"]);
    }
  });

  it("counts a long line over the chunks it comes in", async () => {
    const { input, closed } = open({ maxLineBytes: 8 });
    for (const piece of ["1234", "5678", "9"]) input.write(piece);
    expect(await closed).toMatchObject({ kind: "failed" });
  });

  it("takes a line of exactly the limit, however it is cut", async () => {
    const { input, arrived, closed } = open({ maxLineBytes: 8 });
    for (const piece of ["1234", "5678", "\n12", "345678\n"]) input.write(piece);
    input.end();
    await closed;
    expect(texts(arrived)).toEqual(["12345678", "12345678"]);
  });

  it("joins characters that were cut between chunks", async () => {
    const lines = fc.array(
      fc.string({ unit: "grapheme" }).filter((line) => !/[\r\n]/.test(line) && line.trim() !== ""),
    );
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 1, max: 7 }), async (wanted, size) => {
        const { input, arrived, closed } = open();
        const bytes = Buffer.from(wanted.map((line) => `${line}\n`).join(""));
        for (let at = 0; at < bytes.length; at += size) input.write(bytes.subarray(at, at + size));
        input.end();
        await closed;
        expect(texts(arrived)).toEqual(wanted);
      }),
      campaign(300),
    );
  });

  it("settles a send when the stream took the bytes", async () => {
    const gates: (() => void)[] = [];
    const output = new Writable({
      highWaterMark: 1,
      write: (_, __, done) => void gates.push(done),
    });
    const transport = createLineTransport({ input: new PassThrough(), output });
    let accepted = false;
    const sent = transport.send("text").then(() => {
      accepted = true;
    });
    await turn();
    expect(accepted).toBe(false);
    gates[0]?.();
    await sent;
  });

  it("rejects what can no longer be sent", async () => {
    const output = new Writable({ highWaterMark: 1, write() {} });
    const transport = createLineTransport({ input: new PassThrough(), output });
    const closed = Promise.withResolvers<CloseReason>();
    transport.open({ message() {}, closed: closed.resolve });
    const sent = expect(transport.send("text")).rejects.toMatchObject({ code: "closed" });
    output.destroy(new Error("EPIPE"));
    await sent;
    expect(await closed.promise).toEqual({ kind: "failed", reason: "EPIPE" });
    await expect(transport.send("more")).rejects.toMatchObject({ code: "closed" });
  });

  it("ends the output too when a line is over the limit or the input breaks", async () => {
    const long = open({ maxLineBytes: 8 });
    long.input.write("123456789");
    expect(await long.closed).toMatchObject({ kind: "failed" });
    expect([long.output.writableEnded, long.input.destroyed]).toEqual([true, true]);
    const broken = open();
    broken.input.destroy(new Error("EIO"));
    expect(await broken.closed).toEqual({ kind: "failed", reason: "EIO" });
    expect(broken.output.writableEnded).toBe(true);
  });

  it("ends the input when the output breaks", async () => {
    const { input, output, closed } = open();
    output.destroy(new Error("EPIPE"));
    expect(await closed).toMatchObject({ kind: "failed" });
    expect(input.destroyed).toBe(true);
  });

  it("lets go of what an output that nobody reads holds, after a grace", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const output = new Writable({ highWaterMark: 1, write() {} });
    const transport = createLineTransport({ input: new PassThrough(), output });
    transport.send("text").catch(() => {});
    transport.close();
    expect(output.destroyed).toBe(false);
    vi.advanceTimersByTime(2_000);
    expect(output.destroyed).toBe(true);
  });

  it("says that the connection ended when its input was over before it was opened", async () => {
    const input = new PassThrough();
    input.destroy();
    await once(input, "close");
    const transport = createLineTransport({ input, output: new PassThrough() });
    const closed = Promise.withResolvers<CloseReason>();
    transport.open({ message() {}, closed: closed.resolve });
    expect(await closed.promise).toMatchObject({ kind: "ended" });
  });

  it("answers a request that came without a newline before the input ended", async () => {
    const { input, output } = { input: new PassThrough(), output: new PassThrough() };
    serveSample(createLineTransport({ input, output }), { dialect: lenientDialect(() => 0) });
    input.end('{"id":1,"method":"version"}');
    const [line] = await once(output, "data");
    expect(JSON.parse(String(line))).toEqual({ id: 1, result: { version: 1 } });
    output.resume();
    await once(output, "end");
  });

  it("survives any bytes and answers the next good request", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    serveSample(createLineTransport({ input, output }), { dialect: lenientDialect(() => 0) });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        round += 1;
        input.write(Buffer.concat([bytes, Buffer.from(`\n{"id":${round},"method":"version"}\n`)]));
        const [line] = await once(output, "data");
        expect(JSON.parse(String(line))).toEqual({ id: round, result: { version: 1 } });
      }),
      campaign(2_000),
    );
  });
});
