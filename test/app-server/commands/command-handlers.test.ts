import { describe, expect, it } from "vitest";
import { ExecError } from "../../../src/exec/index.ts";
import { policyForMode, profileOfPolicy, uriOfNative } from "../../../src/policy/index.ts";
import { CommandLab } from "./support/command-lab.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("command/exec", () => {
  it("answers with what was printed to each stream, and the exit code", async () => {
    const { process, result } = await new CommandLab().begin({ command: ["make"] });
    process.printTo("stdout", "out");
    process.printTo("stderr", "err");
    process.exit(7);
    expect(await result).toEqual({ exitCode: 7, stdout: "out", stderr: "err" });
  });

  it("E01: hands the policy on as it came, with the folder of the request", async () => {
    const lab = new CommandLab();
    const sandboxPolicy = { type: "readOnly", unknown: 1 };
    (await lab.begin({ sandboxPolicy, cwd: "/a" })).process.exit(0);
    (await lab.begin({ permissionProfile: ":read-only" })).process.exit(0);
    (await lab.begin({})).process.exit(0);
    expect(lab.asks).toEqual([
      { sandboxPolicy, cwd: "/a" },
      { permissionProfile: ":read-only", cwd: "/srv/server" },
      { cwd: "/srv/server" },
    ]);
  });

  it("E02 E07: binds the policy to the folder of the request, not to that of the server", async () => {
    const lab = new CommandLab();
    (await lab.begin({ cwd: "/a/b", sandboxPolicy: { type: "workspaceWrite" } })).process.exit(0);
    const at = uriOfNative("/a/b");
    expect(lab.requests[0]).toMatchObject({
      cwd: at,
      sandbox: { kind: "enforce", context: { cwd: at, workspaceRoots: [at] } },
    });
  });

  it("E06: marks a command without network, whatever the client says", async () => {
    const lab = new CommandLab();
    const env = { CODEX_SANDBOX_NETWORK_DISABLED: "0" };
    (await lab.begin({ env })).process.exit(0);
    (await lab.begin({ env: { CODEX_SANDBOX_NETWORK_DISABLED: null } })).process.exit(0);
    lab.profile = profileOfPolicy(policyForMode("danger-full-access"));
    (await lab.begin({})).process.exit(0);
    expect(lab.requests.map(({ env }) => env.CODEX_SANDBOX_NETWORK_DISABLED)).toEqual([
      "1",
      "1",
      undefined,
    ]);
  });

  it("gets the variables of the server's commands, and leaves out what is taken away", async () => {
    const lab = new CommandLab();
    (await lab.begin({ env: { FOO: "bar", pager: null } })).process.exit(0);
    expect(lab.requests[0]?.envPolicy).toBeNull();
    expect(lab.requests[0]?.env).toEqual({
      Plain: "kept",
      FOO: "bar",
      CODEX_SANDBOX_NETWORK_DISABLED: "1",
    });
  });

  it("names itself in the receipt, and gives no input to what does not stream it", async () => {
    const lab = new CommandLab();
    (await lab.begin({ processId: "p1" })).process.exit(0);
    const [request] = lab.requests;
    expect(request).toMatchObject({ pipeStdin: false, terminal: null, anchor: null });
    expect(request?.ids).toEqual({ request: request?.processId, process: "p1" });
  });

  it("E04: ends a command after its time with 124, with what it printed until then", async () => {
    const lab = new CommandLab();
    const { process, result } = await lab.begin({ timeoutMs: 400 });
    process.printTo("stdout", "a");
    await lab.clock.pass(399);
    expect(process.isTerminated).toBe(false);
    await lab.clock.pass(1);
    expect(await result).toEqual({ exitCode: 124, stdout: "a", stderr: "" });
  });

  it("E04: gives a command 10 s when nothing is said", async () => {
    const lab = new CommandLab();
    const { process, result } = await lab.begin({});
    await lab.clock.pass(9_999);
    expect(process.isTerminated).toBe(false);
    await lab.clock.pass(1);
    expect((await result).exitCode).toBe(124);
  });

  it("E04: says 124 for no time at all, however quick the command was", async () => {
    const lab = new CommandLab();
    const { result } = await lab.begin({ timeoutMs: 0 });
    expect((await result).exitCode).toBe(124);
  });

  it("keeps the exit code of a command that was over before its time was", async () => {
    const lab = new CommandLab();
    const { process, result } = await lab.begin({ timeoutMs: 100 });
    process.exitHeld(3);
    await lab.clock.pass(100);
    expect((await result).exitCode).toBe(3);
    expect(lab.clock.waiting).toBe(0);
  });

  it("sets no time where it is disabled", async () => {
    const lab = new CommandLab();
    const { process, result } = await lab.begin({ disableTimeout: true });
    await lab.clock.pass(1_000_000_000);
    expect(process.isTerminated).toBe(false);
    process.exit(0);
    expect((await result).exitCode).toBe(0);
  });

  it("does not wait for what a command left behind with its streams", async () => {
    const lab = new CommandLab();
    const { process, result } = await lab.begin({ disableTimeout: true });
    process.exitHeld(5);
    await lab.clock.pass(1_999);
    expect(process.isTerminated).toBe(false);
    await lab.clock.pass(1);
    expect((await result).exitCode).toBe(5);
  });

  it("cuts each stream at the cap, and lets the command go on", async () => {
    const { process, result } = await new CommandLab().begin({ outputBytesCap: 4 });
    for (const text of ["01", "2345", "67"]) process.printTo("stdout", text);
    process.printTo("stderr", "abc");
    process.exit(0);
    expect(await result).toEqual({ exitCode: 0, stdout: "0123", stderr: "abc" });
  });

  it("keeps 1 MiB of a stream when nothing is said, and all of it where the cap is disabled", async () => {
    const lab = new CommandLab();
    const long = "x".repeat(1_048_577);
    for (const [params, length] of [
      [{}, 1_048_576],
      [{ disableOutputCap: true }, 1_048_577],
    ] as const) {
      const { process, result } = await lab.begin(params);
      process.printTo("stdout", long);
      process.exit(0);
      expect((await result).stdout).toHaveLength(length);
    }
  });

  it("refuses to keep more than an answer can hold, and ends the command", async () => {
    const { process, result } = await new CommandLab().begin({ disableOutputCap: true });
    const part = "x".repeat(16 << 20);
    for (const stream of ["stdout", "stderr", "stdout"] as const) process.printTo(stream, part);
    await expect(result).rejects.toMatchObject({
      wireCode: -32603,
      message: expect.stringContaining("it printed more than 33554432 bytes"),
    });
    expect(process.isTerminated).toBe(true);
  });

  it.each([
    ["spawnFailed", -32603, "failed to spawn command: why"],
    ["unenforceable", -32603, "failed to spawn command: why"],
    ["notAllowed", -32600, "invalid sandbox policy: why"],
    ["invalidRequest", -32600, "why"],
  ] as const)("says in a sentence why nothing was started: %s", async (code, wireCode, message) => {
    const lab = new CommandLab();
    lab.fault = new ExecError(code, "why", { receiptId: "r1" });
    const data = { writ: { code, receiptId: "r1" } };
    await expect(lab.exec({ processId: "p" })).rejects.toMatchObject({ wireCode, message, data });
    await expect(lab.terminate("p")).rejects.toThrow('no active command/exec for process id "p"');
  });

  it("names the profile where that is what is not allowed", async () => {
    const lab = new CommandLab();
    lab.fault = new ExecError("notAllowed", "why");
    const asked = lab.exec({ permissionProfile: ":danger-full-access" });
    await expect(asked).rejects.toThrow("invalid permission profile: why");
  });

  it("fails where the end of a command was lost", async () => {
    const { process, result } = await new CommandLab().begin({});
    process.tell(new ExecError("lostOutput", "gone"));
    await expect(result).rejects.toMatchObject({ wireCode: -32603, message: "gone" });
    const other = await new CommandLab().begin({});
    other.process.tell({ kind: "closed" });
    await expect(other.result).rejects.toThrow("Cannot tell how the command ended");
  });

  it("E05: refuses an empty argv without asking for a policy", async () => {
    const lab = new CommandLab();
    await expect(lab.exec({ command: [] })).rejects.toThrow("command must not be empty");
    expect(lab.asks).toEqual([]);
  });
});

