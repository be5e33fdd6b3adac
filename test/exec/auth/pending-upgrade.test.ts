import { once } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import type { ListenOptions, Transport } from "../../../src/rpc/index.ts";
import { RawWire } from "../../rpc/support/raw-wire.ts";
import { answerTo, listen, upgradeLines, writeRequest } from "./support/upgrade.ts";

type Verdict = Awaited<ReturnType<NonNullable<ListenOptions["authorize"]>>>;

/** A listener that decides when it is told to. */
async function undecided() {
  const asked = Promise.withResolvers<void>();
  const verdict = Promise.withResolvers<Verdict>();
  const accepted = Promise.withResolvers<Transport>();
  const accept = vi.fn(accepted.resolve);
  const left = Promise.withResolvers<void>();
  const listener = await listen({
    accept,
    authorize: ({ socket }) => {
      socket.once("close", () => left.resolve());
      asked.resolve();
      return verdict.promise;
    },
  });
  return {
    listener,
    asked: asked.promise,
    verdict,
    accept,
    accepted: accepted.promise,
    left: left.promise,
  };
}

/** One masked text frame. */
const FRAME = Buffer.from([0x81, 0x82, 0, 0, 0, 0, ...Buffer.from("hi")]);

describe("an upgrade that is not decided yet", () => {
  it("is not served, and loses nothing of what was sent meanwhile", async () => {
    const { listener, asked, verdict, accept, accepted } = await undecided();
    const socket = writeRequest(listener, upgradeLines());
    socket.write(FRAME);
    await asked;
    await new Promise((resolve) => socket.write(FRAME, resolve));
    expect(socket.bytesRead).toBe(0);
    expect(accept).not.toHaveBeenCalled();
    verdict.resolve({ kind: "ok" });
    const wire = new RawWire(await accepted);
    expect([await wire.nextText(), await wire.nextText()]).toEqual(["hi", "hi"]);
  });

  it("is answered with the refusal it gets in the end", async () => {
    const { listener, verdict } = await undecided();
    const answer = answerTo(listener, upgradeLines());
    verdict.resolve({ kind: "refused", body: "no" });
    expect(await answer).toEqual({ status: 401, body: "no" });
  });

  it("is refused when the decision fails", async () => {
    const { listener, asked, verdict, accept } = await undecided();
    const answer = answerTo(listener, upgradeLines());
    await asked;
    verdict.reject(new Error("no key"));
    expect(await answer).toEqual({ status: 500, body: "" });
    expect(accept).not.toHaveBeenCalled();
  });

  it("is forgotten when the client resets the connection, and the next one is served", async () => {
    const { listener, asked, verdict, left } = await undecided();
    const socket = writeRequest(listener, upgradeLines());
    await asked;
    socket.resetAndDestroy();
    await left;
    verdict.resolve({ kind: "ok" });
    expect(await answerTo(listener, upgradeLines())).toEqual({ status: 101, body: "" });
  });

  it("becomes a connection like any other, which the listener takes leave of", async () => {
    const { listener, verdict, accepted } = await undecided();
    const socket = new WebSocket(listener.address);
    verdict.resolve({ kind: "ok" });
    new RawWire(await accepted);
    await once(socket, "open");
    const over = once(socket, "close");
    await listener.close();
    expect(await over).toEqual([1005, Buffer.alloc(0)]);
  });

  it("does not outlive the listener", async () => {
    const { listener, asked, verdict, accept } = await undecided();
    const socket = writeRequest(listener, upgradeLines());
    await asked;
    const over = once(socket, "close");
    await listener.close();
    await over;
    verdict.resolve({ kind: "ok" });
    await new Promise((resolve) => setImmediate(resolve));
    expect(accept).not.toHaveBeenCalled();
  });
});
