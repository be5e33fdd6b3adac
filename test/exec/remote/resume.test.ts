/** Spec 1.4: how a session is taken up again, and what becomes of what was under way. */
import { describe, expect, it } from "vitest";
import { collected } from "../contract/support/collected.ts";
import { aRequest, CWD, executorOf, SANDBOXED, WAIVED } from "./support/fake-executor.ts";
import { ENFORCING, FakeServer, PROMISE, readAnswer } from "./support/fake-server.ts";

const QUICK = { times: { retryMs: 1, budgetMs: 500 } };
const PATIENT = { times: { retryMs: 1, budgetMs: 60_000 } };
const AT = { path: CWD, links: "follow", sandbox: WAIVED, anchor: null } as const;

function startingServer(introduction: object = ENFORCING): FakeServer {
  const server = new FakeServer(introduction);
  server.on("process/start", ({ params: { processId } }) => ({
    result: { processId, sandboxType: "none" },
  }));
  server.on("process/read", () => readAnswer());
  return server;
}

describe("a session", () => {
  it("is asked for by its name, and what came meanwhile is read", async () => {
    const server = startingServer();
    const process = await (await executorOf(server)).start(aRequest());
    server.connections[0]?.output("p1", 1, "a");
    const iterator = process.events[Symbol.asyncIterator]();
    await iterator.next();
    server.on("process/read", () =>
      readAnswer({
        chunks: [{ seq: 2, stream: "stderr", chunk: "Yg==" }],
        nextSeq: 5,
        exited: true,
        exitCode: 9,
        closed: true,
        sandboxDenied: true,
      }),
    );
    server.connections[0]?.drop();
    const rest = [await iterator.next(), await iterator.next(), await iterator.next()];
    expect(rest.map(({ value }) => value)).toEqual([
      { kind: "output", seq: 2, stream: "stderr", chunk: Buffer.from("b") },
      { kind: "exited", seq: 3, exit: { exitCode: 9, sandboxDenied: true } },
      { kind: "closed", seq: 4 },
    ]);
    expect(server.paramsOf("initialize")).toEqual([
      { clientName: "writ-test", resumeSessionId: null },
      { clientName: "writ-test", resumeSessionId: "session-1" },
    ]);
    expect(server.methods.slice(-3)).toEqual(["initialize", "initialized", "process/read"]);
    expect(server.paramsOf("process/read")).toEqual([
      { processId: "p1", afterSeq: 1, maxBytes: null, waitMs: 0 },
    ]);
  });

  it("that is attached elsewhere is asked for again", async () => {
    const server = startingServer();
    const executor = await executorOf(server, PATIENT);
    let refusals = 3;
    server.on("initialize", () => {
      refusals -= 1;
      return refusals > 0
        ? { error: { code: -32010, message: "session session-1 is already attached" } }
        : { result: { sessionId: "session-1", ...ENFORCING } };
    });
    server.connections[0]?.drop();
    await expect(executor.start(aRequest())).resolves.toBeDefined();
    expect(server.connections).toHaveLength(4);
  });

  it.each([
    [
      "is not known",
      { error: { code: -32600, message: "unknown session id session-1" } },
      "disconnected",
    ],
    ["has another name", { result: { sessionId: "session-2", ...ENFORCING } }, "untrustedServer"],
    [
      "is one of a server that shows less",
      { result: { sessionId: "session-1" } },
      "untrustedServer",
    ],
  ] as const)("that %s is over, and so is all in it", async (_, answer, code) => {
    const server = startingServer();
    const executor = await executorOf(server);
    const process = await executor.start(aRequest());
    server.on("initialize", () => answer);
    server.connections[0]?.drop();
    await expect(collected(process)).rejects.toMatchObject({ code });
    await expect(process.receipt).rejects.toMatchObject({ code });
    await expect(executor.start(aRequest({ processId: "p2" }))).rejects.toMatchObject({ code });
    await expect(process.write(Buffer.from("x"))).rejects.toMatchObject({ code });
    expect(server.connections).toHaveLength(2);
  });

  it("is not taken up on another executor of ours", async () => {
    const server = startingServer({ writ: PROMISE });
    const process = await (await executorOf(server)).start(aRequest());
    server.on("initialize", () => ({
      result: { sessionId: "session-1", writ: { ...PROMISE, executorId: "other" } },
    }));
    server.connections[0]?.drop();
    await expect(collected(process)).rejects.toMatchObject({ code: "untrustedServer" });
  });

  it("is given up after its time, with every process", async () => {
    const server = startingServer();
    const executor = await executorOf(server, QUICK);
    const processes = [aRequest(), aRequest({ processId: "p2" })].map((one) => executor.start(one));
    const started = await Promise.all(processes);
    server.isReachable = false;
    server.connections[0]?.drop();
    for (const process of started) {
      await expect(collected(process)).rejects.toMatchObject({ code: "disconnected" });
    }
  });

  it("that was closed here is not taken up", async () => {
    const server = startingServer();
    const executor = await executorOf(server);
    const process = await executor.start(aRequest());
    await executor.close();
    await expect(collected(process)).rejects.toMatchObject({ code: "disconnected" });
    expect(server.connections).toHaveLength(1);
    expect(server.methods.at(-1)).toBe("process/terminate");
  });
});

