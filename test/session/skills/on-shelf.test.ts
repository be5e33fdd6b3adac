import { describe, expect, it } from "vitest";
import { onShelf, resolveSkillFile } from "../../../src/session/skills/on-shelf.ts";
import type { Skill } from "../../../src/session/skills/skill.ts";

const skill = (name: string): Skill => ({
  ...{ name, description: "x", allowedTools: null, policy: null, isManual: false },
  ...{ folder: `/host/${name}`, scope: "user", files: [] },
});
const SKILLS = [skill("a"), skill("a-b")];
const resolve = (path: string) => {
  const shelved = onShelf(path);
  const found = shelved === undefined ? undefined : resolveSkillFile(shelved, SKILLS);
  return found && `${found.skill.folder}/${found.path}`;
};

describe("resolveSkillFile", () => {
  it("case 42: finds the host's file behind a path on the shelf, however the variable is written", () => {
    expect(resolve("$WRIT_SHELF/skills/a/references/x.md")).toBe("/host/a/references/x.md");
    expect(resolve(`\${WRIT_SHELF}/skills/a/SKILL.md`)).toBe("/host/a/SKILL.md");
    expect(resolve("  $WRIT_SHELF//skills/./a/b/../x.md ")).toBe("/host/a/x.md");
  });

  it.each([
    ["case 46: an unknown name", "$WRIT_SHELF/skills/none/x"],
    ["case 46: another place on the shelf", "$WRIT_SHELF/other/a/x"],
    ["case 46: another root", "/skills/a/x"],
    ["case 46: a variable that only begins so", "$WRIT_SHELFX/skills/a/x"],
    ["case 46: a relative path", "skills/a/x"],
    ["case 47: a way out through a skill", "$WRIT_SHELF/skills/a/../../etc/passwd"],
    ["case 47: the folder of a skill", "$WRIT_SHELF/skills/a"],
    ["case 47: the folder of a skill, with a stroke", "$WRIT_SHELF/skills/a/"],
    ["case 109: a file beside the skill", "$WRIT_SHELF/skills/a/../README.md"],
    ["the shelf itself", "$WRIT_SHELF"],
  ])("has nothing for %s", (_, path) => {
    expect(resolve(path)).toBeUndefined();
  });

  it("case 48: never takes one name for the beginning of another", () => {
    expect(resolve("$WRIT_SHELF/skills/a-b/x")).toBe("/host/a-b/x");
    expect(resolve("$WRIT_SHELF/skills/a/x")).toBe("/host/a/x");
  });
});
