/** Cases 39-42, 45 and 52: what a client does with a process that runs. */
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { sharedLab, startLab, WAYS } from "./support/exec-lab.ts";
import { until, type WireClient } from "./support/wire-client.ts";
import { workspaceWrite } from "./support/wire-intent.ts";
import { closed, printed, run, startOf } from "./support/wire-process.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

describe.each(WAYS)("over %s", (over) => {
  const lab = sharedLab({ over });
  const ws = () => lab().place.workspace;
  const confined = () => ({ sandbox: workspaceWrite([ws()]) });
  const ways: [string, () => object][] = [
    ["without a sandbox", () => ({})],
    ["in a sandbox", confined],
    ["with a terminal", () => ({ tty: true })],
    ["with a terminal in a sandbox", () => ({ tty: true, ...confined() })],
  ];

  async function begin(client: WireClient, script: string, more: object = {}): Promise<string> {
    const start = startOf(ws(), script, { ...more });
    await client.call("process/start", start);
    return start.processId;
  }

  it("39 writes what has a name once, and refuses what has none", async () => {
    const client = await lab().client();
    const processId = await begin(client, "cat", { pipeStdin: true });
    for (const writeId of ["a", "a", "b", "a"]) {
      const write = { processId, chunk: base64(`${writeId}\n`), writeId };
      expect(await client.call("process/write", write)).toEqual({ status: "accepted" });
    }
    await printed(client, processId, "b\n");
    const nameless = { processId, chunk: base64("x"), writeId: "" };
    expect((await client.tryCall("process/write", nameless)).error).toEqual({
      code: -32602,
      message: "writeId must not be empty",
    });
    await client.call("process/terminate", { processId });
    expect((await closed(client, processId)).stdout).toBe("a\nb\n");
  });

  it.each([
    ["unpadded", "YQ", "Invalid padding"],
    ["no", "!!!!", "Invalid symbol 33, offset 0."],
  ])("39 refuses %s base64", async (_, chunk, message) => {
    const client = await lab().client();
    const processId = await begin(client, "cat", { pipeStdin: true });
    const { error } = await client.tryCall("process/write", { processId, chunk, writeId: "1" });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(message) });
    await client.call("process/terminate", { processId });
  });

  it("40, 41, 42 knows a process that is not there, in each way of asking", async () => {
    const client = await lab().client();
    const processId = "nobody";
    const write = { processId, chunk: "", writeId: "1" };
    expect(await client.call("process/write", write)).toEqual({ status: "unknownProcess" });
    const signal = { processId, signal: "interrupt" };
    expect(await client.call("process/signal", signal)).toEqual({});
    expect(await client.call("process/terminate", { processId })).toEqual({ running: false });
    expect((await client.tryCall("process/read", { processId })).error).toEqual({
      code: -32600,
      message: "unknown process id nobody",
    });
  });

  it("41 interrupts a command that was started this very moment", async () => {
    const client = await lab().client();
    for (let round = 0; round < 20; round += 1) {
      const processId = await begin(client, "exec sleep 30", { ...confined() });
      expect(await client.call("process/signal", { processId, signal: "interrupt" })).toEqual({});
      expect((await closed(client, processId)).exitCode).toBe(130);
    }
  });

  it.each(ways)("41 lets a command answer an interrupt, %s", async (_, more) => {
    const client = await lab().client();
    const script = "trap 'echo trapped; exit 7' INT; echo ready; while :; do sleep 0.05; done";
    const processId = await begin(client, script, more());
    await printed(client, processId, "ready");
    expect(await client.call("process/signal", { processId, signal: "interrupt" })).toEqual({});
    const { stdout, pty, exitCode } = await closed(client, processId);
    expect([(stdout + pty).replaceAll("\r", ""), exitCode]).toEqual(["ready\ntrapped\n", 7]);
    expect(await client.call("process/signal", { processId, signal: "interrupt" })).toEqual({});
  });

  it.each(ways)("41 interrupts the program that a command waits for, %s", async (_, more) => {
    const client = await lab().client();
    const script = "sh -c 'echo ready; exec sleep 600'; echo over";
    const processId = await begin(client, script, more());
    await printed(client, processId, "ready");
    expect(await client.call("process/signal", { processId, signal: "interrupt" })).toEqual({});
    const { stdout, pty } = await closed(client, processId);
    expect((stdout + pty).replaceAll("\r", "")).toBe("ready\n");
  });

  it.each(ways)("41 interrupts in its group also what has lost its parent, %s", async (_, more) => {
    const client = await lab().client();
    const heard = `heard-${over}-${Object.keys(more()).join("-")}`;
    const orphan = `kill -KILL $PPID; trap "touch ${heard}; exit" INT; echo ready; while :; do sleep 0.05; done`;
    // A shell keeps interrupts from what it starts in the background, so the orphan makes itself one.
    const script = `trap : INT; sh -c "sh -c '${orphan.replaceAll(/["$]/g, "\\$&")}'; :"; until test -e ${heard}; do sleep 0.05; done; exit 7`;
    const processId = await begin(client, script, more());
    await printed(client, processId, "ready");
    expect(await client.call("process/signal", { processId, signal: "interrupt" })).toEqual({});
    expect(await closed(client, processId)).toMatchObject({ exitCode: 7 });
  });

  it.each(ways.slice(0, 2))("41 leaves alone what has left the group, %s", async (_, more) => {
    const client = await lab().client();
    const apart = 'trap "echo heard" INT; echo ready; read line; echo apart';
    const script = `trap 'echo trapped' INT; setsid sh -c '${apart}'`;
    const processId = await begin(client, script, { ...more(), pipeStdin: true });
    await printed(client, processId, "ready");
    expect(await client.call("process/signal", { processId, signal: "interrupt" })).toEqual({});
    await client.call("process/write", { processId, chunk: base64("\n"), writeId: "1" });
    expect((await closed(client, processId)).stdout).toBe("ready\napart\ntrapped\n");
  });

  it("41 refuses other signals", async () => {
    const client = await lab().client();
    const { error } = await client.tryCall("process/signal", { processId: "p", signal: "kill" });
    expect(error?.code).toBe(-32602);
  });

  it.each(ways)(
    "42 ends a process and what it started, though both resist, %s",
    async (_, more) => {
      const client = await lab().client();
      const name = `stubborn-${over}-${Object.keys(more()).join("-")}`;
      const script = `trap '' TERM INT HUP; sh -c "trap '' TERM INT HUP; while :; do sleep 0.05; done" ${name} & echo ready; wait`;
      const processId = await begin(client, script, more());
      await printed(client, processId, "ready");
      await until("its child is there", () => isRunning(name));
      expect(await client.call("process/terminate", { processId })).toEqual({ running: true });
      const { exitCode, events } = await closed(client, processId);
      expect(exitCode).toBe("tty" in more() ? 1 : 137);
      expect(events.map(({ params }) => params.seq)).toEqual(events.map((_, index) => index + 1));
      await until("its child is gone", () => !isRunning(name));
      expect(await client.call("process/terminate", { processId })).toEqual({ running: false });
    },
  );

  it("42 ends in a sandbox also what has left the group", async () => {
    const client = await lab().client();
    const script = `setsid sh -c 'while :; do sleep 0.05; done' escaped-${over} & echo ready; wait`;
    const processId = await begin(client, script, confined());
    await printed(client, processId, "ready");
    await until("its child is there", () => isRunning(`escaped-${over}`));
    await client.call("process/terminate", { processId });
    await closed(client, processId);
    await until("its child is gone", () => !isRunning(`escaped-${over}`));
  });

  it("45 is not closed while something still holds its output", async () => {
    const client = await lab().client();
    const fifo = path.join(ws(), `go-${over}`);
    const processId = await begin(
      client,
      `mkfifo ${fifo}; (read x <${fifo}; echo late) & echo early; exit 5`,
    );
    const exited = await client.waitNote("process/exited", (one) => one.processId === processId);
    expect(exited.params).toMatchObject({ exitCode: 5 });
    const before = await client.call("process/read", { processId, afterSeq: exited.params.seq });
    expect(before).toMatchObject({ exited: true, closed: false });
    fs.writeFileSync(fifo, "\n");
    const { stdout, events } = await closed(client, processId);
    expect(stdout).toBe("early\nlate\n");
    expect(events.map(({ method }) => method)).toEqual([
      "process/output",
      "process/exited",
      "process/output",
      "process/closed",
    ]);
  });

  it("45 terminate ends what still holds the output of a command that exited", async () => {
    const client = await lab().client();
    const processId = await begin(client, "sleep 600 & echo early; exit 5");
    await client.waitNote("process/exited", (one) => one.processId === processId);
    expect(await client.call("process/terminate", { processId })).toEqual({ running: false });
    expect((await closed(client, processId)).exitCode).toBe(5);
  });

  it("52 works requests off one after the other, and tells events meanwhile", async () => {
    const client = await lab().client();
    const processId = await begin(client, "read x; echo out; sleep 600", { pipeStdin: true });
    await client.call("process/write", { processId, chunk: base64("\n"), writeId: "1" });
    await printed(client, processId, "out");
    const order: string[] = [];
    const read = client
      .call("process/read", { processId, afterSeq: 1, waitMs: 400 })
      .then(() => order.push("read"));
    const status = client.call("environment/status").then(() => order.push("status"));
    await Promise.all([read, status]);
    expect(order).toEqual(["read", "status"]);
    await client.call("process/terminate", { processId });
  });
});

