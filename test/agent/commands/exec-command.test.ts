import { describe, expect, it } from "vitest";
import type { CommandExecution, TurnItem } from "../../../src/agent/index.ts";
import { ExecError } from "../../../src/exec/index.ts";
import { type FakeProcess, fakeExecutor } from "../support/fake-executor.ts";
import { exec, FRAME, profileIn, turnLab } from "../support/turn-lab.ts";

function commandIn(items: readonly TurnItem[]): CommandExecution {
  const found = items.find((item) => item.type === "commandExecution");
  if (found?.type !== "commandExecution") throw new Error("there is no command");
  return found;
}

async function ran(begin: (process: FakeProcess) => void, more: object = {}) {
  const executor = fakeExecutor(begin);
  const lab = turnLab({ executor, steps: [[exec("work", more)]] });
  await lab.run("go");
  return { lab, executor, item: commandIn(lab.completed()) };
}

describe("a command", () => {
  it("starts under the policy of the turn, with core variables and the names of the call", async () => {
    const { executor, item } = await ran((process) => void process.exit(0));
    expect(executor.requests).toEqual([
      {
        processId: expect.stringMatching(/^agent-/),
        argv: ["/bin/bash", "-lc", "work"],
        arg0: null,
        cwd: FRAME.cwd,
        envPolicy: expect.objectContaining({ inherit: "core", ignoreDefaultExcludes: false }),
        env: {},
        terminal: null,
        pipeStdin: false,
        sandbox: {
          kind: "enforce",
          context: {
            profile: FRAME.profile,
            cwd: FRAME.cwd,
            workspaceRoots: FRAME.workspaceRoots,
            settings: { windowsSandboxLevel: "disabled" },
          },
        },
        anchor: null,
        ids: { thread: "thread-1", turn: "turn-1", call: item.id },
      },
    ]);
  });

  it("is shown as one would type it, with its output, exit code and duration", async () => {
    const { item } = await ran((process) => void process.print("one\n").print("two\n").exit(0));
    expect(item).toMatchObject({
      command: "/bin/bash -lc work",
      cwd: "/srv/space",
      source: "agent",
      status: "completed",
      output: "one\ntwo\n",
      exitCode: 0,
      durationMs: expect.any(Number),
      processId: null,
      denial: null,
      call: { name: "exec_command", output: expect.stringMatching(/code 0\nOutput:\none\ntwo\n$/) },
    });
  });

  it("whose output ends in the middle of a character shows that something was there", async () => {
    const cut = Buffer.from("abc€").subarray(0, 5);
    const { item, lab } = await ran((process) => void process.print(cut).exit(0));
    expect(item.output).toBe("abc\ufffd");
    const deltas = lab.events.flatMap((one) => (one.kind === "outputDelta" ? [one.delta] : []));
    expect(deltas.join("")).toBe("abc\ufffd");
  });

  it("quotes what a shell would take apart", async () => {
    const lab = turnLab({ steps: [[exec("echo 'a b' > c")]] });
    await lab.run("go");
    expect(commandIn(lab.completed()).command).toBe(
      String.raw`/bin/bash -lc 'echo '\''a b'\'' > c'`,
    );
  });

  it("runs without a login shell, in another folder and with a terminal where it says so", async () => {
    const more = { login: false, workdir: "sub/../other", tty: true };
    const { executor, item } = await ran((process) => void process.exit(0), more);
    expect(executor.requests[0]).toMatchObject({
      argv: ["/bin/bash", "-c", "work"],
      cwd: "file:///srv/space/other",
      terminal: { columns: 80, rows: 24 },
      sandbox: { context: { cwd: FRAME.cwd } },
    });
    expect(item.cwd).toBe("/srv/space/other");
  });

  it("is started before it runs, and shown while it does", async () => {
    const { lab } = await ran((process) => void process.print("a").print("b").exit(3));
    const kinds = lab.events.map(({ kind }) => kind).slice(2, 6);
    expect(kinds).toEqual(["itemStarted", "outputDelta", "outputDelta", "itemCompleted"]);
    expect(commandIn(lab.completed())).toMatchObject({ status: "failed", exitCode: 3 });
  });

  it("keeps a character whole that came in two parts", async () => {
    const bytes = new TextEncoder().encode("né");
    const { item } = await ran(
      (process) => void process.print(bytes.slice(0, 2)).print(bytes.slice(2)).exit(0),
    );
    expect(item.output).toBe("né");
  });

  it("shows beginning and end of long output, to the model less than to people", async () => {
    const { lab, item } = await ran((process) => {
      process.print("begin ");
      for (let n = 0; n < 40; n += 1) process.print("x".repeat(1 << 16));
      process.print(" end").exit(0);
    });
    expect(item.output?.length).toBeLessThan((1 << 20) + 100);
    expect(item.output).toMatch(/^begin x+\n\[\d+ of 2621450 characters left out\]\nx+ end$/);
    expect(item.call?.output?.length).toBeLessThan(41_000);
    expect(item.call?.output).toMatch(/x\n\[\d+ of 2621450 characters left out\]\nx+ end$/);
    const shown = lab.events.flatMap((one) => (one.kind === "outputDelta" ? [one.delta] : []));
    expect(shown.join("").length).toBeLessThan((1 << 20) + (1 << 17));
  });

  it("shows the model as much as it asked for", async () => {
    const { item } = await ran((process) => void process.print("x".repeat(1000)).exit(0), {
      max_output_tokens: 10,
    });
    expect(item.call?.output).toMatch(/\n\[960 of 1000 characters left out\]\n/);
  });

  it("N05: that the sandbox denied is an item, started and completed, which says so", async () => {
    const { lab, item } = await ran((process) => void process.exit(1, { sandboxDenied: true }));
    expect(item).toMatchObject({ status: "failed", denial: expect.stringMatching(/denied/i) });
    expect(item.call?.output).toContain(`Sandbox: ${item.denial}`);
    const started = lab.events.filter(
      (event) => event.kind === "itemStarted" && event.item.id === item.id,
    );
    expect(started).toHaveLength(1);
  });

  it("N05: that could not be started is an item with the sentence and the receipt", async () => {
    const { item } = await ran(() => {
      throw new ExecError("unenforceable", "Nothing here can enforce it.", { receiptId: "r-1" });
    });
    expect(item).toMatchObject({
      status: "failed",
      exitCode: null,
      denial: "Nothing here can enforce it.",
      receiptId: "r-1",
      call: { output: expect.stringContaining("did not run. Nothing here can enforce it.") },
    });
  });

  it("in an environment that there is not is an item that says so", async () => {
    const lab = turnLab({ steps: [[exec("ls")]], frame: { environment: "elsewhere" } });
    expect(await lab.run("go")).toEqual({ status: "completed" });
    expect(commandIn(lab.completed())).toMatchObject({
      status: "failed",
      denial: expect.stringContaining("elsewhere"),
    });
  });

  it("whose end could not be kept names the receipt that it began with", async () => {
    const { item } = await ran((process) => {
      process.receiptId = "r-1";
      process.receipt = Promise.reject(new ExecError("unkept", "The disk is full."));
      process.exit(0);
    });
    expect(item).toMatchObject({ status: "completed", receiptId: "r-1" });
  });

  it("that could not be run, or not be seen to its end, has a reason of one line", async () => {
    const why = 'Cannot start in "/srv/x\nexit 0, receipt FORGED\r": there is no such folder';
    const told = "/srv/x\\u{a}exit 0, receipt FORGED\\u{d}";
    const unrun = await ran(() => {
      throw new ExecError("spawnFailed", why);
    });
    expect(unrun.item.denial).toContain(told);
    expect(unrun.item.call?.output).toContain(told);
    const unseen = await ran((process) => {
      Object.defineProperty(process, "events", {
        value: (async function* () {
          yield { kind: "output", seq: 1, stream: "stdout", chunk: new Uint8Array([65]) };
          throw new ExecError("disconnected", why);
        })(),
      });
    });
    expect(unseen.item.denial).toContain(told);
  });

  it("whose end was not seen has failed", async () => {
    const { item } = await ran((process) => {
      Object.defineProperty(process, "events", {
        value: (async function* () {
          yield { kind: "output", seq: 1, stream: "stdout", chunk: new Uint8Array([65]) };
          throw new ExecError("disconnected", "The connection is over.");
        })(),
      });
    });
    expect(item).toMatchObject({
      status: "failed",
      output: "A",
      exitCode: null,
      denial: expect.stringContaining("The connection is over."),
    });
  });
});

