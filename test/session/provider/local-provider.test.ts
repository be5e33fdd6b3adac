/** The local provider on an executor that does what a test says. */
import { setImmediate as soon } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { ExecError, type ExecErrorCode, FileError } from "../../../src/exec/index.ts";
import { uriOfNative } from "../../../src/policy/index.ts";
import { createLocalProvider } from "../../../src/session/provider/local/create-local-provider.ts";
import {
  filesUnder,
  intentIn,
  NEVER,
  outcomeOf,
  sandboxOf,
  scriptOf,
} from "./support/sandbox-of.ts";
import { scriptedExecutor } from "./support/scripted-executor.ts";

const WS = "/repo";
const codeOf = (code: string) => ({ name: "SessionError", code });

async function aSandbox(lifetimeMs?: number) {
  const executor = scriptedExecutor({ anchors: true });
  const provider = createLocalProvider({ executor, ...(lifetimeMs && { lifetimeMs }) });
  const sandbox = await sandboxOf(provider, WS);
  const run = async () => {
    const command = await sandbox.runCommand(scriptOf("true", WS));
    const process = executor.started.at(-1)?.process;
    if (process === undefined) throw new Error("nothing was started");
    return { command, process };
  };
  return { executor, provider, sandbox, run };
}

describe("what an executor fails with", () => {
  it.each<[ExecErrorCode, string, string]>([
    ["invalidRequest", "forbidden", "forbidden"],
    ["notAllowed", "forbidden", "forbidden"],
    ["unenforceable", "forbidden", "forbidden"],
    ["spawnFailed", "invalidInput", "invalidInput"],
    ["unknownAnchor", "stopped", "stopped"],
    ["untrustedServer", "interrupted", "unavailable"],
    ["disconnected", "interrupted", "unavailable"],
    ["lostOutput", "interrupted", "interrupted"],
  ])("is, where it is %s, %s for a command and %s for a look", async (code, begun, looked) => {
    const { executor, sandbox } = await aSandbox();
    executor.fault = new ExecError(code, "the executor's sentence");
    await expect(sandbox.runCommand(scriptOf("true", WS))).rejects.toMatchObject(codeOf(begun));
    await expect(sandbox.probe(NEVER)).rejects.toMatchObject(codeOf(looked));
    await expect(sandbox.readFileToBuffer("a", filesUnder(WS))).rejects.toMatchObject(
      codeOf(looked),
    );
  });

  it("is told in its own sentence where it refused, and in none of its words otherwise (D10)", async () => {
    const { executor, sandbox } = await aSandbox();
    executor.fault = new ExecError("notAllowed", "the ceiling says no");
    const refusal = { message: "the ceiling says no" };
    await expect(sandbox.runCommand(scriptOf("true", WS))).rejects.toMatchObject(refusal);
    for (const code of ["disconnected", "spawnFailed", "lostOutput"] as const) {
      executor.fault = new ExecError(code, "https://secret.example/?key=1");
      await expect(sandbox.runCommand(scriptOf("true", WS))).rejects.toMatchObject({
        message: expect.not.stringContaining("secret"),
      });
    }
  });

  it.each([
    ["denied", "forbidden"],
    ["readOnly", "forbidden"],
    ["isDirectory", "invalidInput"],
    ["invalid", "invalidInput"],
    ["io", "unavailable"],
    ["loop", "forbidden"],
  ] as const)("is never an absent file where it is %s (D7)", async (code, told) => {
    const { executor, sandbox } = await aSandbox();
    const reading = sandbox.readFileToBuffer("a", filesUnder(WS));
    await expect(reading).resolves.toEqual(Buffer.alloc(0));
    executor.instead.readFile = () => Promise.reject(new FileError(code, "no"));
    await expect(sandbox.readFileToBuffer("a", filesUnder(WS))).rejects.toMatchObject(codeOf(told));
  });
});

describe("a file operation", () => {
  it("is in the anchor of the sandbox, and over with it", async () => {
    const { executor, sandbox } = await aSandbox();
    await expect(sandbox.readFileToBuffer("a", filesUnder(WS))).resolves.toEqual(Buffer.alloc(0));
    executor.live.clear();
    const written = [{ path: "a", content: Buffer.from("x") }];
    const stopped = codeOf("stopped");
    await expect(sandbox.readFileToBuffer("a", filesUnder(WS))).rejects.toMatchObject(stopped);
    await expect(sandbox.listDir("a", filesUnder(WS))).rejects.toMatchObject(stopped);
    await expect(sandbox.mkDir("a", filesUnder(WS))).rejects.toMatchObject(stopped);
    await expect(sandbox.writeFiles(written, filesUnder(WS))).rejects.toMatchObject(stopped);
    expect(executor.started).toEqual([]);
  });
});

