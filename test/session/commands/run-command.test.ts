import { describe, expect, it } from "vitest";
import { SessionError } from "../../../src/session/session-error.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { settle } from "../support/fake-clock.ts";
import type { CommandScript } from "../support/fake-command.ts";
import { realCommand } from "../support/real-command.ts";
import { NEVER, sessionLab } from "../support/session-lab.ts";

function scripted(script: CommandScript, options: Parameters<typeof sessionLab>[0] = {}) {
  const lab = sessionLab(options);
  lab.provider.onCreate = (sandbox) => {
    sandbox.script = () => script;
  };
  return lab;
}

describe("a command", () => {
  it("is its own script, with variables beside it and no input, D6", async () => {
    const { provider, session } = sessionLab();
    const env = { TOKEN: 'it\'s a "test"\nwith $lines' };
    const input = { command: "server & curl x" };
    await session.tools.execute({ tool: "bash", input, env, signal: NEVER });
    const [request] = provider.at(1).commands;
    expect(request?.argv).toEqual(["/bin/bash", "-c", "server & curl x"]);
    expect(request?.env).toMatchObject({ CI: "1", TERM: "dumb", GIT_TERMINAL_PROMPT: "0", ...env });
    expect(request?.stdin).toBe("none");
    expect(request?.cwd).toBe(".");
    expect(request?.ids).toEqual({ session: "sbx_1", tool: "bash" });
  });

  it("case 95, D6: has its variables on both sides of an &", async () => {
    const { provider, session } = sessionLab();
    provider.onCreate = (sandbox) => {
      sandbox.script = realCommand(temporaryFolder());
    };
    const env = { TOKEN: "secret" };
    const input = { command: 'echo "a $TOKEN $CI" & wait; echo "b $TOKEN $CI"; cat' };
    const { value } = await session.tools.execute({ tool: "bash", input, env, signal: NEVER });
    expect(value).toMatchObject({ exitCode: 0, stdout: "a secret 1\nb secret 1\n" });
  });

  it("case 96: gets values with quotes and line ends as they are", async () => {
    const { provider, session } = sessionLab();
    provider.onCreate = (sandbox) => {
      sandbox.script = realCommand(temporaryFolder());
    };
    const VALUE = 'it\'s "two"\nlines `and` $(more)\\';
    const input = { command: 'printf %s "$VALUE"' };
    const { value } = await session.tools.execute({
      ...{ tool: "bash", input, env: { VALUE }, signal: NEVER },
    });
    expect(value).toMatchObject({ stdout: VALUE });
  });

  it.each([
    ["a name with a space", { "A B": "1" }],
    ["a name with =", { "A=B": "1" }],
    ["an empty name", { "": "1" }],
    ["a zero byte", { A: "1\0" }],
  ])("refuses %s before there is a sandbox", async (_, env) => {
    const { provider, session } = sessionLab();
    const call = { by: "test", argv: ["true"], env, signal: NEVER } as const;
    await expect(session.run(call)).rejects.toMatchObject({ code: "invalidInput" });
    expect(provider.created).toEqual([]);
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses a time-out of %s", async (timeoutMs) => {
    const { session } = sessionLab();
    const call = { by: "test", argv: ["true"], timeoutMs, signal: NEVER } as const;
    await expect(session.run(call)).rejects.toMatchObject({ code: "invalidInput" });
  });

  it("that fails is a result, with its status and its receipt", async () => {
    const { bash } = scripted({ exitCode: 3, stderr: "no\n" });
    expect(await bash("false")).toEqual({
      ...{ ok: false, cwd: ".", exitCode: 3, stdout: "", stderr: "no\n" },
      ...{ isStdoutCut: false, isStderrCut: false, log: null },
      ...{ timedOut: false, aborted: false, outcomeUnknown: false },
      ...{ sandboxDenied: false, receiptId: "receipt-sbx_1-1" },
    });
  });

  it("that the policy refuses did not run, and says so", async () => {
    const { provider, bash } = sessionLab();
    provider.onCreate = ({ faults }) => faults.run.push(new SessionError("forbidden", "x"));
    await expect(bash("true")).rejects.toMatchObject({ code: "forbidden" });
  });

  it("case 63: that hangs is killed after five minutes and is 124", async () => {
    const { provider, bash, clock } = scripted({ stdout: "so far\n", exitCode: null });
    const running = bash("sleep");
    await clock.pass(5 * 60_000 - 1);
    expect(provider.at(1).running[0]?.isKilled).toBe(false);
    await clock.pass(1);
    expect(await running).toMatchObject({
      ...{ exitCode: 124, timedOut: true, aborted: false, outcomeUnknown: false },
      ...{ stdout: "so far\n", receiptId: "receipt-sbx_1-1" },
    });
    expect(provider.at(1).running[0]?.isKilled).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  it("case 63: has a time-out of its own where one is asked for", async () => {
    const { tool, clock } = scripted({ exitCode: null });
    const running = tool("bash", { command: "sleep", timeoutMs: 50 });
    await clock.pass(50);
    expect((await running).value).toMatchObject({ exitCode: 124, timedOut: true });
  });

  it("case 64: that is cancelled is killed, is 130, and nobody knows what it did", async () => {
    const { provider, bash } = scripted({ exitCode: null });
    const cancel = new AbortController();
    const running = bash("sleep", cancel.signal);
    await settle();
    cancel.abort();
    const result = { exitCode: 130, aborted: true, timedOut: false, outcomeUnknown: true };
    expect(await running).toMatchObject(result);
    expect(provider.at(1).running[0]?.isKilled).toBe(true);
  });

  it("that does not die is not waited for, and nobody knows what it does", async () => {
    const { provider, tool, clock } = scripted({ exitCode: null });
    const running = tool("bash", { command: "sleep", timeoutMs: 1000 });
    await settle();
    const [command] = provider.at(1).running;
    if (command) command.kill = async () => {};
    await clock.pass(1000 + 5000);
    expect((await running).value).toMatchObject({ exitCode: 124, outcomeUnknown: true });
  });

  it("that is cancelled while it is being started is killed when it is", async () => {
    const { provider, bash, clock, session } = sessionLab();
    await session.acquire({ by: "bash", signal: NEVER });
    const { promise, resolve } = Promise.withResolvers<void>();
    const sandbox = provider.at(1);
    sandbox.script = () => ({ exitCode: null });
    const start = sandbox.runCommand.bind(sandbox);
    sandbox.runCommand = async (request) => {
      await promise;
      return start(request);
    };
    const cancel = new AbortController();
    const running = bash("sleep", cancel.signal);
    await settle();
    cancel.abort();
    await clock.pass(5000);
    expect(await running).toMatchObject({ exitCode: 130 });
    resolve();
    await settle();
    expect(sandbox.running[0]?.isKilled).toBe(true);
  });
});

describe("what a command prints", () => {
  it("is whole up to 30,000 bytes, and then no log is written", async () => {
    const { provider, bash } = scripted({ stdout: "x".repeat(30_000) });
    expect(await bash("yes")).toMatchObject({ isStdoutCut: false, log: null });
    expect(provider.at(1).files.size).toBe(0);
  });

  it("case 94: of one byte more is beginning and end, and how much is missing and where it is", async () => {
    const { provider, bash } = scripted({ stdout: `${"a".repeat(10_001)}${"b".repeat(20_000)}` });
    const result = await bash("yes");
    expect(result).toMatchObject({ isStdoutCut: true, isStderrCut: false });
    const { log, stdout } = result;
    expect(log).toMatch(/^\.writ-logs\/[\w-]+\.log$/);
    const gap = `\n[1 of 30001 bytes left out; all of it is in ${log}]\n`;
    expect(stdout).toBe(`${"a".repeat(10_000)}${gap}${"b".repeat(20_000)}`);
    expect(provider.at(1).files.get(String(log))?.length).toBe(30_001);
    expect(provider.at(1).files.get(".writ-logs/.gitignore")?.toString()).toBe("*\n");
  });

  it("is not said to be all in a log that lacks some of it as well", async () => {
    const { provider, bash } = scripted({ stdout: "x".repeat(17 << 20) });
    const { log, stdout } = await bash("yes");
    expect(stdout).toContain(`left out; more of it, beginning and end, is in ${log}]`);
    expect(provider.at(1).files.get(String(log))?.length).toBeLessThan(17 << 20);
  });

  it("does not fail a command whose log cannot be written", async () => {
    const { provider, bash, session } = scripted({ stderr: "x".repeat(40_000) });
    await session.acquire({ by: "bash", signal: NEVER });
    provider.at(1).faults.file.push(new SessionError("forbidden", "read-only"));
    const result = await bash("yes");
    expect(result).toMatchObject({ exitCode: 0, isStderrCut: true, log: null });
    expect(result.stderr).toContain("[10000 of 40000 bytes left out; it was not kept]");
  });
});
