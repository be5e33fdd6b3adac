/** What a model was granted, in the session that its tools share, on real sandboxes. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { CommandExecution, ModelRequest, PermissionAnswer } from "../../../src/agent/index.ts";
import { uriOfNative } from "../../../src/policy/index.ts";
import { call } from "../../agent/support/turn-lab.ts";
import {
  type AgentLab,
  agentsAt,
  EVERYWHERE,
  processesOf,
  rareSleep,
  until,
} from "./support/agent-lab.ts";

const commandsOf = ({ completed }: AgentLab) =>
  completed().filter((item): item is CommandExecution => item.type === "commandExecution");
const lastCommand = (lab: AgentLab) => commandsOf(lab).at(-1);
const generationOf = ({ sessions }: AgentLab) => sessions.generationOf("thread-1");

const everything = (scope: PermissionAnswer["scope"]): PermissionAnswer => ({
  given: { network: true, files: [{ path: uriOfNative("/"), access: "write" }] },
  scope,
});

describe.each(EVERYWHERE)("a grant in the session of a thread (%s)", (where) => {
  const agentLab = agentsAt(where);
  const labFor = (scope: PermissionAnswer["scope"]) =>
    agentLab("workspace-write", { permissions: [everything(scope)] });

  it("N08 N09 opens what was asked for alone, for commands and files, until the turn is over", async () => {
    const lab = await labFor("turn");
    const { outside } = lab;
    const [one, other] = [path.join(outside, "one"), path.join(path.dirname(outside), "other")];
    await lab.run(`ask write ${outside} then echo x > ${one}; echo x > ${other}`);
    expect([one, other].map((file) => existsSync(file))).toEqual([true, false]);
    await lab.run(`echo y > ${one}`);
    expect(readFileSync(one, "utf8")).toBe("x\n");
    expect(lastCommand(lab)).toMatchObject({ denial: expect.stringContaining(one) });
  });

  it("N10 for the session stays in the next turn", async () => {
    const lab = await labFor("session");
    await lab.run(`ask write ${lab.outside}`);
    await lab.run(`write ${lab.outside}/file text`);
    expect(lab.questions).toEqual([]);
    expect(readFileSync(path.join(lab.outside, "file"), "utf8")).toBe("text\n");
  });

  it("gets another sandbox than the narrower one of before, which the next turn keeps", async () => {
    const lab = await labFor("turn");
    await lab.run('echo kept > "$HOME/file"');
    await lab.run(`ask write ${lab.outside} then cat "$HOME/file"; touch ${lab.outside}/wide`);
    expect(existsSync(path.join(lab.outside, "wide"))).toBe(true);
    expect(lastCommand(lab)?.output).not.toContain("kept");
    expect(lastCommand(lab)?.call?.output).toContain("one that the earlier sandbox was not for");
    expect(generationOf(lab)).toBe(2);
    await lab.run(`touch ${lab.outside}/narrow`);
    expect(existsSync(path.join(lab.outside, "narrow"))).toBe(false);
    expect(generationOf(lab)).toBe(2);
  });

  it.each(["turn", "session"] as const)("for the %s ends what goes on with it", async (scope) => {
    const lab = await labFor(scope);
    const line = rareSleep();
    await lab.run(`ask write ${lab.outside} then background ${line}`);
    expect(commandsOf(lab).at(-1)?.call?.output).toContain("session ID");
    await until(() => processesOf(line) === (scope === "turn" ? 0 : 1));
    if (scope === "turn") {
      const denial = expect.stringContaining("Ended with its turn");
      expect(lastCommand(lab)).toMatchObject({ denial, receiptId: expect.stringMatching(/./) });
    }
    await lab.thread.close();
    expect(processesOf(line)).toBe(0);
  });

  it("ends what went on in the narrower one, and says so with its receipt", async () => {
    const line = rareSleep();
    const respond = async function* ({ history }: ModelRequest) {
      const wanted = { file_system: { write: [lab.outside] } };
      const calls = [
        call("exec_command", { cmd: line, yield_time_ms: 100 }),
        call("request_permissions", { permissions: wanted }),
        call("exec_command", { cmd: "echo wide" }),
      ];
      const next = calls[history.length - 1];
      if (next !== undefined) yield next;
    };
    const lab: AgentLab = await agentLab("workspace-write", {
      permissions: [everything("turn")],
      models: { find: () => ({ respond }) },
    });
    await lab.run("go");
    await until(() => commandsOf(lab).length === 2);
    expect(commandsOf(lab).find(({ command }) => command.includes(line))).toMatchObject({
      ...{ status: "failed", denial: expect.stringMatching(/^Ended with its sandbox/) },
      receiptId: expect.stringMatching(/./),
    });
  });

  it("makes no sandbox by itself, and ends none that is asked nothing of", async () => {
    const lab = await labFor("turn");
    await lab.run(`ask write ${lab.outside}`);
    expect(lab.sessions.get("thread-1")).toBeUndefined();
    const line = rareSleep();
    await lab.run(`background ${line}`);
    await until(() => processesOf(line) === 1);
    await lab.run(`ask read ${lab.workspace}`);
    expect(processesOf(line)).toBe(1);
    expect(generationOf(lab)).toBe(1);
  });

  it("on a place that is not there opens nothing else", async () => {
    const lab = await labFor("turn");
    const folder = path.join(lab.outside, "later");
    await lab.run(`ask write ${folder} then mkdir ${folder}; touch ${lab.outside}/beside`);
    expect(lastCommand(lab)?.output).toContain("Read-only file system");
    expect(existsSync(path.join(lab.outside, "beside"))).toBe(false);
  });

  it("opens a single file, and nothing beside it", async () => {
    const lab = await labFor("turn");
    const [file, beside] = [path.join(lab.outside, "file"), path.join(lab.outside, "beside")];
    writeFileSync(file, "old\n");
    chmodSync(file, 0o666);
    await lab.run(`ask write ${file} then echo new > ${file}; touch ${beside}`);
    expect(readFileSync(file, "utf8")).toBe("new\n");
    expect(existsSync(beside)).toBe(false);
  });
});
