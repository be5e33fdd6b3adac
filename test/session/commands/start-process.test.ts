/** Processes that somebody follows, in the sandbox of a thread. */
import { describe, expect, it } from "vitest";
import type { ProcessCall } from "../../../src/session/index.ts";
import { intentOf, over } from "../support/fake-provider.ts";
import { NEVER, sessionLab } from "../support/session-lab.ts";

const CALL: ProcessCall = {
  ...{ by: "exec_command", argv: ["/bin/cat"], cwd: "/work", env: { A: "1" }, ids: { call: "c" } },
  ...{ envPolicy: null, terminal: { columns: 80, rows: 24 }, signal: NEVER },
};

describe("a process of a session", () => {
  it("runs in the sandbox under the intent of the turn, with what it was given", async () => {
    const { session, provider } = sessionLab();
    const narrower = intentOf(2);
    await session.acquire({ by: "test", signal: NEVER });
    session.useIntent(narrower);
    const { generation, notice } = await session.start(CALL);
    expect([generation, notice]).toEqual([1, null]);
    const [{ request } = { request: undefined }] = provider.at(1).processes;
    expect(request).toMatchObject({
      ...{ argv: ["/bin/cat"], cwd: "/work", env: { A: "1" }, terminal: CALL.terminal },
      intent: narrower,
      ids: { call: "c", session: "sbx_1" },
    });
  });

  it("is work until it ends", async () => {
    const { session, provider } = sessionLab();
    const { process } = await session.start(CALL);
    expect(session.liveWork).toEqual({ call: 0, background: 1 });
    expect(session.state).toBe("ready");
    provider.at(1).processes[0]?.print("hello").exit(0);
    const kinds: string[] = [];
    for await (const { kind } of process.events) kinds.push(kind);
    expect(kinds).toEqual(["output", "exited", "closed"]);
    await expect.poll(() => session.liveWork).toEqual({ call: 0, background: 0 });
    expect(session.state).toBe("idle");
  });

  it("is begun in another sandbox where the one at hand is dead, and says so once", async () => {
    const { session, provider } = sessionLab();
    await session.start(CALL);
    provider.at(1).die();
    const { generation, notice } = await session.start(CALL);
    expect(generation).toBe(2);
    expect(notice).toContain("was lost");
    expect(await session.start(CALL)).toMatchObject({ generation: 2, notice: null });
  });

  it("is never begun twice where the sandbox dies under its start", async () => {
    const { session, provider } = sessionLab();
    await session.acquire({ by: "test", signal: NEVER });
    provider.at(1).faults.run.push(over());
    await expect(session.start(CALL)).rejects.toMatchObject({ code: "interrupted" });
    expect(provider.made.flatMap(({ processes }) => processes)).toEqual([]);
  });

  it("is ended where nobody wants it any more when it runs", async () => {
    const { session, provider } = sessionLab();
    await session.acquire({ by: "test", signal: NEVER });
    const stop = new AbortController();
    const sandbox = provider.at(1);
    const start = sandbox.startProcess.bind(sandbox);
    sandbox.startProcess = async (request) => {
      const process = await start(request);
      stop.abort();
      return process;
    };
    const starting = session.start({ ...CALL, signal: stop.signal });
    await expect(starting).rejects.toMatchObject({ code: "aborted" });
    expect(sandbox.processes.map(({ isTerminated }) => isTerminated)).toEqual([true]);
    await expect.poll(() => session.liveWork.background).toBe(0);
  });
});

describe("files that are changed together", () => {
  it("are written before any is removed, and none is where one cannot be written", async () => {
    const { session, provider } = sessionLab();
    await session.acquire({ by: "test", signal: NEVER });
    const sandbox = provider.at(1);
    sandbox.files.set("old", Buffer.from("x"));
    const change = { by: "apply_patch", signal: NEVER, remove: ["old"] };
    const write = [{ path: "new", content: Buffer.from("y") }];
    sandbox.faults.file.push(new Error("no"));
    await expect(session.changeFiles({ ...change, write })).rejects.toThrow();
    expect([...sandbox.files.keys()]).toEqual(["old"]);
    await session.changeFiles({ ...change, write });
    expect([...sandbox.files.keys()]).toEqual(["new"]);
  });
});
