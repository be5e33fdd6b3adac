/** What becomes of output that nobody takes. */
import { describe, expect, it } from "vitest";
import { FlowGate } from "../../../src/exec/remote/link/flow-gate.ts";
import { UnreadEvents } from "../../../src/exec/remote/processes/unread-events.ts";
import { createMemoryPair, type Transport } from "../../../src/rpc/index.ts";
import { collected } from "../contract/support/collected.ts";
import { aRequest, executorOf } from "./support/fake-executor.ts";
import { type FakeConnection, FakeServer } from "./support/fake-server.ts";

const CHUNK = Buffer.alloc(256 << 10, 120).toString("base64");
const MEBIBYTE = 1 << 20;

function print(connection: FakeConnection, processId: string, seq: number): void {
  const params = { processId, seq, stream: "stdout", chunk: CHUNK };
  connection.send({ method: "process/output", params });
}

/** A server that starts anything, and a look at whether its connection is held. */
function slowServer() {
  const server = new FakeServer();
  server.on("process/start", ({ params: { processId } }) => ({
    result: { processId, sandboxType: "none" },
  }));
  let isHeld = false;
  const { connect } = server;
  const watched = async (signal: AbortSignal): Promise<Transport> => {
    const transport = await connect(signal);
    const { pause, resume } = transport;
    transport.pause = () => {
      isHeld = true;
      pause.call(transport);
    };
    transport.resume = () => {
      isHeld = false;
      resume.call(transport);
    };
    return transport;
  };
  return { server, connect: watched, isHeld: () => isHeld };
}

describe("output that is not read", () => {
  it("holds the connection once it is a mebibyte, until it is read", async () => {
    const { server, connect, isHeld } = slowServer();
    const executor = await executorOf(server, { connect });
    const process = await executor.start(aRequest());
    const [connection] = server.connections;
    if (connection === undefined) throw new Error("nobody has connected");
    for (let seq = 1; seq <= 40; seq += 1) print(connection, "p1", seq);
    connection.exited("p1", 41, 0, false);
    connection.closed("p1", 42);
    await expect.poll(isHeld).toBe(true);
    const { stdout } = await collected(process);
    expect(stdout).toHaveLength(10 * MEBIBYTE);
    expect(isHeld()).toBe(false);
  });

  it("does not hold it while another process is waited for", async () => {
    const { server, connect, isHeld } = slowServer();
    const executor = await executorOf(server, { connect });
    const unread = await executor.start(aRequest());
    const other = await executor.start(aRequest({ processId: "p2" }));
    const waiting = collected(other);
    const [connection] = server.connections;
    if (connection === undefined) throw new Error("nobody has connected");
    for (let seq = 1; seq <= 40; seq += 1) print(connection, "p1", seq);
    connection.exited("p2", 1, 4, false);
    connection.closed("p2", 2);
    expect((await waiting).exit.exitCode).toBe(4);
    await expect.poll(isHeld).toBe(true);
    connection.exited("p1", 41, 0, false);
    connection.closed("p1", 42);
    expect((await collected(unread)).stdout).toHaveLength(10 * MEBIBYTE);
  });

  it("does not hold up an answer", async () => {
    const { server, connect, isHeld } = slowServer();
    const executor = await executorOf(server, { connect });
    const process = await executor.start(aRequest());
    const [connection] = server.connections;
    if (connection === undefined) throw new Error("nobody has connected");
    for (let seq = 1; seq <= 40; seq += 1) print(connection, "p1", seq);
    await expect.poll(isHeld).toBe(true);
    expect(await process.terminate()).toBe(true);
  });

  it("fails its process past 64 MiB where others need the connection, and no other", async () => {
    const { server, connect } = slowServer();
    const executor = await executorOf(server, { connect });
    const unread = await executor.start(aRequest());
    const other = await executor.start(aRequest({ processId: "p2" }));
    const waiting = collected(other);
    const [connection] = server.connections;
    if (connection === undefined) throw new Error("nobody has connected");
    for (let seq = 1; seq <= 300; seq += 1) print(connection, "p1", seq);
    connection.exited("p2", 1, 4, false);
    connection.closed("p2", 2);
    expect((await waiting).exit.exitCode).toBe(4);
    let bytes = 0;
    const read = (async () => {
      for await (const event of unread.events) {
        if (event.kind === "output") bytes += event.chunk.length;
      }
    })();
    await expect(read).rejects.toMatchObject({ code: "lostOutput" });
    expect(bytes).toBe(64 * MEBIBYTE);
    expect(server.paramsOf("process/terminate")).toEqual([{ processId: "p1" }]);
  });

  it("is not kept for a reader who has left", async () => {
    const { server, connect, isHeld } = slowServer();
    const executor = await executorOf(server, { connect });
    const process = await executor.start(aRequest());
    const [connection] = server.connections;
    if (connection === undefined) throw new Error("nobody has connected");
    print(connection, "p1", 1);
    for await (const _ of process.events) break;
    for (let seq = 2; seq <= 300; seq += 1) print(connection, "p1", seq);
    connection.exited("p1", 301, 0, false);
    connection.closed("p1", 302);
    expect(await process.receipt).toBeUndefined();
    expect(isHeld()).toBe(false);
  });
});

describe("a connection that is over before anybody speaks", () => {
  it("is told as such", async () => {
    const [client, server] = createMemoryPair();
    server.close();
    const connecting = executorOf(new FakeServer(), { connect: async () => client });
    await expect(connecting).rejects.toMatchObject({ code: "disconnected" });
  });
});

it("of single bytes takes as much room as it costs, also while another process is waited for", () => {
  const events = new UnreadEvents(new FlowGate(), async () => false);
  const chunk = new Uint8Array(1);
  let taken = 0;
  while (taken < 1_000_000) {
    if (!events.add({ kind: "output", seq: taken + 1, stream: "stdout", chunk })) break;
    taken += 1;
  }
  expect(taken).toBeLessThan(500_000);
});
