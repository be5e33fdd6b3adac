/** Cases 23-26, 31 and 32 where they take time that no test should wait for, and what ends a start. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AnchorOperations } from "../../../src/exec/index.ts";
import { ExecSessions } from "../../../src/exec/server/sessions/exec-sessions.ts";
import { FakeProcess } from "./support/fake-process.ts";
import { aStart, type ServedOptions, serveFakes } from "./support/served-executor.ts";

const times = { detachedMs: 30_000, closedMs: 30_000 };
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Lets everything happen that is due, a connection's end included. */
async function settle(): Promise<void> {
  for (let count = 0; count < 20; count += 1) await turn();
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

describe("a session that lost its client", () => {
  it("23, 24 is ended with all it started after 30 s, and not before", async () => {
    const { connect, processes } = serveFakes({ times });
    const client = connect();
    const session = await client.open();
    await client.call("process/start", aStart("p"));
    client.link.cut();
    await settle();
    vi.advanceTimersByTime(29_999);
    await settle();
    expect(processes.get("p")?.isEnded).toBe(false);
    vi.advanceTimersByTime(1);
    await settle();
    expect(processes.get("p")?.isEnded).toBe(true);
    const late = await connect().tryCall("initialize", {
      clientName: "test",
      resumeSessionId: session,
    });
    expect(late.error).toEqual({ code: -32600, message: `unknown session id ${session}` });
  });

  it("24 has 30 s again after each return", async () => {
    const { connect, processes } = serveFakes({ times });
    let client = connect();
    const session = await client.open();
    await client.call("process/start", aStart("p"));
    for (let drop = 0; drop < 3; drop += 1) {
      client.link.cut();
      await settle();
      vi.advanceTimersByTime(28_000);
      client = connect();
      expect(await client.open(session)).toBe(session);
      vi.advanceTimersByTime(120_000);
    }
    await settle();
    expect(processes.get("p")?.isEnded).toBe(false);
  });

  it("26 answers nobody who waited on the lost connection, and the next one at once", async () => {
    const { connect, processes, faults } = serveFakes({ times });
    const client = connect();
    const session = await client.open();
    await client.call("process/start", aStart("p"));
    const lost = client.tryCall("process/read", { processId: "p", waitMs: 600_000 });
    lost.catch(() => {});
    await settle();
    client.link.cut();
    await expect(lost).rejects.toThrow(/connection ended/);
    await settle();
    const next = connect();
    await next.open(session);
    processes.get("p")?.print("news");
    const read = await next.call("process/read", { processId: "p", waitMs: 600_000 });
    expect(read).toMatchObject({ chunks: [{ seq: 1 }] });
    expect(faults).toEqual([]);
  });
});

describe("an id", () => {
  it("32 is free 30 s after its process was closed, which can be read until then", async () => {
    const { connect, processes } = serveFakes({ times });
    const client = connect();
    await client.open();
    await client.call("process/start", aStart("p"));
    vi.advanceTimersByTime(60_000);
    processes.get("p")?.end(3);
    await client.waitNote("process/closed");
    await settle();
    vi.advanceTimersByTime(29_999);
    expect(await client.call("process/read", { processId: "p" })).toMatchObject({ exitCode: 3 });
    expect((await client.tryCall("process/start", aStart("p"))).error?.message).toBe(
      "process p already exists",
    );
    vi.advanceTimersByTime(1);
    expect((await client.tryCall("process/read", { processId: "p" })).error?.message).toBe(
      "unknown process id p",
    );
    expect((await client.tryCall("process/start", aStart("p"))).result).toMatchObject({
      processId: "p",
    });
  });

  it("31 belongs to its session", async () => {
    const { connect } = serveFakes({ times });
    for (const client of [connect(), connect()]) {
      await client.open();
      expect(await client.call("process/start", aStart("p"))).toMatchObject({ processId: "p" });
    }
  });
});

describe("a start that takes its time", () => {
  async function slowStart(more: ServedOptions = {}) {
    const go = Promise.withResolvers<void>();
    const served = serveFakes({ times, concurrentRequests: 8, starting: go.promise, ...more });
    const client = served.connect();
    const session = await client.open();
    await client.call("environment/status");
    const started = client.tryCall("process/start", aStart("p"));
    started.catch(() => {});
    await settle();
    return { ...served, client, session, started, go: go.resolve };
  }

  it("is told as such to who asks", async () => {
    const { client, started, go } = await slowStart();
    const write = { processId: "p", chunk: "", writeId: "1" };
    expect(await client.call("process/write", write)).toEqual({ status: "starting" });
    expect((await client.tryCall("process/read", { processId: "p" })).error).toEqual({
      code: -32600,
      message: "process id p is starting",
    });
    expect(await client.call("process/signal", { processId: "p", signal: "interrupt" })).toEqual(
      {},
    );
    expect((await client.tryCall("process/start", aStart("p"))).error?.code).toBe(-32600);
    go();
    expect((await started).result).toMatchObject({ processId: "p" });
  });

  it("42 is cancelled by terminate, before anything runs", async () => {
    const { client, started, processes, go } = await slowStart({ canGiveUp: true });
    expect(await client.call("process/terminate", { processId: "p" })).toEqual({ running: true });
    go();
    expect((await started).error).toEqual({
      code: -32600,
      message: "process p start was cancelled",
    });
    expect(processes.size).toBe(0);
    expect((await client.tryCall("process/start", aStart("p"))).error).toBeUndefined();
  });

  it("42 is ended where it ran by then, and the answer says so", async () => {
    const { client, started, processes, go } = await slowStart();
    expect(await client.call("process/terminate", { processId: "p" })).toEqual({ running: true });
    go();
    expect((await started).error).toEqual({
      code: -32600,
      message: "process p start was cancelled: it ran by then, and was ended",
    });
    expect(processes.get("p")?.isEnded).toBe(true);
    expect(client.notes).toEqual([]);
    expect((await client.tryCall("process/start", aStart("p"))).error).toBeUndefined();
  });

  it("is ended when its session is over before it is", async () => {
    const { server, processes, go } = await slowStart();
    await server.close();
    go();
    await settle();
    expect(processes.get("p")?.isEnded).toBe(true);
  });

  it("goes on when its connection is lost, and is there for who comes back", async () => {
    const { client, session, connect, processes, go } = await slowStart();
    client.link.cut();
    await settle();
    go();
    await settle();
    const next = connect();
    await next.open(session);
    processes.get("p")?.print("here");
    await next.waitNote("process/output", ({ processId }) => processId === "p");
  });
});

describe("a server that has as many sessions as it takes", () => {
  const sink = { send: async () => {}, confirmed: async () => {}, end: () => {} };
  const noAnchors = { list: async () => [] } as unknown as AnchorOperations;

  it("lets go of those that were left unused, the one that was left first before the others", async () => {
    const sessions = new ExecSessions(times, noAnchors);
    const open = (id?: string) => sessions.open(id, sink);
    const all = Array.from({ length: 4096 }, () => open());
    expect(() => open()).toThrow("4096 sessions are open");
    const [attached, running, anchored, back, first, second] = all;
    await running?.start("p", async () => new FakeProcess());
    await anchored?.anchors.open({ anchorId: "a", ids: {} }).catch(() => {});
    for (const one of [running, anchored, back, second, first]) if (one) sessions.detach(one);
    open(back?.id);
    if (back) sessions.detach(back);
    for (const gone of [second, first, back]) {
      open();
      expect(() => open(gone?.id)).toThrow("unknown session id");
    }
    expect(() => open()).toThrow("4096 sessions are open");
    expect(open(running?.id)).toBe(running);
    expect(open(anchored?.id)).toBe(anchored);
    expect(attached?.isAttached).toBe(true);
    await sessions.close();
  });
});

describe("a session that is asked for while a connection has it", () => {
  /** A connection that answers pings, or has ended without a word. */
  function connection(answers: boolean) {
    const confirmed = () => (answers ? Promise.resolve() : new Promise<void>(() => {}));
    return { send: async () => {}, confirmed, end: vi.fn() };
  }

  it.each([
    ["is let go of by one that does not answer", false, 1],
    ["22 stays with one that answers", true, 0],
  ])("%s", async (_, answers, ends) => {
    const sessions = new ExecSessions(times);
    const first = connection(answers);
    const { id } = sessions.open(undefined, first);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect(() => sessions.open(id, connection(true))).toThrow("already attached");
    }
    await settle();
    vi.advanceTimersByTime(4_999);
    await settle();
    expect(first.end).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    await settle();
    expect(first.end).toHaveBeenCalledTimes(ends);
    await sessions.close();
  });
});