describe("a streaming command", () => {
  it("tells what it prints before the answer, and not again in it", async () => {
    const lab = new CommandLab();
    const { process, result } = await lab.begin({ processId: "p1", streamStdoutStderr: true });
    process.printTo("stdout", "one");
    process.printTo("stderr", "two");
    process.exit(0);
    expect(await result).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    const delta = { processId: "p1", capReached: false };
    expect(lab.told).toEqual([
      { ...delta, stream: "stdout", deltaBase64: base64("one") },
      { ...delta, stream: "stderr", deltaBase64: base64("two") },
    ]);
  });

  it("calls a terminal stdout", async () => {
    const lab = new CommandLab();
    const { process, result } = await lab.begin({ processId: "p", tty: true });
    process.printTo("pty", "x");
    process.exit(0);
    await result;
    expect(lab.told).toMatchObject([{ stream: "stdout", deltaBase64: base64("x") }]);
  });

  it("says once that the cap is reached, and nothing of that stream after it", async () => {
    const lab = new CommandLab();
    const asked = { processId: "p", streamStdoutStderr: true, outputBytesCap: 4 };
    const { process, result } = await lab.begin(asked);
    for (const text of ["0123456789", "more"]) process.printTo("stdout", text);
    process.printTo("stderr", "abc");
    process.exit(0);
    await result;
    expect(lab.told).toMatchObject([
      { stream: "stdout", deltaBase64: base64("0123"), capReached: true },
      { stream: "stderr", deltaBase64: base64("abc"), capReached: false },
    ]);
  });

  it("ends where nobody hears it any more", async () => {
    const lab = new CommandLab();
    lab.deaf = new Error("the connection is over");
    const { process, result } = await lab.begin({ processId: "p", streamStdoutStderr: true });
    process.printTo("stdout", "x");
    expect((await result).exitCode).toBe(137);
    expect(process.isTerminated).toBe(true);
  });
});
