import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { bodyParts } from "../../../src/exec/server/http/body-parts.ts";
import { turn } from "../../rpc/support/raw-wire.ts";
import { allowed, target } from "./support/http-rig.ts";

const MIB = 1024 * 1024;
const STREAM = { streamResponse: true, requestId: "r" };

/** A server that answers with a head, and lets the test write the body. */
async function held() {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  const { url } = await target((_, response) => {
    response.flushHeaders();
    resolve(response);
  });
  return { url, response: promise };
}

/** Writes only what is taken, and counts it. */
class SlowedSource {
  readonly #response: ServerResponse;
  written = 0;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  async write(mebibytes: number): Promise<void> {
    for (const part of Array.from({ length: mebibytes * 16 }, () => Buffer.alloc(MIB / 16))) {
      if (!this.#response.write(part)) await once(this.#response, "drain");
      this.written += part.length;
    }
    this.#response.end();
  }

  /** Settles when nothing more is taken, or all of it was. */
  async stalled(): Promise<void> {
    const counts: number[] = [];
    await vi.waitUntil(
      () => {
        counts.unshift(this.written);
        return counts.length > 5 && counts.slice(0, 5).every((count) => count === counts[0]);
      },
      { interval: 30, timeout: 60_000 },
    );
  }
}

describe("89: a streamed body", () => {
  it("follows the answer part by part, numbered, and ends with an empty part", async () => {
    const { url, response } = await held();
    const rig = allowed();
    const { result } = await rig.ask({ url, ...STREAM });
    expect(result).toMatchObject({ status: 200, bodyBase64: "" });
    (await response).write("one");
    expect(await rig.delta()).toEqual({
      ...{ requestId: "r", seq: 1, deltaBase64: btoa("one"), done: false, error: null },
    });
    (await response).end("two");
    expect(await rig.delta()).toMatchObject({ seq: 2, deltaBase64: btoa("two"), done: false });
    expect(await rig.delta()).toEqual({
      ...{ requestId: "r", seq: 3, deltaBase64: "", done: true, error: null },
    });
  });

  it("comes after the answer also when it was there before it", async () => {
    const { url } = await target((_, response) => response.end("all"));
    const rig = allowed();
    expect((await rig.ask({ url, ...STREAM })).result).toMatchObject({ bodyBase64: "" });
    expect((await rig.rest()).body.toString()).toBe("all");
  });

  it("may be empty", async () => {
    const { url } = await target((_, response) => response.writeHead(204).end());
    const rig = allowed();
    await rig.ask({ url, ...STREAM });
    expect(await rig.delta()).toMatchObject({ seq: 1, deltaBase64: "", done: true, error: null });
  });

  it("may be longer than any answer, in parts of at most 1 MiB, without a gap", async () => {
    const sent = Buffer.alloc(40 * MIB, "0123456789abcdef!");
    const { url } = await target((_, response) => response.end(sent));
    const rig = allowed();
    await rig.ask({ url, ...STREAM });
    const { body, deltas, last } = await rig.rest();
    expect(body.equals(sent)).toBe(true);
    expect(deltas.map(({ seq }) => seq)).toEqual(deltas.map((_, index) => index + 1));
    expect(Math.max(...deltas.map(({ deltaBase64 }) => deltaBase64.length))).toBeLessThan(
      1.4 * MIB,
    );
    expect(last).toMatchObject({ seq: deltas.length + 1, error: null });
  });

  it("is read from its source no faster than the client reads it", {
    timeout: 120_000,
  }, async () => {
    const { url, response } = await held();
    const rig = allowed();
    await rig.ask({ url, ...STREAM });
    rig.wire.transport.pause();
    const source = new SlowedSource(await response);
    const done = source.write(64);
    await source.stalled();
    // What went out is in buffers of the kernel and of the streams.
    expect(source.written).toBeLessThan(32 * MIB);
    rig.wire.transport.resume();
    expect((await rig.rest()).body).toHaveLength(64 * MIB);
    await done;
  });
});

describe("bodyParts", () => {
  it("cuts what is longer than one message carries", async () => {
    const sent = Buffer.alloc(2 * MIB + 1, "0123456789abcdef!");
    const parts = await Readable.from(bodyParts(Readable.from([sent]))).toArray();
    expect(parts.map(({ length }) => length)).toEqual([MIB, MIB, 1]);
    expect(Buffer.concat(parts).equals(sent)).toBe(true);
  });
});

describe("90: the id of a streamed body", () => {
  const TAKEN = {
    code: -32602,
    message: "http/request streamResponse requestId `r` is already active",
  };

  it("is refused while a body under it is on its way, and free after its end", async () => {
    const { url, response } = await held();
    const rig = allowed();
    await rig.ask({ url, ...STREAM });
    expect((await rig.ask({ url, ...STREAM })).error).toEqual(TAKEN);
    expect((await rig.ask({ url: "http://127.0.0.1:1", requestId: "r" })).error?.code).toBe(-32603);
    (await response).end();
    expect(await rig.delta()).toMatchObject({ requestId: "r", seq: 1, done: true });
    expect((await rig.ask({ url, ...STREAM })).result?.status).toBe(200);
  });

  it("is free again after a request that failed", async () => {
    const rig = allowed();
    for (const _ of [1, 2]) {
      const { error } = await rig.ask({ url: "http://127.0.0.1:1", ...STREAM });
      expect(error).toEqual({ code: -32603, message: "http/request failed: connect ECONNREFUSED" });
    }
  });

  it("is free again after a body that failed", async () => {
    const { url, response } = await held();
    const rig = allowed();
    await rig.ask({ url, ...STREAM });
    (await response).destroy();
    expect(await rig.delta()).toMatchObject({ done: true });
    expect((await rig.ask({ url, ...STREAM })).result?.status).toBe(200);
  });

  it("is one of 128 at most", async () => {
    const { url } = await target((_, response) => response.flushHeaders());
    const rig = allowed();
    for (let index = 0; index < 128; index += 1) {
      const { result } = await rig.ask({ url, streamResponse: true, requestId: `${index}` });
      expect(result?.status).toBe(200);
    }
    expect((await rig.ask({ url, ...STREAM })).error).toEqual({
      code: -32600,
      message:
        "Cannot stream another body: 128 are streamed on this connection already, expected fewer",
    });
  });
});

describe("93: a streamed body that does not come to its end", () => {
  it("ends with an error when the source breaks off", async () => {
    const { url, response } = await held();
    const rig = allowed();
    await rig.ask({ url, ...STREAM });
    (await response).write("half");
    expect(await rig.delta()).toMatchObject({ seq: 1, deltaBase64: btoa("half") });
    (await response).destroy();
    expect(await rig.delta()).toEqual({
      ...{ requestId: "r", seq: 2, deltaBase64: "", done: true, error: "ECONNRESET" },
    });
  });

  it("ends with an error when its time is up", async () => {
    const { url } = await held();
    const rig = allowed();
    await rig.ask({ url, ...STREAM, timeoutMs: 1500 });
    expect(await rig.delta()).toMatchObject({ done: true, error: "it took longer than 1500 ms" });
  });

  it("never ends short without saying so when its time is up before it is read", async () => {
    const { url, response } = await held();
    const rig = allowed();
    await rig.ask({ url, ...STREAM, timeoutMs: 1500 });
    rig.wire.transport.pause();
    (await response).write("first");
    await turn();
    (await response).end(Buffer.alloc(MIB / 32));
    await new Promise((resolve) => setTimeout(resolve, 2000));
    rig.wire.transport.resume();
    const { body, last } = await rig.rest();
    if (last.error === null) expect(body).toHaveLength("first".length + MIB / 32);
    else expect(last.error).toBe("it took longer than 1500 ms");
  });

  it("is not begun when the client leaves with the answer in its hands", async () => {
    const { url, response } = await held();
    const rig = allowed();
    const answered = rig.ask({ url, ...STREAM }).then(() => rig.wire.transport.close());
    const closed = once(await response, "close");
    await answered;
    await closed;
    await turn();
    expect(rig.faults).toEqual([]);
  });

  it("is no longer read when the client leaves", async () => {
    const { url, response } = await held();
    const rig = allowed();
    await rig.ask({ url, ...STREAM });
    const closed = once(await response, "close");
    rig.wire.transport.close();
    await closed;
    await turn();
    expect(rig.faults).toEqual([]);
  });

  it("is not begun when the client leaves before the answer", async () => {
    const left = Promise.withResolvers<unknown>();
    const { url } = await target((request) => {
      left.resolve(once(request.socket, "close"));
      rig.wire.transport.close();
    });
    const rig = allowed();
    await rig.send({ url, ...STREAM });
    await left.promise;
    await rig.peer.settled;
    expect(rig.wire.unread).toBe(0);
    expect(rig.faults).toEqual([]);
  });
});