describe("42 something that has left the group of a command without a sandbox", () => {
  const script = "setsid sleep 600 & echo $! ready; sleep 600";

  /** It is left alone, as Codex leaves it; the test ends it. */
  async function runaway() {
    const lab = await startLab();
    const client = await lab.open();
    const start = startOf(lab.place.workspace, script);
    await client.call("process/start", start);
    await printed(client, start.processId, "ready");
    const { chunk = "" } = (await client.waitNote("process/output")).params;
    const pid = Number.parseInt(String(Buffer.from(chunk, "base64")), 10);
    onTestFinished(() => void process.kill(pid));
    return { lab, client, processId: start.processId };
  }

  it("does not keep a process that was ended from being closed", async () => {
    const { client, processId } = await runaway();
    expect(await client.call("process/terminate", { processId })).toEqual({ running: true });
    expect(await closed(client, processId)).toMatchObject({ exitCode: 137 });
  });

  it("does not keep the server from stopping", async () => {
    const { lab, client } = await runaway();
    const exit = once(lab.server, "exit");
    lab.server.kill("SIGTERM");
    await client.link.closed;
    expect(await exit).toEqual([0, null]);
  });
});

it("52 lets control calls through while every other slot is taken", async () => {
  const lab = await startLab({ flags: ["--concurrent-requests", "2"] });
  const client = await lab.open();
  const start = startOf(lab.place.workspace, "sleep 600");
  const { processId } = start;
  await client.call("process/start", start);
  const waiting = [1, 2, 3].map(() =>
    client.call("process/read", { processId, waitMs: 600_000, afterSeq: 0 }),
  );
  expect(await client.call("environment/status")).toEqual({ status: "ready" });
  expect(await client.call("environment/info")).toMatchObject({ platformOs: "linux" });
  expect(await client.call("process/signal", { processId: "no", signal: "interrupt" })).toEqual({});
  expect(await client.call("process/terminate", { processId })).toEqual({ running: true });
  for (const answer of await Promise.all(waiting)) expect(answer).toMatchObject({ exited: true });
});

