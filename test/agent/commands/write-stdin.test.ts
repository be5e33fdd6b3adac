import { describe, expect, it } from "vitest";
import type { ApprovalAnswer, TurnFrame, TurnItem } from "../../../src/agent/index.ts";
import { uriOfNative } from "../../../src/policy/index.ts";
import { fakeExecutor } from "../support/fake-executor.ts";
import { call, exec, profileIn, type Step, say, turnLab } from "../support/turn-lab.ts";

const WAIT = 77;
const start = (cmd = "repl", more: object = {}) =>
  exec(cmd, { tty: true, yield_time_ms: WAIT, ...more });

interface BackgroundOptions {
  readonly answers?: readonly (ApprovalAnswer | Error)[];
  readonly first?: Step;
  readonly second?: (session: number) => Step;
  readonly frame?: Partial<TurnFrame>;
  readonly onWrite?: (text: string) => void;
}

const idIn = (items: readonly TurnItem[]) => {
  const found = items.find((item) => item.type === "commandExecution");
  return Number(found?.type === "commandExecution" ? found.processId : Number.NaN);
};

/** One turn leaves a process running, the next one types into it. */
async function background(options: BackgroundOptions = {}) {
  const executor = fakeExecutor((process) => {
    process.receiptId = "r-1";
    process.print("ready> ");
  });
  const type = (session: number) => [
    call("write_stdin", { session_id: session, chars: "go\n", yield_time_ms: WAIT }),
  ];
  const lab = turnLab({
    executor,
    answers: options.answers ?? [],
    fires: [WAIT],
    steps: [
      options.first ?? [start()],
      [],
      async function* () {
        yield* (options.second ?? type)(idIn(lab.completed())) as [];
      },
    ],
  });
  await lab.run("start it");
  const launch = lab.completed().find(({ type }) => type === "commandExecution");
  const before = lab.events.length;
  const run = async (frame: Partial<TurnFrame> = {}) => {
    const end = await lab.run("type", frame);
    const write = lab.completed().find(({ type }) => type === "terminalWrite");
    return { end, write };
  };
  const [process] = executor.processes;
  if (process === undefined) throw new Error("nothing was started");
  return { lab, executor, process, launch, before, run };
}

describe("a command that goes on", () => {
  it("is told to the model by its session, and its item is completed with the turn", async () => {
    const { lab, process, launch } = await background();
    expect(launch).toMatchObject({
      status: "completed",
      processId: expect.stringMatching(/^\d+$/),
      exitCode: null,
      durationMs: null,
      receiptId: "r-1",
      output: "ready> ",
      call: { output: expect.stringMatching(/running with session ID \d+\nOutput:\nready> $/) },
    });
    expect(process.isTerminated).toBe(false);
    expect(lab.requests[1]?.history.at(-1)).toMatchObject({ call: { output: expect.any(String) } });
  });

  it("says nothing after its turn", async () => {
    const { lab, process, before } = await background();
    process.print("late").exit(0);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(lab.events.slice(before)).toEqual([]);
  });

  it("that ends within its turn completes its item with its exit code, once", async () => {
    const executor = fakeExecutor((process) => void process.print("a"));
    const lab = turnLab({
      executor,
      fires: [WAIT],
      steps: [
        [start()],
        async function* () {
          executor.processes[0]?.print("b").exit(4);
          await new Promise((resolve) => setTimeout(resolve, 10));
          yield say("After it.");
        },
      ],
    });
    await lab.run("go");
    const items = lab.completed().filter(({ type }) => type === "commandExecution");
    expect(items).toMatchObject([{ status: "failed", exitCode: 4, output: "ab" }]);
    expect(lab.completed().map(({ type }) => type)).toEqual([
      ...["userMessage", "commandExecution", "agentMessage"],
    ]);
  });

  it("of a turn that is stopped is ended", async () => {
    const executor = fakeExecutor();
    const held = fakeExecutor(() => {});
    const lab = turnLab({
      executor: held,
      fires: [WAIT],
      steps: [
        [start()],
        async function* () {
          lab.stop.abort();
          yield* [];
        },
      ],
    });
    expect(await lab.run("go")).toEqual({ status: "interrupted" });
    expect(held.processes[0]?.isTerminated).toBe(true);
    expect(lab.completed().at(-1)).toMatchObject({ type: "commandExecution", status: "failed" });
    expect(executor.processes).toEqual([]);
  });

  it("ends with the thread", async () => {
    const { lab, process } = await background();
    await lab.thread.close();
    expect(process.isTerminated).toBe(true);
  });

  it("is one of at most 64", async () => {
    const executor = fakeExecutor(() => {});
    const steps = [Array.from({ length: 65 }, () => start())];
    const lab = turnLab({ executor, fires: [WAIT], steps });
    await lab.run("go");
    expect(executor.processes).toHaveLength(64);
    expect(lab.completed().filter(({ type }) => type === "commandExecution")).toContainEqual(
      expect.objectContaining({ status: "failed", denial: expect.stringContaining("64") }),
    );
  });
});

