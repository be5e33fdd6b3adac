import { describe, expect, it } from "vitest";
import { SdkTransport } from "../../../src/mcp/host/sdk-transport.ts";
import { createMemoryPair } from "../../../src/rpc/index.ts";

/** A client that answers whatever it is asked, and a server at the other end. */
function connected() {
  const [near, server] = createMemoryPair();
  const over = Promise.resolve();
  const pausing = { pause: () => near.pause(), resume: () => near.resume() };
  const transport = new SdkTransport({
    ...{ kind: near.kind, label: "server", over, receiptId: null, ...pausing },
    open: (receiver) => near.open(receiver),
    send: (text) => near.send(text),
    close: () => near.close(),
  });
  let heard = 0;
  transport.onmessage = (message) => {
    heard += 1;
    if (!("id" in message) || message.id === undefined) return;
    transport.send({ jsonrpc: "2.0", id: message.id, result: {} }).catch(() => {});
  };
  return { transport, server, heard: () => heard };
}

const ASKED = 20_000;
const settled = () => new Promise((resolve) => setTimeout(resolve, 100));

describe("a server that asks without end and reads no answer", () => {
  it("is heard no further than it reads, and all of it once it does", async () => {
    const { transport, server, heard } = connected();
    await transport.start();
    for (let id = 0; id < ASKED; id += 1) {
      void server.send(JSON.stringify({ jsonrpc: "2.0", id, method: "ping" }));
    }
    await settled();
    expect(heard()).toBeLessThan(ASKED / 2);
    let read = 0;
    server.open({
      message: () => {
        read += 1;
      },
      closed: () => {},
    });
    await expect.poll(() => read).toBe(ASKED);
    expect(heard()).toBe(ASKED);
  });

  it("is heard where it has a call to answer and has not read all of it", async () => {
    const { transport, server, heard } = connected();
    await transport.start();
    void transport.send({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
    await server.send(JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} }));
    expect(heard()).toBe(1);
  });
});
