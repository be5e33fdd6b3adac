/** Skills that narrow a turn, and grants that widen it, one on the other, on real sandboxes. */
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type {
  CommandExecution,
  ModelEvent,
  Models,
  PermissionAnswer,
} from "../../../src/agent/index.ts";
import { type SandboxMode, uriOfNative } from "../../../src/policy/index.ts";
import { createSkillSource } from "../../../src/session/index.ts";
import { call, exec, say } from "../../agent/support/turn-lab.ts";
import { skillFolder } from "../../session/skills/support/skill-folder.ts";
import {
  type AgentLab,
  agentsAt,
  EVERYWHERE,
  type OpenAgent,
  processesOf,
  rareSleep,
  until,
} from "./support/agent-lab.ts";

type Turn = (lab: AgentLab) => readonly ModelEvent[];
type Scope = PermissionAnswer["scope"];

const CAREFUL = ["writ:", '  extends: ":read-only"'];

/** A thread whose model makes these calls, one turn after the other; the user grants all that is asked. */
async function labOf(
  agentLab: OpenAgent,
  scope: Scope,
  turns: readonly Turn[],
  mode: SandboxMode = "workspace-write",
): Promise<AgentLab> {
  const folder = skillFolder();
  folder.skill("careful", CAREFUL);
  folder.skill("building", [...CAREFUL, '  filesystem: { ":workspace_roots": write }']);
  const skills = createSkillSource({
    places: async () => ({ roots: [{ folder: folder.root, scope: "user" }], disabled: [] }),
    home: "/home/me",
  });
  const left = turns.flatMap((turn) => [() => turn(lab), () => [say("Done.")]]);
  const models: Models = {
    find: () => ({
      async *respond() {
        yield* left.shift()?.() ?? [];
      },
    }),
  };
  const given = { network: true, files: [{ path: uriOfNative("/"), access: "write" as const }] };
  const permissions = [{ given, scope }];
  const lab = await agentLab(mode, { skills, models, permissions });
  return lab;
}

const load = (name: string) => call("load_skill", { name });
const wish = (permissions: object) => call("request_permissions", { permissions });
const writing = ({ outside }: AgentLab) => wish({ file_system: { write: [outside] } });
const touching = ({ outside, workspace }: AgentLab, name: string) =>
  exec(`touch ${outside}/${name}; touch ${workspace}/${name}`);
/** Whether a file is there outside, and in the workspace. */
const made = ({ outside, workspace }: AgentLab, name: string) =>
  [outside, workspace].map((folder) => existsSync(path.join(folder, name)));
const commandsOf = ({ completed }: AgentLab) =>
  completed().filter((item): item is CommandExecution => item.type === "commandExecution");

describe.each(EVERYWHERE)("a skill's policy and a grant (%s)", (where) => {
  const agentLab = agentsAt(where);

  it("opens nothing after the skill, and asks nobody", async () => {
    const lab = await labOf(agentLab, "session", [
      (one) => [load("careful"), writing(one), touching(one, "first")],
      (one) => [touching(one, "second")],
    ]);
    await lab.run("go");
    await lab.run("again");
    expect(lab.wanted).toEqual([]);
    expect([made(lab, "first"), made(lab, "second")]).toEqual([
      [false, false],
      [false, true],
    ]);
  });

  it("loses to the skill what was granted before it, until the turn is over", async () => {
    const lab = await labOf(agentLab, "session", [
      (one) => [writing(one), touching(one, "first"), load("careful"), touching(one, "second")],
      (one) => [touching(one, "third")],
    ]);
    await lab.run("go");
    await lab.run("again");
    expect(lab.wanted).toHaveLength(1);
    expect(["first", "second", "third"].map((name) => made(lab, name))).toEqual([
      [true, true],
      [false, false],
      [true, true],
    ]);
  });

  it.each(["turn", "session"] as const)(
    "of the %s ends with it also what runs under the policy of a skill",
    async (scope) => {
      const line = rareSleep();
      const turn: Turn = ({ workspace }) => [
        wish({ file_system: { write: [workspace] } }),
        load("building"),
        exec("touch made"),
        exec(line, { tty: true, yield_time_ms: 250 }),
      ];
      const lab = await labOf(agentLab, scope, [turn], "read-only");
      await lab.run("go");
      expect(lab.completed()).toContainEqual(
        expect.objectContaining({
          status: "completed",
          call: expect.objectContaining({ name: "load_skill" }),
        }),
      );
      expect(existsSync(path.join(lab.workspace, "made"))).toBe(true);
      expect(commandsOf(lab).at(-1)?.call?.output).toContain("session ID");
      await until(() => processesOf(line) === (scope === "turn" ? 0 : 1));
      await lab.thread.close();
      expect(processesOf(line)).toBe(0);
    },
  );
});
