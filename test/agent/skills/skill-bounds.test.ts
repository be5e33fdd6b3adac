import { expect, it } from "vitest";
import { SkillBounds } from "../../../src/agent/skills/skill-bounds.ts";
import { FRAME, profileIn } from "../support/turn-lab.ts";

const HEAD = { name: "careful", allowedTools: null, policy: profileIn("read-only") };

/** Of a turn without a sandbox a policy needs nothing but its frame. */
function loadedIn(frame: typeof FRAME) {
  const bounds = new SkillBounds();
  const add = (...[head, context, sandbox]: unknown[]) =>
    Reflect.apply(bounds.add, bounds, [head, context, sandbox]);
  return { bounds, load: () => add(HEAD, { frame }, undefined) };
}

it("a policy of a skill that was found within a grant is not used after the grant has ended", async () => {
  const granted = { ...FRAME, profile: { type: "disabled" as const } };
  const { bounds, load } = loadedIn(granted);
  await load();
  await bounds.renew({ frame: granted });
  expect(bounds.refusalOf("exec_command")).toBeUndefined();
  expect(bounds.frameUnder(granted).profile).toEqual(profileIn("read-only"));
  await bounds.renew({ frame: { ...FRAME, profile: profileIn("workspace-write") } });
  expect(bounds.refusalOf("exec_command")).toBe(
    'what the turn may do has changed since the skill "careful" was loaded, expected the call in another turn',
  );
  expect(bounds.refusalOf("load_skill")).toContain("expected the call in another turn");
  await expect(load()).rejects.toThrow("what the turn may do has changed meanwhile");
  await bounds.renew({ frame: granted });
  expect(bounds.refusalOf("exec_command")).toBeUndefined();
});