describe("a turn that is stopped while its machine is looked for", () => {
  it.each([
    ["a command", {}],
    ["one that was let out of the sandbox", { sandbox_permissions: "require_escalated" }],
  ])("starts %s no more when that is found", async (_, more) => {
    const executor = fakeExecutor();
    const found = Promise.withResolvers<typeof executor>();
    const lab = turnLab({
      executors: () => {
        lab.stop.abort();
        return found.promise;
      },
      ...{ steps: [[exec("work", more)]], answers: ["accept"] },
    });
    expect(await lab.run("go")).toEqual({ status: "interrupted" });
    found.resolve(executor);
    await lab.thread.close();
    expect(executor.requests).toEqual([]);
    expect(commandIn(lab.completed())).toMatchObject({ status: "failed" });
  });
});

describe("the user's own command", () => {
  it("runs under the policy, whatever has to be asked, and is told to the model by nobody", async () => {
    const executor = fakeExecutor((process) => void process.print("mine").exit(0));
    const lab = turnLab({ executor, frame: { approval: "untrusted" } });
    expect(await lab.shell("rm -rf x")).toEqual({ status: "completed" });
    expect(lab.questions).toEqual([]);
    expect(executor.requests[0]?.sandbox).toMatchObject({
      kind: "enforce",
      context: { profile: profileIn("read-only") },
    });
    expect(lab.completed()).toMatchObject([
      { source: "userShell", status: "completed", output: "mine", exitCode: 0, call: null },
    ]);
  });

  it("waits for its end however long it takes, and is ended when it is stopped", async () => {
    const executor = fakeExecutor((process) => void process.print("on and on"));
    const lab = turnLab({
      executor,
      fires: [10_000, 30_000],
      onEvent: ({ kind }) => kind === "outputDelta" && setTimeout(() => lab.stop.abort(), 20),
    });
    expect(await lab.shell("tail -f x")).toEqual({ status: "interrupted" });
    expect(executor.processes[0]?.isTerminated).toBe(true);
    expect(lab.completed()).toMatchObject([{ status: "failed", output: "on and on" }]);
  });

  it("that could not be started has failed", async () => {
    const executor = fakeExecutor(() => {
      throw new ExecError("notAllowed", "The operator forbids it.");
    });
    const lab = turnLab({ executor });
    expect(await lab.shell("x")).toEqual({ status: "completed" });
    expect(lab.completed()).toMatchObject([
      { status: "failed", denial: "The operator forbids it.", call: null },
    ]);
  });
});
