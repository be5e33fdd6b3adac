import { once } from "node:events";
import { PassThrough, Writable } from "node:stream";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createLineTransport } from "../../../src/rpc/index.ts";
import { lenientDialect } from "../support/dialects.ts";
import { turn } from "../support/raw-wire.ts";
import { serveSample } from "../support/sample-protocol.ts";

const dialect = lenientDialect(() => 0);
const line = (message: unknown) => `${JSON.stringify(message)}\n`;
const hold = (name: string) => line({ id: name, method: "hold", params: { name } });

function start() {
  const output = new PassThrough();
  return { output, ...startOn(output) };
}

function startOn(output: Writable) {
  const input = new PassThrough();
  return { input, ...serveSample(createLineTransport({ input, output }), { dialect }) };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("a peer whose other side stopped writing", () => {
  it("answers every request that it had accepted, then settles", async () => {
    const { input, output, server, peer } = start();
    const names = ["a", "b", "c", "d", "e"];
    for (const name of names) input.write(hold(name));
    input.end();
    expect(await peer.closed).toMatchObject({ kind: "ended" });
    for (const name of names) server.release(name);
    let answered = "";
    output.on("data", (bytes) => (answered += bytes));
    await peer.settled;
    await once(output, "end");
    const ids = answered
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text).id);
    expect(ids).toEqual(names);
    expect(server.aborted).toEqual([]);
  });

  it("may still send notifications", async () => {
    const { input, output, server, peer } = start();
    input.write(hold("a"));
    input.end(line({ id: 2, method: "flood", params: { count: 2 } }));
    await peer.closed;
    server.release("a");
    await peer.settled;
    expect(server.sent).toBe(2);
    expect(String(output.read())).toContain('"id":2');
  });

  it("notices that also behind more calls than it lets wait", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { input, output, server, peer } = start();
    output.resume();
    input.write(hold("a"));
    const names = Array.from({ length: 300 }, (_, index) => `n${index}`);
    for (const name of names) {
      server.release(name);
      input.write(hold(name));
    }
    input.end();
    await server.begun("a");
    await turn();
    vi.advanceTimersByTime(5_000);
    expect(await peer.closed).toMatchObject({ kind: "ended" });
    await peer.settled;
    expect(server.aborted).toEqual(["a"]);
    expect(server.started).toEqual(["a", ...names]);
  });

  it("tells its handlers to stop when they take too long", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { input, server, peer } = start();
    input.write(hold("a"));
    input.end(hold("b"));
    await server.begun("a");
    await peer.closed;
    expect(server.aborted).toEqual([]);
    vi.advanceTimersByTime(5_000);
    await peer.settled;
    expect(server).toMatchObject({ aborted: ["a"], started: ["a"] });
  });

  it("settles though nobody reads its answers", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { input, peer } = startOn(new Writable({ highWaterMark: 1, write() {} }));
    input.end(line({ id: 1, method: "version" }));
    await peer.closed;
    await turn();
    vi.advanceTimersByTime(10_000);
    await peer.settled;
  });

  it("stops at once when it is closed", async () => {
    const { input, server, peer } = start();
    input.end(hold("a"));
    await peer.closed;
    await server.begun("a");
    peer.close();
    await peer.settled;
    expect(server.aborted).toEqual(["a"]);
  });
});
