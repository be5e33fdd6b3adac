import { describe, expect, it } from "vitest";
import { ModelError, type ModelEvent, type ModelRequest } from "../../../src/agent/index.ts";
import { fakeExecutor } from "../support/fake-executor.ts";
import { call, exec, said, say, turnLab } from "../support/turn-lab.ts";

const kindsOf = (events: readonly { kind: string }[]) => events.map(({ kind }) => kind);

describe("a turn", () => {
  it("says what the user said, streams the answer and completes both", async () => {
    const lab = turnLab({ steps: [[say("Hel"), say("lo")]] });
    expect(await lab.run("hi")).toEqual({ status: "completed" });
    expect(kindsOf(lab.events)).toEqual([
      ...["itemStarted", "itemCompleted", "itemStarted"],
      ...["messageDelta", "messageDelta", "itemCompleted"],
    ]);
    expect(lab.completed()).toEqual([
      {
        type: "userMessage",
        id: "user-1",
        clientId: null,
        content: [{ type: "text", text: "hi" }],
      },
      { type: "agentMessage", id: "msg_1", text: "Hello" },
    ]);
  });

  it("gives every call's output back to the model, in order", async () => {
    const executor = fakeExecutor((process, { argv }) => {
      process.print(`ran ${argv[2]}`).exit(0);
    });
    const lab = turnLab({ executor, steps: [[say("First."), exec("a"), exec("b")]] });
    await lab.run("go");
    const [, second] = lab.requests;
    expect(second?.history.map(({ type }) => type)).toEqual([
      ...["userMessage", "agentMessage", "commandExecution", "commandExecution"],
    ]);
    expect(second?.history.at(-1)).toMatchObject({
      status: "completed",
      call: { output: expect.stringContaining("ran b") },
    });
    expect(lab.completed().at(-1)).toMatchObject({ type: "agentMessage", text: "Done." });
  });

  it("tells the model its tools, its instructions and all that came before", async () => {
    const lab = turnLab({ frame: { instructions: "Be brief." } });
    await lab.run("one");
    await lab.run("two");
    expect(lab.requests[1]).toMatchObject({
      instructions: "Be brief.",
      tools: [
        ...["exec_command", "write_stdin", "read_file", "list_dir", "grep", "view_image"],
        ...["write_file", "edit_file", "apply_patch", "request_permissions"],
      ].map((name) => ({ name })),
      history: [{ id: "user-1" }, { type: "agentMessage" }, { id: "user-2" }],
    });
  });

  it.each(["", " \n"])(
    "tells the model no instructions where they are %j",
    async (instructions) => {
      const lab = turnLab({ frame: { instructions } });
      await lab.run("go");
      expect(lab.requests[0]?.instructions).toBeNull();
    },
  );

  it("has no tools for commands where there is no environment, and refuses one all the same", async () => {
    const executor = fakeExecutor();
    const lab = turnLab({ executor, steps: [[exec("ls")]], frame: { environment: null } });
    expect(await lab.run("go")).toEqual({ status: "completed" });
    expect(lab.requests[0]?.tools).toEqual([]);
    expect(lab.completed()[1]).toMatchObject({
      type: "commandExecution",
      status: "failed",
      denial: expect.stringContaining("no environment"),
    });
    expect(executor.requests).toEqual([]);
  });

  it("keeps reasoning in its parts, and an index from nowhere leaves no hole", async () => {
    const think = (part: "summary" | "content", index: number, delta: string): ModelEvent => ({
      kind: "reasoning",
      itemId: "rs_1",
      ...{ part, index, delta },
    });
    const steps = [
      [think("summary", 0, "a"), think("summary", 9e9, "b"), think("content", 0, "c")],
    ];
    const lab = turnLab({ steps });
    await lab.run("think");
    expect(lab.completed()[1]).toEqual({
      ...{ type: "reasoning", id: "rs_1", summary: ["a", "b"], content: ["c"] },
    });
  });

  it("never replaces an item by one of the same id", async () => {
    const same: ModelEvent = { kind: "call", callId: "msg_1", name: "nothing", input: "{}" };
    const lab = turnLab({ steps: [[say("one"), same], [say("two")]] });
    await lab.run("go");
    await lab.run("again");
    const ids = lab.completed().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids[1]).toBe("msg_1");
  });

  it("takes what was said meanwhile before the next request, and does not end over it", async () => {
    const lab = turnLab({
      steps: [
        async function* () {
          lab.steered.push(said("and this", "user-x"));
          yield say("Done already.");
        },
      ],
    });
    expect(await lab.run("go")).toEqual({ status: "completed" });
    expect(lab.requests).toHaveLength(2);
    expect(lab.requests[1]?.history.at(-1)).toMatchObject({ type: "userMessage", id: "user-x" });
  });

  it("ends after 100 rounds of calls with a sentence", async () => {
    const lab = turnLab({ steps: Array.from({ length: 200 }, () => [exec("again")]) });
    expect(await lab.run("loop")).toEqual({
      status: "failed",
      message: expect.stringContaining("100 times"),
    });
    expect(lab.requests).toHaveLength(100);
  });

  it("keeps what was said in the last of those rounds", async () => {
    const lab = turnLab({
      steps: Array.from(
        { length: 100 },
        (_, round) =>
          async function* () {
            if (round === 99) lab.steered.push(said("stop that", "user-x"));
            yield exec("again");
          },
      ),
    });
    await lab.run("loop");
    expect(lab.completed().at(-1)).toMatchObject({ type: "userMessage", id: "user-x" });
  });

  it("passes usage on", async () => {
    const usage = {
      ...{ inputTokens: 1, cachedInputTokens: 0, outputTokens: 2 },
      ...{ reasoningOutputTokens: 0, totalTokens: 3 },
    };
    const lab = turnLab({ steps: [[{ kind: "usage", usage }]] });
    await lab.run("count");
    expect(lab.events.at(-1)).toEqual({ kind: "usage", usage });
  });

  it("runs one at a time", async () => {
    const lab = turnLab({
      steps: [() => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) })],
    });
    const first = lab.run("one");
    expect(await lab.run("two")).toMatchObject({ status: "failed" });
    lab.stop.abort();
    expect(await first).toEqual({ status: "interrupted" });
  });
});

