/** The session that the tools of a thread share, on real sandboxes. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { CommandExecution, TurnItem } from "../../../src/agent/index.ts";
import { profileIn } from "../../agent/support/turn-lab.ts";
import { processesWith } from "../../session/provider/support/processes-with.ts";
import { killAll } from "../mcp/repl/support/left-behind.ts";
import {
  type AgentLab,
  agentsAt,
  EVERYWHERE,
  processesOf,
  rareSleep,
  until,
} from "./support/agent-lab.ts";

const commandsIn = (items: readonly TurnItem[]): CommandExecution[] =>
  items.filter((item) => item.type === "commandExecution");
const lastOutput = ({ completed }: AgentLab) => commandsIn(completed()).at(-1)?.output ?? "";
const lastReport = ({ completed }: AgentLab) => commandsIn(completed()).at(-1)?.call?.output ?? "";
const anchorsOf = async ({ executor }: AgentLab) => (await executor.anchors?.list()) ?? [];
const generationOf = ({ sessions }: AgentLab) => sessions.generationOf("thread-1");

describe.each(EVERYWHERE)("the sandbox of a thread (%s)", (where) => {
  const agentLab = agentsAt(where);

  it("is not made by a turn without a tool, and is gone with the thread", async () => {
    const lab = await agentLab("workspace-write");
    await lab.run("say hello");
    expect(await anchorsOf(lab)).toEqual([]);
    expect(lab.sessions.get("thread-1")).toBeUndefined();
    await lab.run("list .");
    expect(await anchorsOf(lab)).toHaveLength(1);
    expect(lab.sessions.get("thread-1")).toMatchObject({ generation: 1 });
    await lab.thread.close();
    expect(await anchorsOf(lab)).toEqual([]);
    expect(processesWith("thread-1")).toEqual([]);
  });

  it("is the same in the next turn: commands and tools for files share its home", async () => {
    const lab = await agentLab("workspace-write");
    await lab.run('echo kept > "$HOME/file"; echo "$HOME"');
    const home = lastOutput(lab).trim();
    await lab.run(`read ${home}/file`);
    expect(lab.completed().at(-2)).toMatchObject({ type: "toolCall", call: { output: "kept\n" } });
    await lab.run(`write ${home}/file other`);
    await lab.run('cat "$HOME/file"');
    expect(lastOutput(lab)).toBe("other\n");
    expect(generationOf(lab)).toBe(1);
  });

  it("stays in a narrower turn, which is held to less, and is another in a wider one", async () => {
    const lab = await agentLab("workspace-write");
    await lab.run('echo kept > "$HOME/file"');
    await lab.run('cat "$HOME/file"; echo x > narrow.txt', { profile: profileIn("read-only") });
    expect(lastOutput(lab)).toContain("kept");
    expect(existsSync(path.join(lab.workspace, "narrow.txt"))).toBe(false);
    expect(generationOf(lab)).toBe(1);
    const cwd = lab.outside;
    const wider = [`file://${lab.workspace}`, `file://${cwd}`] as never[];
    await lab.run(`cat "$HOME/file"; echo y > ${cwd}/wide.txt`, { workspaceRoots: wider });
    expect(readFileSync(path.join(cwd, "wide.txt"), "utf8")).toBe("y\n");
    expect(lastOutput(lab)).not.toContain("kept");
    expect(lastReport(lab)).toContain("that the earlier sandbox was not for");
    expect(generationOf(lab)).toBe(2);
    expect(await anchorsOf(lab)).toHaveLength(1);
  });

  it("is not used by whoever is not confined, nor by what a person let out", async () => {
    const lab = await agentLab("danger-full-access", { answers: ["accept"] });
    await lab.run("true");
    await lab.run(`write ${lab.outside}/a text`);
    await lab.run("escalate true", { profile: profileIn("read-only") });
    expect(commandsIn(lab.completed()).map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(await anchorsOf(lab)).toEqual([]);
  });

  it("is replaced where it was lost, and what ran in it is not run again", async () => {
    const lab = await agentLab("workspace-write");
    const line = rareSleep();
    const running = lab.run(`echo once >> ran.txt; ${line}`);
    await until(() => processesOf(line) === 1);
    const [anchor] = await anchorsOf(lab);
    await lab.executor.anchors?.close(anchor?.anchorId ?? "");
    await running;
    expect(commandsIn(lab.completed()).at(-1)).toMatchObject({
      ...{ status: "failed", exitCode: null, receiptId: expect.stringMatching(/./) },
      denial: expect.stringContaining("Ended with its sandbox"),
    });
    await until(() => processesOf(line) === 0);
    await lab.run("cat ran.txt");
    expect(lastOutput(lab)).toBe("once\n");
    expect(lastReport(lab)).toContain("was lost");
    expect(generationOf(lab)).toBe(2);
  });

  it("ends what went on in it when the thread is closed", async () => {
    const lab = await agentLab("workspace-write");
    const line = rareSleep();
    await lab.run(`background ${line}`);
    await until(() => processesOf(line) === 1);
    writeFileSync(path.join(lab.workspace, "here"), "x");
    await lab.run("read here");
    await lab.thread.close();
    await until(() => processesOf(line) === 0);
    expect(await anchorsOf(lab)).toEqual([]);
  });
});

describe("the sandbox of a thread whose holder is killed", () => {
  const agentLab = agentsAt("in this process");

  it("is another one for the next command", async () => {
    const lab = await agentLab("workspace-write");
    await lab.run("true");
    const [pid, ...others] = processesWith("--remount-ro").filter(isOurs).map(Number);
    expect([typeof pid, others.length > 3]).toEqual(["number", false]);
    killAll([pid, ...others].filter((one) => one !== undefined));
    await expect.poll(() => anchorsOf(lab)).toEqual([]);
    await lab.run("echo again");
    expect(lastOutput(lab)).toBe("again\n");
    expect(lastReport(lab)).toContain("was lost");
    expect(generationOf(lab)).toBe(2);
  });
});

/** Whether it holds an anchor of this process, and nothing else. */
function isOurs(pid: string): boolean {
  const words = readOr(`/proc/${pid}/cmdline`).split("\0").filter(Boolean);
  return words.at(-1) === "/" && ancestorsOf(pid).includes(process.pid);
}

function ancestorsOf(pid: string): number[] {
  const parent = /^PPid:\s(\d+)$/m.exec(readOr(`/proc/${pid}/status`))?.[1];
  return parent === undefined || parent === "0" ? [] : [Number(parent), ...ancestorsOf(parent)];
}

function readOr(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
