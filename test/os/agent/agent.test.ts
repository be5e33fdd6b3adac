/** What a thread's commands can really do, from a line of the user to the disk. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { CommandExecution, TurnItem } from "../../../src/agent/index.ts";
import { profileIn } from "../../agent/support/turn-lab.ts";
import { agentsAt, EVERYWHERE, processesOf, rareSleep, until } from "./support/agent-lab.ts";

function commandsIn(items: readonly TurnItem[]): CommandExecution[] {
  return items.filter((item) => item.type === "commandExecution");
}

function lastCommand(items: readonly TurnItem[]): CommandExecution | undefined {
  return commandsIn(items).at(-1);
}

describe.each(EVERYWHERE)("a thread's commands (%s)", (where) => {
  const agentLab = agentsAt(where);

  it("B01: read-only reads and writes nothing, and the item says what was denied", async () => {
    const lab = await agentLab("read-only");
    const { run, completed, workspace } = lab;
    writeFileSync(path.join(workspace, "here.txt"), "to be read");
    await run("cat here.txt");
    expect(lastCommand(completed())).toMatchObject({
      status: "completed",
      output: expect.stringContaining("to be read"),
    });
    expect(await run("echo text > new.txt")).toEqual({ status: "completed" });
    expect(existsSync(path.join(workspace, "new.txt"))).toBe(false);
    const denied = lastCommand(completed());
    expect(denied).toMatchObject({
      status: "failed",
      exitCode: 1,
      denial: expect.stringContaining("new.txt"),
      receiptId: expect.stringMatching(/./),
    });
    expect(completed().at(-1)).toMatchObject({
      type: "agentMessage",
      text: expect.stringMatching(/exit code 1.*denied.*new\.txt/),
    });
  });

  it("B02: workspace-write writes in the workspace, and nowhere else", async () => {
    const { run, completed, workspace, outside } = await agentLab("workspace-write");
    await run("echo text > new.txt");
    expect(readFileSync(path.join(workspace, "new.txt"), "utf8")).toBe("text\n");
    await run(`echo text > ${outside}/new.txt`);
    expect(existsSync(path.join(outside, "new.txt"))).toBe(false);
    expect(lastCommand(completed())).toMatchObject({
      status: "failed",
      denial: expect.any(String),
    });
  });

  it("B03: danger-full-access writes anywhere, and asks nobody", async () => {
    const { run, questions, outside } = await agentLab("danger-full-access", {
      frame: { approval: "untrusted" },
    });
    await run(`echo text > ${outside}/new.txt`);
    expect(readFileSync(path.join(outside, "new.txt"), "utf8")).toBe("text\n");
    expect(questions).toEqual([]);
  });

  it("N05: a command that cannot begin is an item, too", async () => {
    const { run, completed } = await agentLab("read-only", {
      frame: { cwd: "file:///nowhere/at/all" as never },
    });
    expect(await run("true")).toEqual({ status: "completed" });
    expect(lastCommand(completed())).toMatchObject({
      status: "failed",
      denial: expect.stringContaining("/nowhere/at/all"),
    });
  });

  it("leaves the sandbox only when a person lets it, once", async () => {
    const { run, completed, questions, outside } = await agentLab("read-only", {
      answers: ["decline", "accept", "decline"],
    });
    const file = path.join(outside, "new.txt");
    const line = `escalate echo out >> ${file}`;
    await run(line);
    expect(existsSync(file)).toBe(false);
    expect(lastCommand(completed())).toMatchObject({ status: "declined" });
    await run(line);
    expect(readFileSync(file, "utf8")).toBe("out\n");
    await run(line);
    expect(readFileSync(file, "utf8")).toBe("out\n");
    expect(questions).toHaveLength(3);
  });

  it("goes on in the background, is typed into, and asks once the policy is another", async () => {
    const lab = await agentLab("workspace-write", { answers: ["decline", "accept"] });
    const { run, completed, questions, workspace } = lab;
    await run('background while read -r line; do echo "$line" >> typed.txt; done');
    const session = lastCommand(completed())?.processId;
    expect(session).toMatch(/^\d+$/);
    const typed = path.join(workspace, "typed.txt");
    const text = () => (existsSync(typed) ? readFileSync(typed, "utf8") : "");
    await run(`type ${session} one`);
    await until(() => text() === "one\n");
    expect(questions).toEqual([]);
    const profile = profileIn("read-only");
    await run(`type ${session} two`, { profile });
    await run(`type ${session} three`, { profile });
    await until(() => text() === "one\nthree\n");
    expect(questions.map(({ kind }) => kind)).toEqual(["writeStdin", "writeStdin"]);
    await run(`type ${session} four`, { profile, approval: "never" });
    expect(text()).toBe("one\nthree\n");
  });

  it("ends with all it started when the turn is stopped", async () => {
    const { run, completed, stop } = await agentLab("workspace-write");
    const line = rareSleep();
    const running = run(`${line} & bash -c '${line}; true' & ${line}`);
    await until(() => processesOf(line) === 3);
    stop.abort();
    expect(await running).toEqual({ status: "interrupted" });
    await until(() => processesOf(line) === 0);
    expect(lastCommand(completed())).toMatchObject({ status: "failed" });
  });

  it.each(["workspace-write", "danger-full-access"] as const)(
    "leaves no process when the thread is closed: %s",
    async (mode) => {
      const { run, thread } = await agentLab(mode);
      const line = rareSleep();
      expect(await run(`background ${line} & ${line}`)).toEqual({ status: "completed" });
      await until(() => processesOf(line) === 2);
      await thread.close();
      await until(() => processesOf(line) === 0);
    },
  );

  it("N21: obeys the policy when the user types a command, too", async () => {
    const { shell, completed, outside, workspace } = await agentLab("workspace-write");
    await shell(`echo in > in.txt; echo out > ${outside}/out.txt`);
    expect(existsSync(path.join(outside, "out.txt"))).toBe(false);
    expect(readFileSync(path.join(workspace, "in.txt"), "utf8")).toBe("in\n");
    expect(completed()).toMatchObject([{ source: "userShell", status: "failed" }]);
  });

  it("gets no variable of the process beyond the core ones", async () => {
    process.env.WRIT_TEST_API_KEY = "canary-of-the-test";
    const { run, completed } = await agentLab("read-only");
    await run("env");
    delete process.env.WRIT_TEST_API_KEY;
    const { output } = lastCommand(completed()) ?? {};
    expect(output).toContain("PATH=");
    expect(output).not.toMatch(/canary-of-the-test|WRIT_(?!SHELF=)/);
  });
});