it.each(["0", "x", "1.5"])("52 refuses to start with --concurrent-requests %s", async (count) => {
  const wrong = startLab({ flags: ["--concurrent-requests", count] });
  await expect(wrong).rejects.toThrow(/expected 1 to/);
});

it("17 gives every process its own numbers when many run at once", async () => {
  const lab = await startLab({ flags: ["--concurrent-requests", "8"] });
  const client = await lab.open();
  const heard = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      run(client, startOf(lab.place.workspace, `echo ${index}; exit ${index}`)),
    ),
  );
  expect(heard.map(({ stdout, exitCode }) => [stdout, exitCode])).toEqual(
    heard.map((_, index) => [`${index}\n`, index]),
  );
});

/** Whether a process of that name is on this host, in whatever namespace. */
function isRunning(name: string): boolean {
  return fs
    .readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .some((pid) => argvOf(pid).at(-1) === name);
}

function argvOf(pid: string): string[] {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
  } catch {
    return [];
  }
}

it.each([["pipes", false] as const, ["a terminal", true] as const])(
  "ends a command without a sandbox and its children with a server that is killed, on %s",
  async (_, tty) => {
    const lab = await startLab();
    const client = await lab.open();
    const script = "sleep 600 & echo $$ $! ready; wait";
    const start = startOf(lab.place.workspace, script, { tty });
    await client.call("process/start", start);
    await printed(client, start.processId, "ready");
    const { chunk = "" } = (await client.waitNote("process/output")).params;
    const pids = String(Buffer.from(chunk, "base64")).match(/\d+/g) ?? [];
    expect(pids).toHaveLength(2);
    lab.server.kill("SIGKILL");
    await until("none is left", () => pids.every((pid) => !fs.existsSync(`/proc/${pid}`)));
  },
);
