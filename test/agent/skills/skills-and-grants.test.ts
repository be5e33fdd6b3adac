/** What a skill takes away, and what may be granted besides, in the turns of an agent without a sandbox. */
import { describe, expect, it } from "vitest";
import { createSkillSource } from "../../../src/session/index.ts";
import { skillFolder } from "../../session/skills/support/skill-folder.ts";
import { fakeExecutor } from "../support/fake-executor.ts";
import {
  call,
  exec,
  FRAME,
  type LabOptions,
  profileIn,
  said,
  turnLab,
} from "../support/turn-lab.ts";

const CAREFUL = ["writ:", '  extends: ":read-only"'];
const load = (name: string) => call("load_skill", { name });
const wish = () => call("request_permissions", { permissions: { network: { enabled: true } } });

function lab(options: LabOptions, frame: LabOptions["frame"] = { profile: { type: "disabled" } }) {
  const folder = skillFolder();
  const skills = createSkillSource({
    places: async () => ({ roots: [{ folder: folder.root, scope: "user" }], disabled: [] }),
    home: "/home/me",
  });
  folder.skill("careful", CAREFUL);
  folder.skill("plain");
  folder.skill("asking", ["allowed-tools: request_permissions"]);
  const executor = fakeExecutor((process) => void process.exit(0));
  const made = turnLab({ executor, skills, frame, ...options });
  const outputs = () =>
    made.completed().flatMap((item) => ("call" in item ? [item.call?.output ?? ""] : []));
  return { ...made, executor, outputs };
}

const toolNames = ({ tools }: { tools: readonly { name: string }[] } | undefined = { tools: [] }) =>
  tools.map(({ name }) => name);

describe("a skill that brought a policy", () => {
  it("lets nothing be granted until the turn is over, and nobody is asked", async () => {
    const one = lab({ steps: [[load("careful")], [wish(), exec("x")]] });
    await one.run("go");
    expect(one.wanted).toEqual([]);
    expect(one.outputs()[1]).toBe(
      'Cannot call "request_permissions": the skill "careful" that was loaded holds the turn to a policy, and a grant does not lift that, expected the call in a turn without it',
    );
    expect(toolNames(one.requests[1])).not.toContain("request_permissions");
    expect(one.executor.requests).toMatchObject([
      { sandbox: { kind: "enforce", context: { profile: profileIn("read-only") } } },
    ]);
  });

  it("holds where the same turn goes on with something that was said late", async () => {
    const one = lab({ steps: [[load("careful")], [], [wish(), exec("x")], [], [exec("y")], []] });
    const frame = { ...FRAME, profile: { type: "disabled" as const } };
    for (const turn of ["a", "a", "b"]) {
      await one.thread.runTurn({ turn, history: [], input: said(turn, turn), frame }, one.port);
    }
    expect(one.wanted).toEqual([]);
    expect(one.executor.requests).toMatchObject([
      { sandbox: { context: { profile: profileIn("read-only") } } },
      { sandbox: { context: { profile: { type: "disabled" } } } },
    ]);
  });
});

describe("a skill without a policy", () => {
  it.each(["plain", "asking"])("leaves it to the user to grant more: %s", async (name) => {
    const given = { network: true, files: [] };
    const steps = [[load(name), wish()]];
    const one = lab({ steps, permissions: [{ given, scope: "turn" }] }, {});
    await one.run("go");
    expect(one.outputs()[1]).toContain("Granted for this turn: the network.");
  });
});