describe("a call that cannot be made", () => {
  const refused = async (event: ModelEvent) => {
    const executor = fakeExecutor();
    const lab = turnLab({ executor, steps: [[event]] });
    expect(await lab.run("go")).toEqual({ status: "completed" });
    expect(executor.requests).toEqual([]);
    return lab.completed()[1];
  };

  it.each([
    ["a tool that there is not", call("rm_rf", {}), "no such tool"],
    ["broken JSON", call("exec_command", '{"cmd": '), "Cannot read JSON"],
    ["10 MB of arguments", call("exec_command", `{"cmd":"${"x".repeat(10 << 20)}"}`), "1048576"],
    ["a duplicate member", call("exec_command", '{"cmd":"a","cmd":"b"}'), "occurs twice"],
    ["no object", call("exec_command", "null"), "not as declared"],
    ["no command", call("exec_command", {}), '"cmd"'],
    ["an empty command", call("exec_command", { cmd: "" }), '"cmd"'],
    ["a command with a NUL", exec("ls \0x"), '"cmd"'],
    ["a command with half a character", exec("ls \ud800"), '"cmd"'],
    ["a member that was not declared", exec("ls", { sandbox: "off" }), "sandbox"],
    ["a word that is no permission", exec("ls", { sandbox_permissions: "all" }), "permissions"],
    ["a folder that is no path", exec("ls", { workdir: "a\0b" }), "workdir"],
    [
      "a session that there is not",
      call("write_stdin", { session_id: 4, chars: "x" }),
      "session 4",
    ],
  ])("is refused with the reason, and the turn goes on: %s", async (_, event, reason) => {
    const item = await refused(event);
    expect(item).toMatchObject({
      type: "refusedCall",
      call: { output: expect.stringContaining(reason) },
    });
    if (item?.type === "refusedCall") expect(item.call.input.length).toBeLessThan(10_000);
  });

  it("is kept as whole characters where it was too long to be kept", async () => {
    const item = await refused(call("rm_rf", `${"x".repeat(4095)}😀`));
    expect(item?.type === "refusedCall" && item.call.input.isWellFormed()).toBe(true);
  });
});

