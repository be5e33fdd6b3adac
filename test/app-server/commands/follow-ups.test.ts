import { describe, expect, it } from "vitest";
import { CommandLab } from "./support/command-lab.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const NONE = { wireCode: -32600, message: 'no active command/exec for process id "p"' };

describe("command/exec/write", () => {
  it("writes, and closes only after what was written", async () => {
    const lab = new CommandLab();
    const { process, result } = await lab.begin({ processId: "p", streamStdin: true });
    expect(lab.requests[0]?.pipeStdin).toBe(true);
    expect(await lab.write({ processId: "p", deltaBase64: base64("hi\n") })).toEqual({});
    expect(process.isInputClosed).toBe(false);
    await lab.write({ processId: "p", deltaBase64: base64("yo"), closeStdin: true });
    expect(process).toMatchObject({ written: ["hi\n", "yo"], isInputClosed: true });
    process.exit(0);
    await result;
    await expect(lab.write({ processId: "p", deltaBase64: "" })).rejects.toMatchObject(NONE);
  });

  it("waits for a command that is being started", async () => {
    const lab = new CommandLab();
    const gate = Promise.withResolvers<void>();
    lab.gate = gate.promise;
    const result = lab.exec({ processId: "p", streamStdin: true });
    const written = lab.write({ processId: "p", deltaBase64: base64("early") });
    gate.resolve();
    await written;
    expect(lab.processes[0]?.written).toEqual(["early"]);
    lab.processes[0]?.exit(0);
    await result;
  });

  it.each([
    [{}, -32602, "command/exec/write requires deltaBase64 or closeStdin"],
    [{ deltaBase64: "!!" }, -32602, "invalid deltaBase64: Invalid symbol 33, offset 0."],
    [{ deltaBase64: "QQ" }, -32602, "invalid deltaBase64: Invalid padding"],
  ])("refuses %j", async (params, wireCode, message) => {
    const lab = new CommandLab();
    const { process } = await lab.begin({ processId: "p", streamStdin: true });
    const written = lab.write({ processId: "p", ...params });
    await expect(written).rejects.toMatchObject({ wireCode, message });
    expect(process.written).toEqual([]);
  });

  it("refuses input that was not to be streamed, or has ended", async () => {
    const lab = new CommandLab();
    await lab.begin({ processId: "a" });
    const { process } = await lab.begin({ processId: "b", streamStdin: true });
    process.takesInput = false;
    const write = (processId: string) => lab.write({ processId, deltaBase64: base64("x") });
    await expect(write("a")).rejects.toMatchObject({
      wireCode: -32600,
      message: "stdin streaming is not enabled for this command/exec",
    });
    await expect(write("b")).rejects.toMatchObject({
      wireCode: -32600,
      message: "stdin is already closed",
    });
  });
});

describe("command/exec/resize", () => {
  it("resizes a terminal, and refuses what has none or no size", async () => {
    const lab = new CommandLab();
    const { process } = await lab.begin({ processId: "t", tty: true });
    await lab.begin({ processId: "p", streamStdin: true });
    const size = { rows: 12, cols: 34 };
    await lab.resize({ processId: "t", size });
    expect(process.sizes).toEqual([{ rows: 12, columns: 34 }]);
    await expect(lab.resize({ processId: "p", size })).rejects.toThrow("failed to resize PTY");
    const none = lab.resize({ processId: "t", size: { rows: 12, cols: 0 } });
    await expect(none).rejects.toMatchObject({ wireCode: -32602 });
  });
});

describe("command/exec/terminate", () => {
  it("ends a command with 137, with a terminal too", async () => {
    const lab = new CommandLab();
    for (const params of [{}, { tty: true }]) {
      const { process, result } = await lab.begin({ processId: "p", ...params });
      if ("tty" in params) process.endsWith = 1;
      expect(await lab.terminate("p")).toEqual({});
      expect((await result).exitCode).toBe(137);
    }
  });

  it("keeps the exit code of a command that was over first", async () => {
    const lab = new CommandLab();
    const { process, result } = await lab.begin({ processId: "p", tty: true });
    process.exitHeld(4);
    await lab.terminate("p");
    expect((await result).exitCode).toBe(4);
  });

  it("knows no command that was not started", async () => {
    await expect(new CommandLab().terminate("p")).rejects.toMatchObject(NONE);
  });
});

describe("a name of a command", () => {
  it("is refused while it runs, and free afterwards", async () => {
    const lab = new CommandLab();
    const { process, result } = await lab.begin({ processId: "p" });
    await expect(lab.exec({ processId: "p" })).rejects.toMatchObject({
      wireCode: -32600,
      message: 'duplicate active command/exec process id: "p"',
    });
    expect(lab.processes).toHaveLength(1);
    process.exit(0);
    await result;
    (await lab.begin({ processId: "p" })).process.exit(0);
  });

  it("belongs to its connection: another neither reaches it nor is in its way", async () => {
    const lab = new CommandLab();
    const { process } = await lab.begin({ processId: "p", streamStdin: true });
    const other = lab.connect();
    await expect(lab.terminate("p", other)).rejects.toMatchObject(NONE);
    const write = lab.write({ processId: "p", deltaBase64: base64("x") }, other);
    await expect(write).rejects.toMatchObject(NONE);
    const theirs = lab.exec({ processId: "p" }, other);
    await lab.clock.pass(0);
    lab.processes[1]?.exit(0);
    expect((await theirs).exitCode).toBe(0);
    expect(process).toMatchObject({ isTerminated: false, written: [] });
  });
});

describe("the end of a connection", () => {
  it("ends its commands, those without a name too", async () => {
    const lab = new CommandLab();
    const all = [await lab.begin({ processId: "p", disableTimeout: true }), await lab.begin({})];
    lab.closing.abort();
    await Promise.all(all.map(({ result }) => result));
    expect(lab.processes.map((one) => one.isTerminated)).toEqual([true, true]);
  });

  it("ends a command that was being started meanwhile", async () => {
    const lab = new CommandLab();
    const gate = Promise.withResolvers<void>();
    lab.startGate = gate.promise;
    const result = lab.exec({ disableTimeout: true });
    await lab.clock.pass(0);
    lab.closing.abort();
    gate.resolve();
    expect((await result).exitCode).toBe(137);
    expect(lab.processes[0]?.isTerminated).toBe(true);
  });

  it("starts nothing after it", async () => {
    const lab = new CommandLab();
    const gate = Promise.withResolvers<void>();
    lab.gate = gate.promise;
    const result = lab.exec({});
    lab.closing.abort();
    gate.resolve();
    await expect(result).rejects.toThrow("the connection is over");
    expect(lab.requests).toEqual([]);
  });

  it("ends a command whose request was cancelled", async () => {
    const lab = new CommandLab();
    const { process, result } = await lab.begin({ disableTimeout: true });
    lab.cancelling.abort();
    await result;
    expect(process.isTerminated).toBe(true);
  });
});
