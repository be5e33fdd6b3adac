/** To whom an intent is sent, and what is made of the answer. */
import { describe, expect, it } from "vitest";
import type { SandboxIntent } from "../../../src/exec/index.ts";
import { aRequest, CWD, executorOf, SANDBOXED, WAIVED } from "./support/fake-executor.ts";
import { ENFORCING, FakeServer, PROMISE } from "./support/fake-server.ts";

const UNPROVEN = {};
const OURS = { writ: PROMISE };

function serverThat(introduction: object, sandboxType?: string): FakeServer {
  const server = new FakeServer(introduction);
  server.on("process/start", ({ params: { processId } }) => ({
    result: { processId, ...(sandboxType !== undefined && { sandboxType }) },
  }));
  return server;
}

function withProfile(profile: object): SandboxIntent {
  const { context } = SANDBOXED;
  return { ...SANDBOXED, context: { ...context, profile: profile as typeof context.profile } };
}

const EXTERNAL = withProfile({
  type: "external",
  network: { type: "restricted" },
  unixSockets: "none",
});

describe("a server that has not shown that it enforces", () => {
  it("K13 is sent no sandboxed start, and nothing else of it", async () => {
    const server = serverThat(UNPROVEN, "linuxSeccomp");
    const executor = await executorOf(server);
    const started = executor.start(aRequest({ sandbox: SANDBOXED }));
    await expect(started).rejects.toMatchObject({ code: "untrustedServer", field: "sandbox" });
    expect(server.methods).toEqual(["initialize", "initialized"]);
  });

  it("K13 is sent no sandboxed file operation", async () => {
    const server = serverThat(UNPROVEN);
    const { files } = await executorOf(server);
    const at = { path: CWD, links: "follow", sandbox: SANDBOXED, anchor: null } as const;
    await expect(files.readFile(at)).rejects.toMatchObject({ code: "untrustedServer" });
    await expect(files.open(at, "replace")).rejects.toMatchObject({ code: "untrustedServer" });
    expect(server.methods).toEqual(["initialize", "initialized"]);
  });

  it("is sent what is to run without a sandbox, and says no more than that", async () => {
    const server = serverThat(UNPROVEN);
    const process = await (await executorOf(server)).start(aRequest());
    expect(process.sandboxType).toBe("none");
    const [params] = server.paramsOf("process/start");
    expect(params).toMatchObject({ sandbox: null });
    expect(params).not.toHaveProperty("writ");
  });
});

describe("a sandboxed start", () => {
  it("is not sent without a rule that no wire has a word for", async () => {
    const server = serverThat(OURS, "linuxSeccomp");
    const executor = await executorOf(server);
    const started = executor.start(aRequest({ sandbox: { ...SANDBOXED, unturned: [CWD] } }));
    await expect(started).rejects.toMatchObject({ code: "unenforceable", field: "sandbox" });
    expect(server.methods).toEqual(["initialize", "initialized"]);
  });

  it("is sent with places that must not be turned to a server that keeps them", async () => {
    const server = serverThat({ writ: { ...PROMISE, keepsUnturned: true } }, "linuxSeccomp");
    const executor = await executorOf(server);
    await executor.start(aRequest({ sandbox: { ...SANDBOXED, unturned: [CWD] } }));
    const [params] = server.paramsOf("process/start");
    expect(params).toMatchObject({ sandbox: { unturned: [CWD] } });
  });

  it.each([
    ["by what it tells of itself", ENFORCING],
    ["by its promise", OURS],
  ])("is let run by a server that enforces, known %s", async (_, introduction) => {
    const server = serverThat(introduction, "linuxSeccomp");
    const process = await (await executorOf(server)).start(aRequest({ sandbox: SANDBOXED }));
    expect(process.sandboxType).toBe("linuxSeccomp");
    expect(server.methods).not.toContain("process/terminate");
  });

  it.each([
    ["none", ENFORCING, "none", SANDBOXED],
    ["nothing", ENFORCING, undefined, SANDBOXED],
    ["none by one of ours", OURS, "none", SANDBOXED],
    ["nothing by one of ours", OURS, undefined, SANDBOXED],
    ["none for an external sandbox by one of others", ENFORCING, "none", EXTERNAL],
  ])("is ended when it is confined by %s", async (_, introduction, sandboxType, sandbox) => {
    const server = serverThat(introduction, sandboxType);
    const executor = await executorOf(server);
    await expect(executor.start(aRequest({ sandbox }))).rejects.toMatchObject({
      code: "untrustedServer",
    });
    await expect.poll(() => server.paramsOf("process/terminate")).toEqual([{ processId: "p1" }]);
  });

  it("may be confined by somebody else where one of ours says so", async () => {
    const server = serverThat(OURS, "none");
    const process = await (await executorOf(server)).start(aRequest({ sandbox: EXTERNAL }));
    expect(process.sandboxType).toBe("none");
  });

  it.each([
    ["limits", { limits: { wallTimeMs: 1000 } }],
    ["unix sockets of the host", { unixSockets: "host" }],
  ])("is not sent to a server of others with %s, which it would drop", async (_, members) => {
    const server = serverThat(ENFORCING, "linuxSeccomp");
    const executor = await executorOf(server);
    const sandbox = withProfile({ ...SANDBOXED.context.profile, ...members });
    await expect(executor.start(aRequest({ sandbox }))).rejects.toMatchObject({
      code: "unenforceable",
    });
    expect(server.methods).not.toContain("process/start");
    const ours = serverThat(OURS, "linuxSeccomp");
    await (await executorOf(ours)).start(aRequest({ sandbox }));
    expect(JSON.stringify(ours.paramsOf("process/start")[0]?.sandbox)).toContain('"writ"');
  });
});