describe("a start whose answer is lost", () => {
  function losingServer(introduction: object = ENFORCING): FakeServer {
    const server = startingServer(introduction);
    server.on("process/start", (_, connection) => {
      connection.drop();
      return undefined;
    });
    return server;
  }

  it("is asked about and never sent again", async () => {
    const server = losingServer();
    server.on("process/read", () =>
      readAnswer({ nextSeq: 3, exited: true, exitCode: 6, closed: true }),
    );
    const process = await (await executorOf(server)).start(aRequest());
    expect((await collected(process)).exit.exitCode).toBe(6);
    expect(server.paramsOf("process/start")).toHaveLength(1);
  });

  it("is asked about until it has started", async () => {
    const server = losingServer();
    let asked = 0;
    server.on("process/read", () => {
      asked += 1;
      if (asked < 3) return { error: { code: -32600, message: "process id p1 is starting" } };
      return readAnswer({ nextSeq: 3, exited: true, exitCode: 0, closed: true });
    });
    const process = await (await executorOf(server)).start(aRequest());
    expect((await collected(process)).exit.exitCode).toBe(0);
  });

  it("is not known to have happened where the server does not know it", async () => {
    const server = losingServer();
    server.on("process/read", () => ({
      error: { code: -32600, message: "unknown process id p1" },
    }));
    const executor = await executorOf(server);
    await expect(executor.start(aRequest())).rejects.toMatchObject({
      code: "disconnected",
      message: expect.stringContaining("not known to have happened"),
    });
    expect(server.paramsOf("process/start")).toHaveLength(1);
    await expect.poll(() => server.methods).toContain("process/terminate");
  });

  it("is ended where nobody can say how it is confined", async () => {
    const server = losingServer();
    const executor = await executorOf(server);
    await expect(executor.start(aRequest({ sandbox: SANDBOXED }))).rejects.toMatchObject({
      code: "disconnected",
      field: "sandbox",
    });
    await expect.poll(() => server.methods).toContain("process/terminate");
  });

  it("is confined as promised where one of ours has started it", async () => {
    const environmentInfo = { ...ENFORCING.environmentInfo, platformOs: "linux" };
    const server = losingServer({ writ: PROMISE, environmentInfo });
    const process = await (await executorOf(server)).start(aRequest({ sandbox: SANDBOXED }));
    expect(process.sandboxType).toBe("linuxSeccomp");
  });
});

describe("a call whose answer is lost", () => {
  /** Drops the connection at the first call of a method. */
  function dropOnce(server: FakeServer, method: string, result: object): void {
    let isDropped = false;
    server.on(method, (_, connection) => {
      if (isDropped) return { result };
      isDropped = true;
      connection.drop();
      return undefined;
    });
  }

  it("is made again with the same name where it writes", async () => {
    const server = startingServer();
    dropOnce(server, "process/write", { status: "accepted" });
    const process = await (await executorOf(server)).start(aRequest());
    const written = [process.write(Buffer.from("a")), process.write(Buffer.from("b"))];
    expect(await Promise.all(written)).toEqual([true, true]);
    expect(server.paramsOf("process/write")).toMatchObject([
      { chunk: "YQ==", writeId: "write-1" },
      { chunk: "YQ==", writeId: "write-1" },
      { chunk: "Yg==", writeId: "write-2" },
    ]);
  });

  it.each([
    ["process/terminate", { running: true }],
    ["process/signal", {}],
  ])("is made again: %s", async (method, result) => {
    const server = startingServer();
    dropOnce(server, method, result);
    const process = await (await executorOf(server)).start(aRequest());
    await (method === "process/signal" ? process.interrupt("group") : process.terminate());
    expect(server.paramsOf(method)).toHaveLength(2);
  });

  it("is made again where it only looks at files", async () => {
    const server = startingServer();
    dropOnce(server, "fs/readFile", { dataBase64: "YQ==" });
    const { files } = await executorOf(server);
    expect(Buffer.from(await files.readFile(AT)).toString()).toBe("a");
  });

  it("has an unknown outcome where it changes files, and is not made again", async () => {
    const server = startingServer();
    dropOnce(server, "fs/writeFile", {});
    const { files } = await executorOf(server);
    await expect(files.writeFile(AT, Buffer.from("a"))).rejects.toMatchObject({
      code: "disconnected",
      message: expect.stringContaining("outcome"),
    });
    expect(server.paramsOf("fs/writeFile")).toHaveLength(1);
  });

  it("is the end of an open file", async () => {
    const server = startingServer();
    server.on("fs/open", ({ params: { handleId } }) => ({ result: { handleId } }));
    server.on("fs/readBlock", () => ({ result: { chunk: "YQ==", eof: true } }));
    const executor = await executorOf(server);
    const file = await executor.files.open(AT, "read");
    expect((await file.read(0, 1)).eof).toBe(true);
    server.connections[0]?.drop();
    await expect(file.read(0, 1)).rejects.toMatchObject({ code: "disconnected" });
    await expect(file.close()).resolves.toBeUndefined();
    await executor.start(aRequest());
    await expect(file.write(0, Buffer.from("x"))).rejects.toMatchObject({ code: "disconnected" });
    expect(server.methods).not.toContain("fs/writeBlock");
  });

  it("is not made for ever", async () => {
    const server = startingServer();
    server.on("fs/getMetadata", (_, connection) => {
      connection.drop();
      return undefined;
    });
    const { files } = await executorOf(server);
    await expect(files.getMetadata(AT)).rejects.toMatchObject({ code: "disconnected" });
    expect(server.paramsOf("fs/getMetadata")).toHaveLength(64);
  });
});
