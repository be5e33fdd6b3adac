import { describe, expect, it } from "vitest";
import { loadFrom } from "../support/load-from.ts";

const load = (text: string, overrides?: Record<string, unknown>) =>
  loadFrom({ "home/config.toml": text }, overrides);
const skills = async (text: string) => (await load(text)).settings.skills;

describe("readSkillSettings", () => {
  it("reads roots, what is switched off, and whom the user trusts", async () => {
    const text = `
      [skills]
      roots = ["/srv/skills/", "/srv/./more"]
      [[skills.config]]
      path = "/srv/skills/a/SKILL.md"
      enabled = false
      [[skills.config]]
      name = "b"
      enabled = false
      [[skills.config]]
      path = "/srv/skills/c"
      enabled = true
      [projects."/srv/repo/"]
      trust_level = "trusted"
      [projects."/srv/other"]
      trust_level = "untrusted"
      [projects."/srv/silent"]`;
    expect(await skills(text)).toEqual({
      roots: ["/srv/skills", "/srv/more"],
      disabled: ["/srv/skills/a/SKILL.md", "b"],
      trustedProjects: ["/srv/repo"],
    });
  });

  it.each([
    ["a root that is relative", '[skills]\nroots = ["skills"]', "no absolute path"],
    ["roots that are no list", '[skills]\nroots = "/srv"', "expected a list"],
    ["an unknown key", "[skills]\nonly = true", 'unknown key "only"'],
    ["an entry without a choice", "[[skills.config]]\nenabled = false", "a path or a name"],
    ["an entry with both", '[[skills.config]]\nenabled = false\npath = "/a"\nname = "a"', "either"],
    ["an entry that says neither yes nor no", '[[skills.config]]\nname = "a"', "enabled"],
    ["an unknown key in an entry", '[[skills.config]]\nname = "a"\nenabled = true\nx = 1', '"x"'],
    ["an unknown trust", '[projects."/a"]\ntrust_level = "some"', "trust_level"],
    ["a relative project", '[projects.a]\ntrust_level = "trusted"', "no absolute path"],
    ["projects that are no table", "projects = 1", "expected a table"],
  ])("refuses %s", async (_, text, expected) => {
    await expect(load(text)).rejects.toThrow(expected);
  });

  it("notes keys of Codex about what there is not here", async () => {
    const { unknownKeys } = await load("[skills]\nbundled = { enabled = false }");
    expect(unknownKeys.map(({ key }) => key)).toEqual(["skills.bundled"]);
  });

  it("lets no request trust a project or add a root", async () => {
    const trust = {
      projects: { "/srv/app": { trust_level: "trusted" } },
      skills: { roots: ["/x"] },
    };
    const { settings, unknownKeys } = await load("", trust);
    expect(settings.skills).toEqual({ roots: [], disabled: [], trustedProjects: [] });
    expect(unknownKeys.map(({ key }) => key)).toEqual(["projects", "skills"]);
  });

  it("lets no project say where skills come from", async () => {
    const files = { "project/writ.toml": '[skills]\nroots = ["/x"]' };
    await expect(loadFrom(files)).rejects.toThrow('unknown key "skills"');
  });
});