describe("what only one of ours understands", () => {
  const thread = "018f6d0e-0000-7000-8000-000000000001";
  const request = aRequest({
    ids: { thread, toolCall: "call" },
    terminal: { columns: 100, rows: 30 },
  });

  it("is sent to it", async () => {
    const server = serverThat(OURS, "none");
    await (await executorOf(server)).start(request);
    expect(server.paramsOf("process/start")[0]).toMatchObject({
      tty: true,
      metadata: { threadId: thread, toolCallId: "call" },
      writ: {
        threadId: thread,
        size: { columns: 100, rows: 30 },
        waived: { by: WAIVED.kind === "waived" && WAIVED.by, reason: "of the test" },
      },
    });
  });

  it("is not sent to others, who are told the ids they know", async () => {
    const server = serverThat(ENFORCING, "none");
    await (await executorOf(server)).start(request);
    const [params] = server.paramsOf("process/start");
    expect(params).not.toHaveProperty("writ");
    expect(params).toMatchObject({ metadata: { threadId: thread, toolCallId: "call" } });
  });

  it.each([
    ["a thread that is no UUID", { thread: "t1", toolCall: "call" }],
    ["no tool call", { thread }],
  ])("has no metadata with %s", async (_, ids) => {
    const server = serverThat(OURS, "none");
    await (await executorOf(server)).start(aRequest({ ids }));
    const [params] = server.paramsOf("process/start");
    expect(params).not.toHaveProperty("metadata");
    expect(params).toMatchObject({ writ: { threadId: ids.thread } });
  });
});

describe("a path on which links are refused", () => {
  const at = { path: CWD, links: "refuse", sandbox: WAIVED, anchor: null } as const;

  it("is sent to ours with that word", async () => {
    const server = serverThat(OURS);
    server.on("fs/canonicalize", () => ({ result: { path: CWD } }));
    await (await executorOf(server)).files.canonicalize(at);
    expect(server.paramsOf("fs/canonicalize")[0]).toMatchObject({ followSymlinks: false });
  });

  it("is not sent to others, who would pass over it", async () => {
    const server = serverThat(ENFORCING);
    const { files } = await executorOf(server);
    for (const work of [files.canonicalize(at), files.open(at, "read"), files.readDirectory(at)]) {
      await expect(work).rejects.toThrow("this server has no word for it");
    }
    expect(server.methods).toEqual(["initialize", "initialized"]);
  });
});

describe("an introduction", () => {
  it.each([
    ["a promise of another version", { writ: { ...PROMISE, version: 2 } }],
    ["a promise that promises nothing", { writ: { ...PROMISE, enforces: false } }],
    ["no session", { sessionId: 5 }],
  ])("with %s is refused", async (_, introduction) => {
    await expect(executorOf(new FakeServer(introduction))).rejects.toMatchObject({
      code: "untrustedServer",
    });
  });

  it("that never comes is not waited for", async () => {
    const server = new FakeServer();
    server.on("initialize", () => undefined);
    const connecting = executorOf(server, { times: { retryMs: 1, budgetMs: 20 } });
    await expect(connecting).rejects.toMatchObject({ code: "disconnected" });
  });

  it("cannot be had where nobody is", async () => {
    const server = new FakeServer();
    server.isReachable = false;
    await expect(executorOf(server)).rejects.toMatchObject({
      code: "disconnected",
      message: "Cannot reach the executor: nobody is there",
    });
  });
});
