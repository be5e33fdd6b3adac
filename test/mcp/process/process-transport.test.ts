import { describe, expect, it, vi } from "vitest";
import { ExecError } from "../../../src/exec/index.ts";
import { createProcessTransport } from "../../../src/mcp/index.ts";
import type { CloseReason, Incoming } from "../../../src/rpc/index.ts";
import { ScriptedProcess } from "./support/scripted-process.ts";

function connect(running: ScriptedProcess, options: { readonly maxLineBytes?: number } = {}) {
  const noise: string[] = [];
  const got: Incoming[] = [];
  const ends: CloseReason[] = [];
  const transport = createProcessTransport(running, {
    stderr: (chunk) => noise.push(Buffer.from(chunk).toString()),
    ...options,
  });
  const open = () =>
    transport.open({ message: (one) => got.push(one), closed: (reason) => ends.push(reason) });
  return { transport, noise, got, ends, open };
}

const texts = (got: readonly Incoming[]) =>
  got.map((one) => (one.kind === "text" ? one.text : one.kind));

describe("createProcessTransport", () => {
  it("cuts what the process prints into lines", async () => {
    const running = new ScriptedProcess();
    const { open, got } = connect(running);
    open();
    running.say('{"a":');
    running.say('1}\n{"b":2}\n{"c"');
    await expect.poll(() => texts(got)).toEqual(['{"a":1}', '{"b":2}']);
  });

  it("hands on the other stream as it comes, before anybody listens to lines", async () => {
    const running = new ScriptedProcess();
    const { noise } = connect(running);
    running.complain("warn");
    running.complain("ing\n");
    await expect.poll(() => noise).toEqual(["warn", "ing\n"]);
  });

  it("sends each message as a line", async () => {
    const running = new ScriptedProcess();
    const { transport, open } = connect(running);
    open();
    await transport.send('{"id":1}');
    await transport.send('{"id":2}');
    await expect.poll(() => running.written).toEqual(['{"id":1}', '{"id":2}']);
  });

  it("is closed once, with the status, when the process exits", async () => {
    const running = new ScriptedProcess();
    const { open, ends, got } = connect(running);
    open();
    running.say("last\n");
    running.exit(3);
    await expect.poll(() => ends).toHaveLength(1);
    expect(texts(got)).toEqual(["last"]);
    expect(ends).toEqual([{ kind: "ended", reason: "the process exited with status 3" }]);
  });

  it("lets go of what the process left behind", async () => {
    const running = new ScriptedProcess();
    const { open } = connect(running);
    open();
    running.add({ kind: "exited", exit: { exitCode: 0, sandboxDenied: false } });
    await expect.poll(() => running.done).toContain("terminate");
  });

  it("closes the input when it is closed, and still takes all that is printed", async () => {
    const running = new ScriptedProcess();
    running.polite = false;
    const { transport, open, noise, ends } = connect(running);
    open();
    transport.close("enough");
    await expect.poll(() => running.done).toEqual(["closeInput"]);
    running.say("nobody reads this\n".repeat(20_000));
    running.complain("bye");
    await expect.poll(() => noise).toEqual(["bye"]);
    expect(ends).toEqual([{ kind: "local", reason: "enough" }]);
    await expect(transport.send("{}")).rejects.toThrow("closed");
  });

  it("takes no more from the process than a paused reader can hold", async () => {
    const running = new ScriptedProcess();
    const { transport, open, got } = connect(running);
    open();
    transport.pause();
    for (let count = 0; count < 64; count += 1) running.say(`${"x".repeat(65_535)}\n`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(running.taken).toBeLessThan(8);
    expect(got).toEqual([]);
    transport.resume();
    await expect.poll(() => got).toHaveLength(64);
  });

  it("lets a sender wait for a process that does not read", async () => {
    const running = new ScriptedProcess();
    const reading = Promise.withResolvers<boolean>();
    running.onWrite = () => reading.promise;
    const { transport, open } = connect(running);
    open();
    const sent = vi.fn();
    const all = transport.send("x".repeat(1 << 20)).then(sent);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(sent).not.toHaveBeenCalled();
    reading.resolve(true);
    await all;
  });

  it("waits on where the executor says that the process is slow", async () => {
    const running = new ScriptedProcess();
    let refusals = 2;
    running.onWrite = async () => {
      refusals -= 1;
      if (refusals >= 0) throw new ExecError("invalidRequest", "slow", { field: "chunk" });
      return true;
    };
    const { transport, open, ends } = connect(running);
    open();
    await transport.send("{}");
    await expect.poll(() => running.written).toEqual(["{}"]);
    expect(ends).toEqual([]);
  });

  it("leaves others their turn while a process has no room", async () => {
    const running = new ScriptedProcess();
    const turn = { isOthers: false };
    let refusals = 0;
    // Were it tried again without a pause, the others would never be heard.
    running.onWrite = async () => {
      refusals += 1;
      if (turn.isOthers || refusals === 1000) return true;
      throw new ExecError("invalidRequest", "slow", { field: "chunk" });
    };
    const { transport, open } = connect(running);
    open();
    setImmediate(() => {
      turn.isOthers = true;
    });
    await transport.send("{}");
    await expect.poll(() => running.written).toEqual(["{}"]);
    expect(refusals).toBeLessThan(1000);
  });

  it("writes a long line in pieces an executor takes", async () => {
    const running = new ScriptedProcess();
    const write = vi.spyOn(running, "write");
    const { transport, open } = connect(running);
    open();
    const line = "y".repeat(3 << 20);
    await transport.send(line);
    await expect.poll(() => running.written).toEqual([line]);
    expect(write.mock.calls.every(([bytes]) => bytes.length <= 1 << 20)).toBe(true);
  });

  it.each([
    ["refuses input", async () => false],
    [
      "is lost",
      async () => {
        throw new ExecError("disconnected", "gone");
      },
    ],
  ])("fails when the process %s", async (_, onWrite) => {
    const running = new ScriptedProcess();
    running.onWrite = onWrite;
    const { transport, open, ends } = connect(running);
    open();
    await transport.send("{}");
    await expect.poll(() => ends).toHaveLength(1);
    expect(ends[0]?.kind).toBe("failed");
  });

  it("fails on a line over the limit", async () => {
    const running = new ScriptedProcess();
    const { open, ends, got } = connect(running, { maxLineBytes: 10 });
    open();
    running.say("12345678901\n");
    await expect.poll(() => ends).toHaveLength(1);
    expect(ends[0]).toEqual({ kind: "failed", reason: "a line is over the limit" });
    expect(got).toEqual([]);
  });
});
