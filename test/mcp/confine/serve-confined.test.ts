import { describe, expect, it, vi } from "vitest";
import { ExecError } from "../../../src/exec/index.ts";
import { connectConfined } from "./support/confined-client.ts";
import { ScriptedExecutor } from "./support/scripted-executor.ts";
import { A, B, metaOf } from "./support/states.ts";

const call = (id: number, state: object, rest: object = {}) => ({
  id,
  method: "tools/call",
  params: { name: "x", ...rest, _meta: metaOf(state) },
});

/** What exists on every host. */
const at = (folder: string, from: typeof A) => ({ ...from, sandboxCwd: `file://${folder}` });
const IN_ROOT = at("/", A);
const IN_TMP = at("/tmp", B);

describe("serveConfined", () => {
  it("starts the server it was given, under the intent of the call", async () => {
    const { ask, executor } = connectConfined();
    expect(await ask(call(1, IN_ROOT))).toMatchObject({ result: { by: 1 } });
    expect(executor.requests).toMatchObject([
      {
        argv: ["server", "--flag"],
        cwd: "file:///",
        env: { NAME: "value" },
        envPolicy: null,
        pipeStdin: true,
        terminal: null,
        anchor: null,
        sandbox: { kind: "enforce", context: { cwd: "file:///" } },
      },
    ]);
  });

  it("starts it with the network off before a call says more", async () => {
    const { ask, executor } = connectConfined();
    await ask({ id: 1, method: "tools/list" });
    expect(executor.requests[0]?.sandbox).toMatchObject({
      context: { profile: { type: "managed", network: { kind: "restricted" } } },
    });
    expect(JSON.stringify(executor.requests[0]?.sandbox)).not.toContain("write");
  });

  it("ends the old process before it starts the next, whatever the old one does", async () => {
    const executor = new ScriptedExecutor();
    const { ask } = connectConfined(executor);
    await ask(call(1, IN_ROOT));
    for (const process of executor.processes) process.polite = false;
    expect(await ask(call(2, IN_TMP))).toMatchObject({ result: { by: 2 } });
    expect(executor.processes[0]?.done.slice(0, 3)).toEqual([
      "closeInput",
      "terminate",
      "exit 137",
    ]);
    expect(executor.mostAlive).toBe(1);
    expect(new Set(executor.requests.map(({ processId }) => processId)).size).toBe(2);
  });

  it("gives each of many calls that come at once a process of its own state", async () => {
    const executor = new ScriptedExecutor();
    const { got, send } = connectConfined(executor);
    const calls = Array.from({ length: 20 }, (_, id) => call(id, id % 3 === 0 ? IN_ROOT : IN_TMP));
    await Promise.all(calls.map(send));
    await expect.poll(() => got).toHaveLength(20);
    expect(executor.mostAlive).toBe(1);
    executor.processes.forEach(({ written }, index) => {
      const { cwd } = Object(executor.requests[index]?.sandbox).context;
      for (const line of written) {
        const { id } = JSON.parse(line);
        expect(cwd).toBe(calls[id]?.params._meta && (id % 3 === 0 ? "file:///" : "file:///tmp"));
        expect(line).not.toContain("sandbox");
      }
    });
  });

  it("says why the server could not be started, and tries again for the next call", async () => {
    const executor = new ScriptedExecutor();
    const start = vi.spyOn(executor, "start");
    start.mockRejectedValueOnce(new ExecError("spawnFailed", 'Cannot start "server": gone'));
    const { ask } = connectConfined(executor);
    const refused = await ask(call(1, IN_ROOT));
    expect(refused).toMatchObject({
      result: { isError: true, content: [{ text: 'Cannot start "server": gone' }] },
    });
    expect(await ask(call(2, IN_ROOT))).toMatchObject({ result: { by: 1 } });
  });

  it("says what the server said last when it dies, once for each request", async () => {
    const executor = new ScriptedExecutor();
    executor.onLine = (process) => {
      process.complain("\u001b[31mno module\u001b[0m\nbye\n");
      process.exit(1);
    };
    const { ask, noise } = connectConfined(executor);
    for (const id of [1, 2, 3]) {
      const answer = JSON.stringify(await ask(call(id, IN_ROOT)));
      expect(answer).toContain("exited with status 1; whether it took effect is unknown");
      expect(answer).toContain("no module");
      expect(answer).not.toContain("u001b");
    }
    expect(executor.processes).toHaveLength(3);
    expect(noise.join("")).toContain("bye");
  });

  it("ends a server that prints a line without end", async () => {
    const executor = new ScriptedExecutor();
    executor.onLine = (process) => {
      process.polite = false;
      for (let count = 0; count < 33; count += 1) process.say("x".repeat(1 << 20));
    };
    const { ask } = connectConfined(executor);
    expect(JSON.stringify(await ask(call(1, IN_ROOT)))).toContain("a line is over the limit");
    await expect.poll(() => executor.alive).toEqual([]);
  });

  it("hands the server's garbage to whoever reads its complaints", async () => {
    const executor = new ScriptedExecutor();
    const { ask, noise, got } = connectConfined(executor);
    await ask(call(1, IN_ROOT));
    executor.processes[0]?.say("Listening on stdio\n");
    await expect.poll(() => noise).toEqual(["Listening on stdio\n"]);
    expect(got).toHaveLength(1);
  });

  it.each([
    ["serves", 0],
    ["is being started", 50],
  ])("ends the server when the client leaves while it %s", async (_, delayMs) => {
    const executor = new ScriptedExecutor();
    executor.gate = new Promise((resolve) => setTimeout(resolve, delayMs));
    executor.onLine = (process) => {
      process.polite = false;
    };
    const { send, server } = connectConfined(executor);
    await send(call(1, IN_ROOT));
    server.close();
    await server.over;
    expect(executor.alive).toEqual([]);
    expect(executor.requests.length).toBeLessThan(2);
  });

  it("starts nothing more once the client has left in the midst of a change", async () => {
    const executor = new ScriptedExecutor();
    const { ask, send, server } = connectConfined(executor);
    await ask(call(1, IN_ROOT));
    for (const process of executor.processes) process.polite = false;
    await send(call(2, IN_TMP));
    server.close();
    await server.over;
    expect(executor.processes).toHaveLength(1);
    expect(executor.alive).toEqual([]);
  });

  it("lets a slow client slow the server down", async () => {
    const executor = new ScriptedExecutor();
    const { ask, server, got } = connectConfined(executor);
    await ask(call(1, IN_ROOT));
    const [process] = executor.processes;
    server.pause();
    const line = JSON.stringify({ method: "notifications/message", params: "x".repeat(1 << 16) });
    for (let count = 0; count < 400; count += 1) process?.say(`${line}\n`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(process?.taken).toBeLessThan(200);
    server.resume();
    await expect.poll(() => got).toHaveLength(401);
  });

  it("lets a server that does not read slow the client down", async () => {
    const executor = new ScriptedExecutor();
    const { ask, send } = connectConfined(executor);
    await ask(call(1, IN_ROOT));
    const reading = Promise.withResolvers<boolean>();
    for (const process of executor.processes) process.onWrite = () => reading.promise;
    let sent = 0;
    const text = "x".repeat(1 << 20);
    const all = Array.from({ length: 32 }, (_, id) =>
      send(call(id + 2, IN_ROOT, { arguments: { text } })).then(() => {
        sent += 1;
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(sent).toBeLessThan(16);
    reading.resolve(true);
    await Promise.all(all);
  });

  it("lets either be slowed by messages that are small and many", async () => {
    const executor = new ScriptedExecutor();
    const { ask, send, server, got } = connectConfined(executor);
    await ask(call(1, IN_ROOT));
    const [process] = executor.processes;
    server.pause();
    const note = { method: "notifications/message", params: {} };
    for (let count = 0; count < 20_000; count += 1) process?.say(`${JSON.stringify(note)}\n`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(process?.taken).toBeLessThan(10_000);
    server.resume();
    await expect.poll(() => got).toHaveLength(20_001);
    const reading = Promise.withResolvers<boolean>();
    for (const one of executor.processes) one.onWrite = () => reading.promise;
    let sent = 0;
    const count = () => {
      sent += 1;
    };
    const all = Array.from({ length: 20_000 }, () => send(note).then(count));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(sent).toBeLessThan(10_000);
    reading.resolve(true);
    await Promise.all(all);
  });

  it("runs all under one intent where one was named", async () => {
    const intent = { kind: "waived", by: "test", reason: "told to" } as const;
    const { ask, executor } = connectConfined(new ScriptedExecutor(), {
      mode: { kind: "explicit", intent },
    });
    await ask({ id: 1, method: "tools/call", params: { name: "x" } });
    await ask(call(2, IN_TMP));
    expect(executor.requests.map(({ sandbox }) => sandbox)).toEqual([intent]);
  });
});
