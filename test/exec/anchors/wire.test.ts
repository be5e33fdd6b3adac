/** Anchors over a wire: whose they are, and what a server without them is sent. */
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ExecError } from "../../../src/exec/index.ts";
import { SessionAnchors } from "../../../src/exec/server/sessions/session-anchors.ts";
import { aRequest, CWD, executorOf, WAIVED } from "../remote/support/fake-executor.ts";
import { ENFORCING, FakeServer, PROMISE } from "../remote/support/fake-server.ts";
import { serveFakes } from "../server/support/served-executor.ts";
import { fakeAnchors } from "./support/fake-anchors.ts";

const IN_ANCHOR = { path: CWD, links: "follow", sandbox: WAIVED, anchor: "a" } as const;
const COPY = { recursive: false };
const times = { detachedMs: 30_000, closedMs: 30_000 };

/** Lets everything happen that is due, a connection's end included. */
async function settle(): Promise<void> {
  for (let count = 0; count < 20; count += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

async function opened(served: ReturnType<typeof serveFakes>) {
  const client = served.connect();
  const session = await client.open();
  await client.call("writ/anchor/open", { anchorId: "a", ids: { thread: "t" } });
  return { client, session };
}

describe("an anchor", () => {
  it("is seen by the session that opened it, and by no other", async () => {
    const served = serveFakes({ anchors: fakeAnchors().operations });
    const { client } = await opened(served);
    const { client: other } = await opened(served);
    const folders = { home: "file:///h", tmp: "file:///t", shelf: "file:///s" };
    const mine = { anchorId: "a", ids: { thread: "t" }, ...folders };
    expect(await client.call("writ/anchor/list")).toEqual({
      anchors: [{ ...mine, createdAt: 0 }],
    });
    expect(await other.call("writ/anchor/close", { anchorId: "a" })).toEqual({ closed: true });
    expect(await client.call("writ/anchor/find", { anchorId: "a" })).toMatchObject(mine);
    const { error } = await other.tryCall("writ/anchor/find", { anchorId: "a" });
    expect(error).toMatchObject({ data: { writ: { code: "unknownAnchor" } } });
  });

  it("survives a drop for as long as its session does, and ends with it", async () => {
    const { operations, names } = fakeAnchors();
    const served = serveFakes({ times, anchors: operations });
    const { client, session } = await opened(served);
    client.link.cut();
    await settle();
    vi.advanceTimersByTime(29_000);
    await settle();
    const back = served.connect();
    await back.open(session);
    await back.call("writ/anchor/find", { anchorId: "a" });
    back.link.cut();
    await settle();
    vi.advanceTimersByTime(30_000);
    await settle();
    expect(names()).toEqual([]);
  });

  it("that cannot be removed costs no other client anything", async () => {
    const { operations } = fakeAnchors();
    const close = async () => {
      throw new ExecError("unenforceable", "Cannot remove it: the disk is full");
    };
    const served = serveFakes({ times, anchors: { ...operations, close } });
    const faults: unknown[] = [];
    const noted = (fault: unknown) => faults.push(fault);
    process.on("unhandledRejection", noted);
    onTestFinished(() => void process.off("unhandledRejection", noted));
    const { client } = await opened(served);
    const { client: other } = await opened(served);
    client.link.cut();
    await settle();
    vi.advanceTimersByTime(30_000);
    await settle();
    expect(faults).toEqual([]);
    expect(await other.call("writ/anchor/find", { anchorId: "a" })).toMatchObject({
      anchorId: "a",
    });
  });

  it("is not opened for a session that ends while it is asked for", async () => {
    const { operations, names } = fakeAnchors();
    const anchors = new SessionAnchors(operations);
    const opening = anchors.open({ anchorId: "late", ids: {} });
    const ended = anchors.closeAll();
    await expect(opening).rejects.toThrow("its session is over");
    await ended;
    expect(names()).toEqual([]);
  });

  it("is one of few that a session has, so that others have some too", async () => {
    const { client } = await opened(serveFakes({ anchors: fakeAnchors().operations }));
    for (let count = 1; count < 64; count += 1) {
      await client.call("writ/anchor/open", { anchorId: `a${count}` });
    }
    const { error } = await client.tryCall("writ/anchor/open", { anchorId: "more" });
    expect(error?.message).toContain("expected fewer than 64");
  });

  it("is entered by file operations under the name it has in the session", async () => {
    const asked: unknown[] = [];
    const files = { readFile: async (at: { anchor: unknown }) => asked.push(at.anchor) };
    const served = serveFakes({ anchors: fakeAnchors().operations, files });
    const { client, session } = await opened(served);
    for (const writ of [undefined, {}, { anchor: "a" }]) {
      await client.tryCall("fs/readFile", { path: "file:///f", sandbox: null, writ });
    }
    expect(asked).toEqual([null, null, expect.stringMatching(/^[0-9a-f-]{36}\/a$/)]);
    // The name of the session is for its client alone, and names of anchors are in sentences.
    expect(String(asked.at(-1))).not.toContain(session);
  });

  it.each([
    { anchor: "" },
    { anchor: null },
    { anchor: "a".repeat(129) },
    { anchor: "a", home: "/" },
    "a",
  ])("is not guessed where a file operation names it as %j", async (writ) => {
    const asked: unknown[] = [];
    const files = { readFile: async () => asked.push("it") };
    const { client } = await opened(serveFakes({ anchors: fakeAnchors().operations, files }));
    const { error } = await client.tryCall("fs/readFile", {
      path: "file:///f",
      sandbox: null,
      writ,
    });
    expect(error).toMatchObject({ code: -32602 });
    expect(asked).toEqual([]);
  });

  it("cannot be used before the handshake", async () => {
    const { connect } = serveFakes({ anchors: fakeAnchors().operations });
    const { error } = await connect().tryCall("writ/anchor/list");
    expect(error?.message).toBe("client must call initialize before using anchor methods");
  });

  it("is refused by an executor that has none, which does not announce them", async () => {
    const { connect } = serveFakes();
    const client = connect();
    await client.open();
    const { error } = await client.tryCall("writ/anchor/open", { anchorId: "a" });
    expect(error).toMatchObject({ data: { writ: { code: "unenforceable" } } });
    const info = await client.call<{ capabilities: object }>("environment/info");
    expect(info.capabilities).toEqual({});
  });
});

describe("a remote executor", () => {
  const announced = { ...ENFORCING.environmentInfo, capabilities: { writAnchors: true } };

  it.each([
    ["says nothing of them", { ...ENFORCING, writ: PROMISE }],
    ["is not ours", { environmentInfo: announced }],
  ])("has no anchors where its server %s", async (_, introduction) => {
    const { anchors } = await executorOf(new FakeServer(introduction));
    expect(anchors).toBeUndefined();
  });

  it("sends a server of others no start in an anchor, which it would run anywhere", async () => {
    const server = new FakeServer(ENFORCING);
    const executor = await executorOf(server);
    const started = executor.start(aRequest({ anchor: "a" }));
    await expect(started).rejects.toMatchObject({ code: "unknownAnchor", field: "anchor" });
    expect(server.methods).toEqual(["initialize", "initialized"]);
  });

  it.each([
    ["says nothing of them", { ...ENFORCING, writ: PROMISE }],
    ["is not ours", { environmentInfo: announced }],
  ])("sends no file operation in an anchor to a server that %s", async (_, introduction) => {
    const server = new FakeServer(introduction);
    const { files } = await executorOf(server);
    const unknown = { code: "unknownAnchor", field: "anchor" };
    await expect(files.readFile(IN_ANCHOR)).rejects.toMatchObject(unknown);
    await expect(files.open(IN_ANCHOR, "read")).rejects.toMatchObject(unknown);
    await expect(files.copy(IN_ANCHOR, IN_ANCHOR, COPY)).rejects.toMatchObject(unknown);
    expect(server.methods).toEqual(["initialize", "initialized"]);
  });

  it("says with every file operation which anchor it is in, and nothing where it is in none", async () => {
    const server = new FakeServer({ environmentInfo: announced, writ: PROMISE });
    server.on("fs/readFile", () => ({ result: { dataBase64: "" } }));
    server.on("fs/copy", () => ({ result: {} }));
    const { files } = await executorOf(server);
    await files.readFile(IN_ANCHOR);
    await files.readFile({ ...IN_ANCHOR, anchor: null });
    await files.copy(IN_ANCHOR, IN_ANCHOR, COPY);
    expect(server.paramsOf("fs/readFile").map(({ writ }) => writ)).toEqual([
      { anchor: "a" },
      undefined,
    ]);
    expect(server.paramsOf("fs/copy")).toMatchObject([{ writ: { anchor: "a" } }]);
  });

  it("does not copy from one anchor to another, for which the wire has no word", async () => {
    const server = new FakeServer({ environmentInfo: announced, writ: PROMISE });
    const { files } = await executorOf(server);
    const copying = files.copy(IN_ANCHOR, { ...IN_ANCHOR, anchor: "b" }, COPY);
    await expect(copying).rejects.toMatchObject({ code: "invalid" });
    expect(server.methods).toEqual(["initialize", "initialized"]);
  });

  it("asks what became of an anchor whose answer was lost, and opens no second one", async () => {
    const server = new FakeServer({ environmentInfo: announced, writ: PROMISE });
    const folders = { home: "file:///h", tmp: "file:///t", shelf: "file:///s" };
    const anchor = { anchorId: "a", ids: {}, ...folders, createdAt: 1 };
    server.on("writ/anchor/open", (_, connection) => void connection.drop());
    server.on("writ/anchor/find", () => ({ result: anchor }));
    const { anchors } = await executorOf(server);
    expect(await anchors?.open({ anchorId: "a", ids: {} })).toEqual(anchor);
    expect(server.paramsOf("writ/anchor/open")).toHaveLength(1);
  });

  it("says that nobody knows where the lost anchor is not there", async () => {
    const server = new FakeServer({ environmentInfo: announced, writ: PROMISE });
    server.on("writ/anchor/open", (_, connection) => void connection.drop());
    const data = { writ: { code: "unknownAnchor" } };
    server.on("writ/anchor/find", () => ({ error: { code: -32602, message: "no", data } }));
    const { anchors } = await executorOf(server);
    const opening = anchors?.open({ anchorId: "a", ids: {} });
    await expect(opening).rejects.toBeInstanceOf(ExecError);
    await expect(opening).rejects.toMatchObject({ code: "disconnected" });
  });
});

describe("an anchor with overlays", () => {
  const overlays = [CWD];

  it("is not asked of a server that does not say that it has them", async () => {
    const server = new FakeServer({
      writ: PROMISE,
      environmentInfo: { ...ENFORCING.environmentInfo, capabilities: { writAnchors: true } },
    });
    const { anchors } = await executorOf(server);
    const opening = anchors?.open({ anchorId: "a", ids: {}, overlays });
    await expect(opening).rejects.toMatchObject({ code: "unenforceable" });
    expect(server.methods).toEqual(["initialize", "initialized"]);
  });

  it("is asked for by one that has them, whole", async () => {
    const { operations } = fakeAnchors();
    const asked: unknown[] = [];
    const anchors = {
      ...operations,
      hasOverlays: true,
      open: (request: Parameters<typeof operations.open>[0]) => {
        asked.push(request.overlays);
        return operations.open(request);
      },
    };
    const client = serveFakes({ anchors }).connect();
    await client.open();
    await client.call("writ/anchor/open", { anchorId: "a", overlays });
    expect(asked).toEqual([overlays]);
  });
});