describe("a command", () => {
  it("is started in the anchor, with its names, and under its own intent", async () => {
    const { executor, sandbox } = await aSandbox();
    const intent = intentIn(WS);
    const ids = { call: "call-7", thread: "somebody else's" };
    const more = { intent, ids, cwd: "a/../b", env: { A: "1" } };
    const commands = await Promise.all(
      [1, 2].map(() => sandbox.runCommand(scriptOf("true", WS, more))),
    );
    expect(new Set(commands.map(({ id }) => id)).size).toBe(2);
    expect(executor.started[0]?.request).toMatchObject({
      anchor: sandbox.id,
      cwd: uriOfNative("/repo/b"),
      env: { A: "1" },
      sandbox: intent,
      ids: { call: "call-7", thread: "thread-1", session: sandbox.id },
    });
  });

  it.each([
    ["was lost", new ExecError("lostOutput", "a hole")],
    ["has nobody to follow it", new ExecError("disconnected", "gone")],
  ])("is interrupted where its output %s (case 35)", async (_, fault) => {
    const { run } = await aSandbox();
    const { command, process } = await run();
    process.print("some");
    process.tell(fault);
    await expect(outcomeOf(command)).rejects.toMatchObject(codeOf("interrupted"));
    await expect(command.ended).rejects.toMatchObject(codeOf("interrupted"));
  });

  it("is interrupted where its events stop before its end", async () => {
    const { run } = await aSandbox();
    const { command, process } = await run();
    process.tell({ kind: "closed" });
    await expect(outcomeOf(command)).rejects.toMatchObject(codeOf("interrupted"));
  });

  it("is interrupted where it was killed with its sandbox, and ended where it was killed alone", async () => {
    const { executor, sandbox, run } = await aSandbox();
    const alone = await run();
    alone.process.exit(137);
    await expect(outcomeOf(alone.command)).resolves.toMatchObject({ exitCode: 137 });
    const both = await run();
    executor.live.delete(sandbox.id);
    both.process.exit(137);
    await expect(outcomeOf(both.command)).rejects.toMatchObject(codeOf("interrupted"));
  });

  it("waits for whoever reads, and for nobody who has left", async () => {
    const { run } = await aSandbox();
    const { command, process } = await run();
    for (const text of ["a", "b", "c"]) process.print(text);
    process.exit(3);
    for await (const { chunk } of command.output) {
      expect(Buffer.from(chunk).toString()).toBe("a");
      expect(process.taken.length).toBeLessThan(3);
      break;
    }
    await expect(command.ended).resolves.toMatchObject({ exitCode: 3 });
  });

  it.each(["", "a\0b"])("is refused the folder %j before anything runs", async (cwd) => {
    const { executor, sandbox } = await aSandbox();
    const running = sandbox.runCommand(scriptOf("true", WS, { cwd }));
    await expect(running).rejects.toMatchObject(codeOf("invalidInput"));
    expect(executor.started).toEqual([]);
  });
});

