/** Events that come twice, early, or not at all. */
import { describe, expect, it } from "vitest";
import { collected } from "../contract/support/collected.ts";
import { aRequest, executorOf } from "./support/fake-executor.ts";
import { type Answer, type FakeConnection, FakeServer, readAnswer } from "./support/fake-server.ts";

/** A server that tells the events of a process and answers its start, in the order given. */
function serverTelling(
  tell: (connection: FakeConnection) => void,
  order: "before the answer" | "after the answer" = "after the answer",
): FakeServer {
  const server = new FakeServer();
  server.on("process/start", ({ id, params: { processId } }, connection) => {
    if (order === "before the answer") tell(connection);
    connection.send({ id, result: { processId, sandboxType: "none" } });
    if (order === "after the answer") tell(connection);
    return undefined;
  });
  return server;
}

function chunk(seq: number, text: string): object {
  return { seq, stream: "stdout", chunk: Buffer.from(text).toString("base64") };
}

async function runOn(server: FakeServer) {
  const executor = await executorOf(server);
  return collected(await executor.start(aRequest()));
}

describe("events", () => {
  it.each(["before the answer", "after the answer"] as const)(
    "are heard %s to the start",
    async (order) => {
      const server = serverTelling((connection) => {
        connection.output("p1", 1, "a");
        connection.exited("p1", 2, 5, false);
        connection.closed("p1", 3);
      }, order);
      expect(await runOn(server)).toMatchObject({ stdout: "a", exit: { exitCode: 5 } });
      expect(server.methods).not.toContain("process/read");
    },
  );

  it("are put in order and heard once", async () => {
    const server = serverTelling((connection) => {
      connection.closed("p1", 5);
      connection.output("p1", 2, "b");
      connection.output("p1", 2, "b");
      connection.exited("p1", 4, 0, false);
      connection.output("p1", 1, "a");
      connection.output("p1", 1, "a");
      connection.output("p1", 3, "c");
    });
    expect((await runOn(server)).stdout).toBe("abc");
  });

  it("of others and of nobody are passed over", async () => {
    const server = serverTelling((connection) => {
      connection.output("p2", 1, "other");
      connection.send({ method: "process/news", params: { processId: "p1" } });
      connection.exited("p1", 1, 0, false);
      connection.closed("p1", 2);
    });
    expect((await runOn(server)).stdout).toBe("");
  });

  it("are not disturbed by an answer that comes twice", async () => {
    const server = serverTelling((connection) => {
      const { id } = server.asked.at(-1) ?? {};
      connection.send({ id, result: { processId: "p1", sandboxType: "none" } });
      connection.send({ id, error: { code: -32600, message: "again" } });
      connection.exited("p1", 1, 0, false);
      connection.closed("p1", 2);
    });
    expect((await runOn(server)).exit.exitCode).toBe(0);
    expect(server.connections).toHaveLength(1);
  });
});

describe("a hole", () => {
  const withHole = () =>
    serverTelling((connection) => {
      connection.output("p1", 1, "a");
      connection.output("p1", 3, "c");
      connection.exited("p1", 4, 0, false);
      connection.closed("p1", 5);
    });

  it("is filled from what the server retains", async () => {
    const server = withHole();
    const chunks = [chunk(2, "b"), chunk(3, "c")];
    const over = { nextSeq: 6, exited: true, exitCode: 0, closed: true };
    server.on("process/read", () => readAnswer({ chunks, ...over }));
    expect((await runOn(server)).stdout).toBe("abc");
    expect(server.paramsOf("process/read")).toEqual([
      { processId: "p1", afterSeq: 1, maxBytes: null, waitMs: 0 },
    ]);
  });

  const LOST: readonly (readonly [string, Answer])[] = [
    ["is not retained", readAnswer({ chunks: [chunk(3, "c")], nextSeq: 4 })],
    ["is denied", readAnswer({ nextSeq: 2 })],
    ["is unknown", { error: { code: -32600, message: "unknown process id p1" } }],
    ["cannot be asked for", { error: { code: -32601, message: "what?" } }],
    ["is no answer", { result: { chunks: "none" } }],
  ];
  it.each(LOST)("that %s ends the process and tells its reader", async (_, answer) => {
    const server = withHole();
    server.on("process/read", () => answer);
    const executor = await executorOf(server);
    const process = await executor.start(aRequest());
    const texts: string[] = [];
    const read = (async () => {
      for await (const event of process.events) {
        if (event.kind === "output") texts.push(Buffer.from(event.chunk).toString());
      }
    })();
    await expect(read).rejects.toMatchObject({ code: "lostOutput" });
    expect(texts).toEqual(["a"]);
    await expect(process.receipt).rejects.toMatchObject({ code: "lostOutput" });
    await expect.poll(() => server.methods).toContain("process/terminate");
  });

  it("is asked for at once when more comes early than is kept", async () => {
    const server = serverTelling((connection) => {
      for (let seq = 2; seq < 400; seq += 1) connection.output("p1", seq, ".");
    });
    server.on("process/read", (_, connection) => {
      const chunks = Array.from({ length: 399 }, (_, i) => chunk(i + 1, "."));
      connection.exited("p1", 400, 0, false);
      connection.closed("p1", 401);
      return readAnswer({ chunks, nextSeq: 400 });
    });
    expect((await runOn(server)).stdout).toBe(".".repeat(399));
  });

  it("is filled by as many answers as it takes", async () => {
    const all = 60_002;
    const server = serverTelling((connection) => connection.output("p1", 2, "."));
    server.on("process/read", ({ params: { afterSeq } }) => {
      const from = Number(afterSeq) + 1;
      const chunks = Array.from({ length: Math.min(60_000, all + 1 - from) }, (_, i) =>
        chunk(from + i, "."),
      );
      const over = { nextSeq: all + 3, exited: true, exitCode: 0, closed: true };
      return readAnswer({ chunks, ...(from === 1 ? { nextSeq: 60_001 } : over) });
    });
    expect((await runOn(server)).stdout).toHaveLength(all);
    expect(server.paramsOf("process/read")).toHaveLength(2);
  });

  it("of bytes that are none is a hole as well", async () => {
    const server = serverTelling((connection) => {
      const params = { processId: "p1", seq: 1, stream: "stdout", chunk: "*" };
      connection.send({ method: "process/output", params });
    });
    await expect(runOn(server)).rejects.toMatchObject({ code: "lostOutput" });
  });
});

describe("an exit that does not say whether it was a denial", () => {
  const silent = () =>
    serverTelling((connection) => {
      connection.exited("p1", 1, 1);
      connection.closed("p1", 2);
    });

  it.each([true, false])("is asked about: %s", async (sandboxDenied) => {
    const server = silent();
    server.on("process/read", () =>
      readAnswer({ nextSeq: 3, exited: true, exitCode: 1, sandboxDenied }),
    );
    expect((await runOn(server)).exit).toEqual({ exitCode: 1, sandboxDenied });
  });

  it("keeps its code where nobody knows", async () => {
    expect((await runOn(silent())).exit).toEqual({ exitCode: 1, sandboxDenied: false });
  });
});
