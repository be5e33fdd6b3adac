/** What becomes of a command that is asked about, through a whole turn. */
import { describe, expect, it } from "vitest";
import type { ApprovalAnswer, TurnFrame } from "../../../src/agent/index.ts";
import { fakeExecutor } from "../support/fake-executor.ts";
import { exec, profileIn, turnLab } from "../support/turn-lab.ts";

const escalate = (cmd = "make install") =>
  exec(cmd, { sandbox_permissions: "require_escalated", justification: "It installs." });

function lab(answers: readonly (ApprovalAnswer | Error)[], frame: Partial<TurnFrame> = {}) {
  const executor = fakeExecutor();
  const steps = [[escalate()], [], [escalate()], []];
  return { executor, ...turnLab({ executor, answers, frame, steps }) };
}

const intentsOf = ({ requests }: { requests: readonly { sandbox: unknown }[] }) =>
  requests.map(({ sandbox }) => sandbox);
const WAIVED = { kind: "waived", by: "user", reason: "It installs." };

describe("a command that wants to leave the sandbox", () => {
  it("is asked about after its item was started, bound to exactly what would run", async () => {
    const { run, questions, completed, events } = lab(["accept"]);
    await run("go");
    const [item] = completed().filter(({ type }) => type === "commandExecution");
    expect(questions).toEqual([
      {
        kind: "command",
        itemId: item?.id,
        approvalId: null,
        argv: ["/bin/bash", "-lc", "make install"],
        command: "/bin/bash -lc 'make install'",
        cwd: "/srv/space",
        reason: "It would run without the sandbox: It installs.",
        escalates: true,
        subject: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    expect(events.map(({ kind }) => kind).slice(2, 4)).toEqual(["itemStarted", "itemCompleted"]);
  });

  it.each([
    ["says nothing", undefined],
    ["says the empty word", ""],
    ["speaks of something else", "It only lists files."],
  ])(
    "tells the person that no sandbox would hold, where the model %s",
    async (_, justification) => {
      const more = { sandbox_permissions: "require_escalated", justification };
      const { run, questions } = turnLab({ answers: ["decline"], steps: [[exec("ls", more)]] });
      await run("go");
      const said = expect.stringMatching(/^It would run without the sandbox/);
      expect(questions).toMatchObject([{ reason: said }]);
    },
  );

  it("is not asked about where it is too long to be read, and does not run", async () => {
    const executor = fakeExecutor();
    const { run, questions, completed } = turnLab({
      ...{ executor, answers: ["decline"] },
      steps: [[escalate(`#${"\n".repeat(64 * 1024)}`)], []],
    });
    await run("go");
    expect([questions, executor.requests]).toEqual([[], []]);
    const item = completed().find(({ type }) => type === "commandExecution");
    const denial = expect.stringMatching(/^It has 65537 characters, expected at most 65536/);
    expect(item).toMatchObject({ status: "failed", denial });
  });

  it.each([
    ["a command that leaves the sandbox", "require_escalated", "on-request"],
    ["any other", "use_default", "untrusted"],
  ] as const)(
    "is asked about with no more of a reason than is read: %s",
    async (_, how, approval) => {
      const more = { sandbox_permissions: how, justification: "y ".repeat(100_000) };
      const { run, questions } = turnLab({
        ...{ answers: ["decline"], frame: { approval } },
        steps: [[exec("make", more)], []],
      });
      await run("go");
      const [{ reason } = { reason: null }] = questions;
      expect(reason).toMatch(/y …$/);
      expect(reason?.length).toBeLessThan(1100);
    },
  );

  it("G03: runs waived by the user when it is accepted, and is asked about again", async () => {
    const { run, executor, questions } = lab(["accept", "accept"]);
    await run("go");
    await run("again");
    expect(intentsOf(executor)).toEqual([WAIVED, WAIVED]);
    expect(questions).toHaveLength(2);
  });

  it.each([
    ["no reason", undefined, /./],
    ["an empty reason", "", /./],
    ["a reason without end", "x".repeat(5000), /^x{1000}$/],
  ])("runs waived for a reason that can be kept: %s", async (_, justification, reason) => {
    const executor = fakeExecutor();
    const more = { sandbox_permissions: "require_escalated", justification };
    const { run } = turnLab({ executor, answers: ["accept"], steps: [[exec("x", more)]] });
    await run("go");
    expect(intentsOf(executor)).toMatchObject([{ reason: expect.stringMatching(reason) }]);
  });

  it("is not asked about again when it is accepted for the session", async () => {
    const { run, executor, questions } = lab(["acceptForSession"]);
    await run("go");
    await run("again");
    expect(intentsOf(executor)).toEqual([WAIVED, WAIVED]);
    expect(questions).toHaveLength(1);
  });

  it("is asked about again under another policy, though it was accepted for the session", async () => {
    const { run, executor, questions, completed } = lab(["acceptForSession", "decline"]);
    await run("go");
    await run("again", { profile: profileIn("workspace-write") });
    expect(questions).toHaveLength(2);
    expect(executor.requests).toHaveLength(1);
    expect(completed().at(-1)).toMatchObject({ status: "declined" });
  });

  it("G01: does not run when it is declined, and the turn goes on", async () => {
    const { run, executor, completed, requests } = lab(["decline"]);
    expect(await run("go")).toEqual({ status: "completed" });
    expect(executor.requests).toEqual([]);
    expect(completed()[1]).toMatchObject({
      status: "declined",
      exitCode: null,
      call: { output: expect.stringMatching(/rejected by the user/i) },
    });
    expect(requests).toHaveLength(2);
  });

  it("G02: does not run when it is cancelled, and the turn is interrupted", async () => {
    const { run, executor, completed, requests } = lab(["cancel"]);
    expect(await run("go")).toEqual({ status: "interrupted" });
    expect(executor.requests).toEqual([]);
    expect(completed()[1]).toMatchObject({ status: "declined" });
    expect(requests).toHaveLength(1);
  });

  it.each<[string, ApprovalAnswer | Error]>([
    ["an error", new Error("nobody is there")],
    ["a word that is no answer", "yes" as ApprovalAnswer],
    ["a word that every object has", "constructor" as ApprovalAnswer],
  ])("G05: does not run when the answer is %s, and has failed", async (_, answer) => {
    const { run, executor, completed } = lab([answer]);
    expect(await run("go")).toEqual({ status: "completed" });
    expect(executor.requests).toEqual([]);
    expect(completed()[1]).toMatchObject({ status: "failed", denial: expect.any(String) });
  });

  it("does not run when the turn is stopped over the question, nor does what follows", async () => {
    const executor = fakeExecutor();
    const lab = turnLab({ executor, steps: [[escalate(), exec("ls")]] });
    const running = lab.run("go");
    await expect.poll(() => lab.questions).toHaveLength(1);
    lab.stop.abort();
    expect(await running).toEqual({ status: "interrupted" });
    expect(executor.requests).toEqual([]);
    expect(lab.completed().slice(1)).toMatchObject([{ status: "failed" }]);
  });

  it("G04: is refused without asking under never, and told why", async () => {
    const { run, executor, completed, questions } = lab(["accept"], { approval: "never" });
    expect(await run("go")).toEqual({ status: "completed" });
    expect(questions).toEqual([]);
    expect(executor.requests).toEqual([]);
    expect(completed()[1]).toMatchObject({
      status: "failed",
      call: { output: expect.stringContaining('"never"') },
    });
  });

  it("just runs where there is no sandbox to leave, as the policy says", async () => {
    const profile = profileIn("danger-full-access");
    const { run, executor, questions } = lab([], { profile, approval: "untrusted" });
    await run("go");
    expect(questions).toEqual([]);
    expect(intentsOf(executor)).toMatchObject([{ kind: "enforce", context: { profile } }]);
  });
});

describe("a command of an untrusted thread", () => {
  it("is asked about and then runs in the sandbox, unless it is known to only read", async () => {
    const executor = fakeExecutor();
    const { run, questions } = turnLab({
      executor,
      answers: ["accept"],
      frame: { approval: "untrusted" },
      steps: [[exec("ls"), exec("make")]],
    });
    await run("go");
    expect(questions).toMatchObject([{ command: "/bin/bash -lc make", escalates: false }]);
    expect(intentsOf(executor)).toMatchObject([{ kind: "enforce" }, { kind: "enforce" }]);
  });
});