describe("a model that fails", () => {
  const failing = (error: Error) =>
    async function* (): AsyncGenerator<ModelEvent> {
      yield say("Half an ans");
      throw error;
    };

  it("ends the turn with its sentence, and what it said is kept", async () => {
    const lab = turnLab({ steps: [failing(new ModelError("unavailable", "Nobody answered."))] });
    expect(await lab.run("go")).toEqual({ status: "failed", message: "Nobody answered." });
    expect(lab.completed().at(-1)).toMatchObject({ text: "Half an ans" });
    expect(await lab.run("again")).toEqual({ status: "completed" });
  });

  it("does not show what it did not mean to be shown", async () => {
    const lab = turnLab({ steps: [failing(new Error("key sk-secret was refused"))] });
    const end = await lab.run("go");
    expect(end).toMatchObject({ status: "failed" });
    expect(JSON.stringify([end, lab.events])).not.toContain("sk-secret");
  });

  it("is one that there is not", async () => {
    const models = {
      find: () => {
        throw new ModelError("rejected", "There is no such provider.");
      },
    };
    const lab = turnLab({ models });
    expect(await lab.run("go")).toEqual({
      status: "failed",
      message: "There is no such provider.",
    });
  });

  it("is one that says too much, in words or in calls", async () => {
    const words = turnLab({ steps: [Array.from({ length: 17 }, () => say("x".repeat(1 << 20)))] });
    expect(await words.run("go")).toMatchObject({ message: expect.stringContaining("too long") });
    const executor = fakeExecutor();
    const calls = turnLab({ executor, steps: [Array.from({ length: 300 }, () => exec("x"))] });
    expect(await calls.run("go")).toMatchObject({ message: expect.stringContaining("too long") });
    expect(executor.requests).toEqual([]);
  });
});

describe("an interruption", () => {
  it("ends a model that does not listen to it, and keeps what it said", async () => {
    let signal: AbortSignal | undefined;
    const lab = turnLab({
      steps: [
        async function* (request: ModelRequest) {
          signal = request.signal;
          yield say("Thinking");
          await new Promise(() => {});
        },
      ],
      onEvent: ({ kind }) => kind === "messageDelta" && setImmediate(() => lab.stop.abort()),
    });
    expect(await lab.run("go")).toEqual({ status: "interrupted" });
    expect(signal?.aborted).toBe(true);
    expect(lab.completed().at(-1)).toMatchObject({ type: "agentMessage", text: "Thinking" });
  });

  it("ends the running command and runs no further call", async () => {
    const executor = fakeExecutor((process) => void process.print("begun"));
    const lab = turnLab({
      executor,
      steps: [[exec("sleep"), exec("never")]],
      onEvent: ({ kind }) => kind === "outputDelta" && setImmediate(() => lab.stop.abort()),
    });
    expect(await lab.run("go")).toEqual({ status: "interrupted" });
    expect(executor.processes.map(({ isTerminated }) => isTerminated)).toEqual([true]);
    expect(lab.completed().at(-1)).toMatchObject({ status: "failed", output: "begun" });
    expect(lab.requests).toHaveLength(1);
  });

  it("ends a command that was just being started, and nothing is heard of it", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const executor = fakeExecutor(async (process) => {
      await promise;
      process.print("too late");
    });
    const lab = turnLab({
      executor,
      steps: [[exec("slow")]],
      onEvent: (event) =>
        event.kind === "itemStarted" &&
        event.item.type === "commandExecution" &&
        setImmediate(() => lab.stop.abort()),
    });
    expect(await lab.run("go")).toEqual({ status: "interrupted" });
    const said = lab.events.length;
    resolve();
    await expect.poll(() => executor.processes[0]?.isTerminated).toBe(true);
    await lab.thread.close();
    expect(lab.events).toHaveLength(said);
  });
});

describe("what cannot be kept", () => {
  it.each(["itemStarted", "itemCompleted", "messageDelta", "outputDelta"])(
    "ends the turn: %s",
    async (kind) => {
      const executor = fakeExecutor((process) => void process.print("x"));
      let seen = 0;
      const lab = turnLab({
        executor,
        steps: [[say("Now."), exec("sleep")]],
        onEvent: (event) => {
          if (event.kind !== kind) return;
          seen += 1;
          if (seen > (kind === "itemStarted" ? 2 : 0)) throw new Error("The disk is full.");
        },
      });
      expect(await lab.run("go")).toEqual({ status: "failed", message: "The disk is full." });
      expect(executor.processes.every(({ isTerminated }) => isTerminated)).toBe(true);
    },
  );
});
