/** News of skills, from real folders and real events of the system. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSkillSource, type SkillRoot } from "../../../src/session/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { skillFolder, skillText } from "./support/skill-folder.ts";

function sourceOf(folder: string, disabled: readonly string[] = []) {
  const roots: SkillRoot[] = [{ folder, scope: "user" }];
  const source = createSkillSource({ places: async () => ({ roots, disabled }), home: "/home/me" });
  onTestFinished(() => source.close());
  let news = 0;
  const waiting: (() => void)[] = [];
  source.onChange(() => {
    news += 1;
    for (const tell of waiting.splice(0)) tell();
  });
  /** Settles with the next piece of news after the change. */
  const afterwards = async (change: () => void) => {
    const told = new Promise<void>((resolve) => waiting.push(resolve));
    change();
    await told;
  };
  const names = async () => (await source.list(null)).skills.map(({ name }) => name);
  return { source, afterwards, names, news: () => news };
}

describe("createSkillSource", () => {
  it("tells of a skill that comes, that changes, and that goes", { timeout: 60_000 }, async () => {
    const lab = skillFolder();
    const { afterwards, names } = sourceOf(lab.root);
    expect(await names()).toEqual([]);
    await afterwards(() => lab.skill("a"));
    expect(await names()).toEqual(["a"]);
    await afterwards(() => lab.put("a/SKILL.md", skillText(["name: a", "description: else"])));
    await names();
    await afterwards(() => lab.put("a/references/new.md", "x"));
    await names();
    await afterwards(() => lab.remove("a"));
    expect(await names()).toEqual([]);
  });

  it("tells of a root that appears where there was none", { timeout: 60_000 }, async () => {
    const base = temporaryFolder();
    const root = path.join(base, "home/skills");
    const { afterwards, names } = sourceOf(root);
    expect(await names()).toEqual([]);
    await afterwards(() => {
      mkdirSync(path.join(base, "made/skills/a"), { recursive: true });
      writeFileSync(
        path.join(base, "made/skills/a/SKILL.md"),
        skillText(["name: a", "description: x"]),
      );
      renameSync(path.join(base, "made"), path.join(base, "home"));
    });
    expect(await names()).toEqual(["a"]);
  });

  it("says nothing of what changes no skill", { timeout: 60_000 }, async () => {
    const lab = skillFolder();
    lab.skill("a");
    const { afterwards, names, news } = sourceOf(lab.root);
    await names();
    lab.put("README", "x");
    lab.remove("README");
    await afterwards(() => lab.skill("b"));
    expect(news()).toBe(1);
  });

  it("watches nothing while nobody listens, nor after it is closed", async () => {
    const lab = skillFolder();
    const { source, news } = sourceOf(lab.root);
    await source.list(null);
    source.close();
    lab.skill("a");
    expect((await source.list(null)).skills).toHaveLength(1);
    expect(news()).toBe(0);
  });

  it("leaves out what is switched off, and gives its name to no other", async () => {
    const lab = skillFolder();
    lab.skill("a");
    lab.put("x/SKILL.md", skillText(["name: a", "description: another"]));
    for (const disabled of ["a", path.join(lab.root, "a"), path.join(lab.root, "a/SKILL.md")]) {
      const { skills, disabled: off } = await sourceOf(lab.root, [disabled]).source.list(null);
      expect(skills).toEqual([]);
      expect(off.map(({ description }) => description)).toEqual(["Does a."]);
    }
  });
});