describe("a sandbox", () => {
  it("leaves no anchor behind where its creation was called off, or its policy refused", async () => {
    const executor = scriptedExecutor({ anchors: true });
    const provider = createLocalProvider({ executor });
    const off = new AbortController();
    const creating = provider.create({
      thread: "t",
      intent: intentIn(WS),
      workspace: uriOfNative(WS),
      signal: off.signal,
    });
    off.abort();
    await expect(creating).rejects.toMatchObject(codeOf("aborted"));
    executor.instead.compare = () => Promise.reject(new ExecError("unenforceable", "no"));
    await expect(sandboxOf(provider, WS)).rejects.toMatchObject(codeOf("forbidden"));
    expect(executor.live.size).toBe(0);
    expect(await provider.list()).toEqual([]);
  });

  it("is not called forbidden where its machine could not make it", async () => {
    const executor = scriptedExecutor({ anchors: true });
    executor.instead.open = () => Promise.reject(new ExecError("unenforceable", "no nsenter"));
    const creating = sandboxOf(createLocalProvider({ executor }), WS);
    await expect(creating).rejects.toMatchObject(codeOf("unavailable"));
  });

  it("L2: is given to the thread that made it and to no other", async () => {
    const { provider, sandbox } = await aSandbox();
    const as = (thread: string) => ({ thread, signal: NEVER });
    expect((await provider.get(sandbox.id, as("thread-1"))).id).toBe(sandbox.id);
    await expect(provider.get(sandbox.id, as("thread-2"))).rejects.toMatchObject(
      codeOf("forbidden"),
    );
    await expect(provider.get("sandbox-no", as("thread-1"))).rejects.toMatchObject(
      codeOf("missing"),
    );
  });

  it("is over for all that is asked of it once it was stopped, and is found so", async () => {
    const { executor, provider, sandbox } = await aSandbox();
    await Promise.all([sandbox.stop(), sandbox.stop()]);
    await sandbox.stop();
    expect(executor.live.size).toBe(0);
    const found = await provider.get(sandbox.id, { thread: "thread-1", signal: NEVER });
    const under = filesUnder(WS);
    const asked = [
      found.probe(NEVER),
      found.digestOf(intentIn(WS)),
      found.isWithin(intentIn(WS), intentIn(WS)),
      found.runCommand(scriptOf("true", WS)),
      found.mkDir("a", under),
      found.writeFiles([{ path: "a", content: Buffer.from("a") }], under),
      found.readFileToBuffer("a", under),
      found.listDir(".", under),
      found.extendTimeout(1),
    ];
    for (const one of asked) await expect(one).rejects.toMatchObject(codeOf("stopped"));
    expect(await provider.list()).toMatchObject([{ id: sandbox.id, status: "stopped" }]);
  });

  it("ends what runs in it, though nobody reads", async () => {
    const { sandbox, run } = await aSandbox();
    const { command, process } = await run();
    process.print("nobody reads this");
    await sandbox.stop();
    expect(process.isTerminated).toBe(true);
    await expect(command.ended).rejects.toMatchObject(codeOf("interrupted"));
  });

  it("ends a command that was on its way when it was stopped", async () => {
    const { executor, sandbox } = await aSandbox();
    const { promise, resolve } = Promise.withResolvers<void>();
    executor.gate = promise;
    const starting = sandbox.runCommand(scriptOf("true", WS));
    starting.catch(() => {});
    await soon();
    const stopping = sandbox.stop();
    resolve();
    await expect(starting).rejects.toMatchObject(codeOf("stopped"));
    await stopping;
    expect(executor.started.map(({ process }) => process.isTerminated)).toEqual([true]);
  });

  it("says that it could not be stopped, and is when that is asked again", async () => {
    const { executor, sandbox } = await aSandbox();
    executor.fault = new ExecError("disconnected", "gone");
    await expect(sandbox.stop()).rejects.toMatchObject(codeOf("unavailable"));
    executor.fault = undefined;
    await sandbox.stop();
    expect(executor.live.size).toBe(0);
  });

  it("ends when its time is over, which can be put off", async () => {
    vi.useFakeTimers({ now: 0 });
    try {
      const { executor, sandbox } = await aSandbox(1000);
      expect(sandbox.expiresAt).toBe(1000);
      await sandbox.extendTimeout(500);
      await sandbox.extendTimeout(2 ** 32);
      expect(sandbox.expiresAt).toBe(1500 + 2 ** 32);
      await vi.advanceTimersByTimeAsync(1499 + 2 ** 32);
      expect(executor.live.size).toBe(1);
      await vi.advanceTimersByTimeAsync(1);
      expect(executor.live.size).toBe(0);
      await expect(sandbox.probe(NEVER)).rejects.toMatchObject(codeOf("stopped"));
    } finally {
      vi.useRealTimers();
    }
  });

  it("does not end by itself unless that was said, and takes no time that is none", async () => {
    const { sandbox } = await aSandbox();
    await sandbox.extendTimeout(1000);
    expect(sandbox.expiresAt).toBe(null);
    for (const ms of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(sandbox.extendTimeout(ms)).rejects.toMatchObject(codeOf("invalidInput"));
      const executor = scriptedExecutor({ anchors: true });
      expect(() => createLocalProvider({ executor, lifetimeMs: ms })).toThrow(
        expect.objectContaining(codeOf("invalidInput")),
      );
    }
  });

  it("is looked at no longer than somebody waits", async () => {
    const { executor, sandbox } = await aSandbox();
    executor.instead.find = () => new Promise(() => {});
    const off = new AbortController();
    const probing = sandbox.probe(off.signal);
    off.abort();
    await expect(probing).rejects.toMatchObject(codeOf("aborted"));
  });
});

describe("on an executor without anchors", () => {
  it("says so, runs without one, and takes no two policies for one", async () => {
    const executor = scriptedExecutor({ anchors: false });
    const provider = createLocalProvider({ executor });
    expect(provider.ground).toBe("executor");
    const sandbox = await sandboxOf(provider, WS);
    await sandbox.runCommand(scriptOf("true", WS));
    expect(executor.started[0]?.request.anchor).toBe(null);
    const [write, read] = [intentIn(WS), intentIn(WS, "read-only")];
    expect(await sandbox.digestOf(write)).toBe(sandbox.boundDigest);
    expect(await sandbox.digestOf(read)).not.toBe(sandbox.boundDigest);
    expect(await sandbox.isWithin(intentIn(WS), write)).toBe(true);
    expect(await sandbox.isWithin(read, write)).toBe(false);
  });

  it("lives as long as that answers, and ends what runs in it", async () => {
    const executor = scriptedExecutor({ anchors: false });
    const sandbox = await sandboxOf(createLocalProvider({ executor }), WS);
    await sandbox.probe(NEVER);
    const command = await sandbox.runCommand(scriptOf("true", WS));
    await sandbox.stop();
    expect(executor.started[0]?.process.isTerminated).toBe(true);
    await expect(command.ended).rejects.toMatchObject(codeOf("interrupted"));
    const other = await sandboxOf(createLocalProvider({ executor }), WS);
    executor.fault = new ExecError("disconnected", "gone");
    await expect(other.probe(NEVER)).rejects.toMatchObject(codeOf("unavailable"));
  });
});