describe("typing into it", () => {
  it("N07: under the same policy asks nobody, types, and tells what came", async () => {
    const { lab, process, launch, run } = await background();
    process.print("in between ");
    const { end, write } = await run();
    expect(end).toEqual({ status: "completed" });
    expect(lab.questions).toEqual([]);
    expect(process.written).toEqual(["go\n"]);
    expect(lab.events).toContainEqual({
      kind: "terminalInteraction",
      itemId: launch?.id,
      processId: expect.any(String),
      stdin: "go\n",
    });
    expect(write).toMatchObject({
      status: "completed",
      launchId: launch?.id,
      receiptId: "r-1",
      call: { output: expect.stringMatching(/session ID \d+\nOutput:\nin between $/) },
    });
  });

  it("tells also that nothing is typed, and that what is printed is asked for", async () => {
    const second = (id: number) => [call("write_stdin", { session_id: id, yield_time_ms: WAIT })];
    const { lab, launch, run } = await background({ second });
    await run();
    expect(lab.events).toContainEqual(
      expect.objectContaining({ kind: "terminalInteraction", itemId: launch?.id, stdin: "" }),
    );
  });

  it("tells the exit code of one that ended, and then there is none of that number", async () => {
    const session = (id: number) => [
      call("write_stdin", { session_id: id, yield_time_ms: WAIT }),
      call("write_stdin", { session_id: id, yield_time_ms: WAIT }),
    ];
    const { lab, process, run } = await background({ second: session });
    process.print("bye").exit(5);
    const { write } = await run();
    expect(write).toMatchObject({
      call: { output: expect.stringMatching(/code 5\nOutput:\nbye$/) },
    });
    expect(lab.completed()).toContainEqual(
      expect.objectContaining({
        type: "refusedCall",
        call: expect.objectContaining({ output: expect.stringContaining("no such process") }),
      }),
    );
  });

  it("is refused where it has no input", async () => {
    const { run } = await background({ first: [start("daemon", { tty: false })] });
    expect((await run()).write).toMatchObject({
      status: "failed",
      call: { output: expect.stringContaining('"tty"') },
    });
  });

  it("ends what has no input where it is ^C: nobody else could", async () => {
    const { process, run } = await background({
      first: [start("daemon", { tty: false })],
      second: (id) => [call("write_stdin", { session_id: id, chars: "\u0003" })],
    });
    const { write } = await run();
    expect(process.isTerminated).toBe(true);
    expect(write).toMatchObject({ status: "completed" });
  });

  it("is not lost on a command that is ended when its turn is stopped", async () => {
    const { lab, process, run } = await background({
      second: (id) => [call("write_stdin", { session_id: id, chars: "x", yield_time_ms: 5000 })],
    });
    const running = run();
    const isTyped = () => lab.events.some(({ kind }) => kind === "terminalInteraction");
    await expect.poll(isTyped).toBe(true);
    lab.stop.abort();
    const { end, write } = await running;
    expect(end).toEqual({ status: "interrupted" });
    expect(process.isTerminated).toBe(true);
    expect(write).toMatchObject({ status: "failed" });
  });

  it("that is never taken ends with the turn that is stopped", async () => {
    const { lab, process, run } = await background();
    process.write = () => new Promise(() => {});
    const running = run();
    setTimeout(() => lab.stop.abort(), 20);
    const { end, write } = await running;
    expect(end).toEqual({ status: "interrupted" });
    expect(process.isTerminated).toBe(true);
    expect(write).toMatchObject({ status: "failed" });
  });

  it.each<[string, Partial<TurnFrame>]>([
    ["narrower", { profile: profileIn("workspace-write") }],
    ["other roots", { workspaceRoots: [uriOfNative("/srv/other")] }],
    ["another folder", { cwd: uriOfNative("/srv/space/sub") }],
    ["another machine", { environment: "elsewhere" }],
    ["no machine", { environment: null }],
  ])(
    "N06: under another policy asks about the process, bound to what is typed: %s",
    async (_, frame) => {
      const { lab, process, launch, run } = await background({ answers: ["accept"] });
      const { write } = await run(frame);
      expect(lab.questions).toMatchObject([
        {
          kind: "writeStdin",
          itemId: launch?.id,
          approvalId: write?.id,
          argv: ["/bin/bash", "-lc", "repl"],
          escalates: false,
          subject: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      ]);
      expect(process.written).toEqual(["go\n"]);
    },
  );

  it.each<[string, ApprovalAnswer[], Partial<TurnFrame>, string[]]>([
    ["is asked about", ["accept"], {}, ["go\n"]],
    ["is not done where that is declined", ["decline"], {}, []],
    ["is refused where nobody may be asked", [], { approval: "never" }, []],
  ])("to a machine whose name another has by now %s", async (_, answers, frame, written) => {
    const [before, after] = [fakeExecutor((process) => void process.print("> ")), fakeExecutor()];
    let machine = before;
    const lab = turnLab({
      executors: async () => machine,
      frame: { environment: "elsewhere" },
      ...{ answers, fires: [WAIT] },
      steps: [
        [start()],
        [],
        async function* () {
          const input = { session_id: idIn(lab.completed()), chars: "go\n", yield_time_ms: WAIT };
          yield call("write_stdin", input);
        },
      ],
    });
    await lab.run("start it");
    machine = after;
    await lab.run("type", frame);
    const reason = 'Type "go\\n": the process runs on another machine';
    expect(lab.questions).toMatchObject(answers.map(() => ({ kind: "writeStdin", reason })));
    expect(before.processes[0]?.written).toEqual(written);
    expect(after.processes).toEqual([]);
  });

  it.each<[string, Partial<TurnFrame>]>([
    ["never", { approval: "never" }],
    [
      "granular without sandbox_approval",
      {
        approval: {
          granular: {
            ...{ sandbox_approval: false, rules: true, mcp_elicitations: true },
            ...{ skill_approval: true, request_permissions: true },
          },
        },
      },
    ],
  ])("N06: under another policy is rejected without asking: %s", async (_, frame) => {
    const { lab, process, run } = await background();
    const { end, write } = await run({ ...frame, profile: profileIn("workspace-write") });
    expect(end).toEqual({ status: "completed" });
    expect(lab.questions).toEqual([]);
    expect(process.written).toEqual([]);
    expect(write).toMatchObject({
      status: "failed",
      call: { output: expect.stringContaining("another policy") },
    });
  });

  it.each([
    ["a line", "go\n", 1],
    ["^C", "\u0003", 0],
    ["nothing", "", 0],
  ])(
    "where every command is asked about, asks about what is typed: %s",
    async (_, chars, asked) => {
      const { lab, process, run } = await background({
        frame: { approval: "untrusted" },
        answers: ["decline"],
        second: (session) => [
          call("write_stdin", { session_id: session, chars, yield_time_ms: WAIT }),
        ],
      });
      await run({ approval: "untrusted" });
      const reason = `Type ${JSON.stringify(chars)}`;
      const questions = [{ kind: "writeStdin", escalates: false, reason }];
      expect(lab.questions).toMatchObject(questions.slice(0, asked));
      expect(process.written).toEqual(chars === "\u0003" ? [chars] : []);
    },
  );

  it("types nothing that nobody could read whole, and asks nobody about it", async () => {
    const { lab, process, run } = await background({
      frame: { approval: "untrusted" },
      answers: ["accept"],
      second: (session) => [
        call("write_stdin", { session_id: session, chars: "x".repeat(4097), yield_time_ms: WAIT }),
      ],
    });
    const { write } = await run({ approval: "untrusted" });
    expect(lab.questions).toEqual([]);
    expect(process.written).toEqual([]);
    expect(write).toMatchObject({ status: "failed" });
  });

  it("asks nobody where nothing confines the turn any more", async () => {
    const { lab, process, run } = await background();
    await run({ profile: profileIn("danger-full-access"), approval: "never" });
    expect(lab.questions).toEqual([]);
    expect(process.written).toEqual(["go\n"]);
  });

  it("asks about one that runs without a sandbox, though the policy is the same", async () => {
    const escalated = start("repl", { sandbox_permissions: "require_escalated" });
    const { lab, process, run } = await background({
      first: [escalated],
      answers: ["accept", "decline"],
    });
    const { end, write } = await run();
    expect(lab.questions.map(({ kind }) => kind)).toEqual(["command", "writeStdin"]);
    expect(process.written).toEqual([]);
    expect(write).toMatchObject({ status: "declined" });
    expect(end).toEqual({ status: "completed" });
  });

  it.each<[ApprovalAnswer | Error, string, string]>([
    ["decline", "declined", "completed"],
    ["cancel", "declined", "interrupted"],
    [new Error("the client is gone"), "failed", "completed"],
  ])("types nothing when the answer is %s", async (answer, status, end) => {
    const { process, run } = await background({ answers: [answer] });
    const told = await run({ profile: profileIn("workspace-write") });
    expect(process.written).toEqual([]);
    expect(told).toMatchObject({ end: { status: end }, write: { status } });
  });

  it("asks again for other words, even where the first were accepted for the session", async () => {
    const words = (id: number) =>
      ["a", "a", "b"].map((chars) =>
        call("write_stdin", { session_id: id, chars, yield_time_ms: WAIT }),
      );
    const answers = ["acceptForSession", "accept"] as const;
    const { lab, process, run } = await background({ answers, second: words });
    await run({ profile: profileIn("workspace-write") });
    expect(process.written).toEqual(["a", "a", "b"]);
    expect(lab.questions).toHaveLength(2);
  });
});
