/** What goes on in a thread: whose it is, how much room there is for it, and who can end it. */
import { describe, expect, it } from "vitest";
import { fakeExecutor } from "../support/fake-executor.ts";
import { call, exec, type Step, turnLab } from "../support/turn-lab.ts";

const WAIT = 77;
const MOST = 64;
const start = () => exec("serve", { yield_time_ms: WAIT });
const many = (count: number) => Array.from({ length: count }, start);

function labWith(steps: readonly Step[]) {
  const executor = fakeExecutor(() => {});
  const lab = turnLab({ executor, fires: [WAIT], steps });
  const numbers = () => lab.thread.processes().map(({ processId }) => processId);
  const commands = () => lab.completed().filter(({ type }) => type === "commandExecution");
  return { lab, executor, numbers, commands };
}

const settled = () => new Promise((next) => setTimeout(next, 10));

describe("the room of a thread for what goes on", () => {
  it("is the user's where the model has taken all of its own", async () => {
    const { lab, executor, commands } = labWith([many(MOST)]);
    await lab.run("go");
    const typing = lab.shell("mine");
    await settled();
    expect(executor.processes).toHaveLength(MOST + 1);
    executor.processes[MOST]?.exit(0);
    await typing;
    expect(commands().at(-1)).toMatchObject({ source: "userShell", exitCode: 0, denial: null });
  });

  it("is the model's where the user has taken all of theirs, which is not without end", async () => {
    const { lab, executor, commands } = labWith([[start()]]);
    const typing = Array.from({ length: MOST + 2 }, () => lab.shell("mine"));
    await settled();
    expect(executor.processes).toHaveLength(MOST);
    const denial = expect.stringContaining(`${MOST} processes of the user go on`);
    expect(commands()).toMatchObject([
      { status: "failed", denial },
      { status: "failed", denial },
    ]);
    expect(await lab.run("go")).toEqual({ status: "completed" });
    expect(commands().at(-1)).toMatchObject({ source: "agent", status: "completed" });
    await lab.thread.close();
    await Promise.all(typing);
  });

  it("is there again when one of them has ended", async () => {
    const { lab, executor, numbers, commands } = labWith([many(MOST), [start()]]);
    await lab.run("go");
    const [first = ""] = numbers();
    expect(await lab.thread.endProcess(first)).toBe(true);
    expect(executor.processes[0]?.isTerminated).toBe(true);
    expect(numbers()).toHaveLength(MOST - 1);
    await lab.run("go on");
    expect(commands().at(-1)).toMatchObject({ denial: null, processId: expect.any(String) });
  });
});

it("takes a number for that of a process only as it is listed", async () => {
  const { lab, numbers } = labWith([[start()]]);
  await lab.run("go");
  const [listed = ""] = numbers();
  const odd = [` ${listed}`, `0${listed}`, `${listed}.0`, `0x${Number(listed).toString(16)}`];
  for (const one of odd) expect(await lab.thread.endProcess(one)).toBe(false);
  expect(numbers()).toEqual([listed]);
  expect(await lab.thread.endProcess(listed)).toBe(true);
});

describe("what goes on in a thread", () => {
  it("is what the model left and what the user typed, the first first, until it is over", async () => {
    const { lab, executor } = labWith([[start()]]);
    await lab.run("go");
    const typing = lab.shell("mine");
    await settled();
    expect(lab.thread.processes()).toMatchObject([
      { processId: expect.stringMatching(/^\d+$/), item: { source: "agent" }, order: 1 },
      { processId: expect.stringMatching(/^\d+$/), item: { source: "userShell" }, order: 2 },
    ]);
    for (const process of executor.processes) process.exit(0);
    await typing;
    await settled();
    expect(lab.thread.processes()).toEqual([]);
  });

  it("is ended by its number, once, and nothing by another one", async () => {
    const { lab, numbers } = labWith([[start()]]);
    await lab.run("go");
    const [number = ""] = numbers();
    for (const other of ["", "0", "nonsense", `${number}0`]) {
      expect(await lab.thread.endProcess(other)).toBe(false);
    }
    expect(await lab.thread.endProcess(number)).toBe(true);
    expect(await lab.thread.endProcess(number)).toBe(false);
  });

  it("is no session of the model's where the user typed it", async () => {
    let number = "";
    const { lab, executor, numbers } = labWith([
      async function* () {
        yield call("write_stdin", { session_id: Number(number), chars: "\u0003" });
      },
    ]);
    const typing = lab.shell("mine");
    await settled();
    [number = ""] = numbers();
    await lab.run("go");
    expect(lab.completed()).toContainEqual(expect.objectContaining({ type: "refusedCall" }));
    expect(executor.processes[0]?.isTerminated).toBe(false);
    executor.processes[0]?.exit(0);
    await typing;
  });

  it("leaves a command of the user's alone when a turn beside it ends", async () => {
    const { lab, executor, commands } = labWith([[]]);
    const typing = lab.shell("mine");
    await settled();
    await lab.run("go");
    expect(commands()).toEqual([]);
    executor.processes[0]?.print("all of it").exit(0);
    await typing;
    expect(commands()).toMatchObject([{ exitCode: 0, output: "all of it" }]);
  });
});
