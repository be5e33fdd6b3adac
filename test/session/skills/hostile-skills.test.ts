/** Skills that are written, or laid out, to be more than they seem. */
import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  catalogueText,
  createSkillSource,
  discoverSkills,
  loadSkill,
  type SkillRoot,
} from "../../../src/session/index.ts";
import { readFrontMatter } from "../../../src/session/skills/front-matter/read-front-matter.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { skillFolder, skillText } from "./support/skill-folder.ts";

const HEAD = ["name: a", "description: x"];
const read = (text: string) => readFrontMatter(text, { folderName: "a", home: "/home/me" });
const rootsOf = (...folders: readonly string[]): SkillRoot[] =>
  folders.map((folder, at) => ({ folder, scope: at === 0 ? "user" : "repo" }));

describe("the name of a skill", () => {
  it.each([
    ["a restriction that cannot be read", ["allowed-tools: ''"]],
    ["no description", ["description: ''"]],
    ["a key that may restrict", ["permissions: none"]],
  ])("stays the user's where that skill is refused for %s", (_, lines) => {
    const [mine, theirs] = [skillFolder(), skillFolder()];
    const head = lines[0]?.startsWith("description")
      ? ["name: deploy"]
      : ["name: deploy", "description: x"];
    mine.put("other/SKILL.md", skillText([...head, ...lines]));
    theirs.skill("Deploy");
    const { skills, problems } = discoverSkills(rootsOf(mine.root, theirs.root), "/home/me");
    expect(skills).toEqual([]);
    expect(problems.at(-1)?.message).toContain("expected another name");
  });

  it("stays the user's where that skill cannot be read at all, by its folder", () => {
    const [mine, theirs] = [skillFolder(), skillFolder()];
    mine.put("deploy/SKILL.md", "no front matter");
    theirs.skill("deploy");
    expect(discoverSkills(rootsOf(mine.root, theirs.root), "/home/me").skills).toEqual([]);
  });

  it("stays the user's where there is no room for that skill", () => {
    const [mine, theirs] = [skillFolder(), skillFolder()];
    mine.skill("deploy");
    for (let at = 0; at < 2001; at += 1) mine.put(`deploy/files/${at}`, "");
    theirs.skill("deploy");
    expect(discoverSkills(rootsOf(mine.root, theirs.root), "/home/me").skills).toEqual([]);
  });
});

describe("a skill that is switched off", () => {
  const listed = async (root: string, disabled: readonly string[]) => {
    const source = createSkillSource({
      places: async () => ({ roots: rootsOf(root), disabled }),
      home: "/home/me",
    });
    onTestFinished(() => source.close());
    return (await source.list(null)).skills.map(({ name }) => name);
  };

  it("is off whatever the case of its letters, as it is loaded", async () => {
    const lab = skillFolder();
    lab.skill("Deploy");
    expect(await listed(lab.root, ["deploy"])).toEqual([]);
  });

  it.each(["a", "a/SKILL.md"])(
    "is off also where its path leads through a link: %s",
    async (at) => {
      const lab = skillFolder();
      lab.skill("a");
      const link = path.join(temporaryFolder(), "skills");
      symlinkSync(lab.root, link);
      expect(await listed(link, [path.join(link, at)])).toEqual([]);
    },
  );
});

describe("a root that leads to itself", () => {
  it("takes no other root away, also where it becomes one while it is watched", {
    timeout: 60_000,
  }, async () => {
    const lab = skillFolder();
    lab.skill("a");
    const base = temporaryFolder();
    const loop = path.join(base, "skills");
    symlinkSync("skills", loop);
    const source = createSkillSource({
      places: async () => ({ roots: rootsOf(lab.root, loop), disabled: [] }),
      home: "/home/me",
    });
    onTestFinished(() => source.close());
    const waiting: (() => void)[] = [];
    source.onChange(() => {
      for (const tell of waiting.splice(0)) tell();
    });
    const names = async () => (await source.list(null)).skills.map(({ name }) => name);
    const afterwards = (change: () => void) =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        change();
      });
    expect(await names()).toEqual(["a"]);
    rmSync(loop);
    mkdirSync(loop);
    expect(await names()).toEqual(["a"]);
    await afterwards(() => {
      symlinkSync("skills", path.join(base, "made"));
      rmSync(loop, { recursive: true });
      renameSync(path.join(base, "made"), loop);
    });
    await afterwards(() => lab.skill("b"));
    expect(await names()).toEqual(["a", "b"]);
  });
});

describe("front matter", () => {
  it.each([
    ["a line separator", "\u2028"],
    ["a paragraph separator", "\u2029"],
    ["a carriage return", "\r"],
  ])("is not cut short by %s before dashes", (_, separator) => {
    const text = skillText([`name: a`, `description: x${separator}---`, "allowed-tools: Read"]);
    const { head } = read(text);
    expect(head?.allowedTools ?? ["Read"]).toEqual(["Read"]);
    expect(read(text).body).toBe("Do it.");
  });

  it.each([
    "Writ: {extends: ':read-only'}",
    "WRIT: {}",
    "hooks: {}",
    "read-only: true",
    "filesystem: {}",
    "profile: x",
    "access: none",
    "approvals: all",
    "blocked: [Bash]",
    "forbidden: [Bash]",
  ])("refuses what may restrict and is not known: %s", (line) => {
    const { head, problems } = read(skillText([...HEAD, line]));
    expect(head).toBeUndefined();
    expect(problems[0]?.message).toContain("may restrict it");
  });

  it.each([
    ["aliases", ["metadata: &a {k: v}", "more: *a"]],
    ["a second document", ["...", "allowed-tools: Read"]],
    ["a tag of a program", ["metadata: !!js/function 'x'"]],
    ["a key twice", ["allowed-tools: Read", "allowed-tools: Bash"]],
    [
      "a merge into a restriction",
      ["<<: {allowed-tools: Read}", "writ: {<<: {extends: ':workspace'}}"],
    ],
    ["a prototype in a policy", ["writ: {__proto__: {extends: ':workspace'}}"]],
    ["a prototype in the files of a policy", ["writ: {filesystem: {__proto__: {':root': write}}}"]],
  ])("refuses %s", (_, lines) => {
    expect(read(skillText([...HEAD, ...lines])).head).toBeUndefined();
  });

  it("takes no restriction from a prototype", () => {
    const { head } = read(skillText([...HEAD, "__proto__: {allowed-tools: [], writ: {}}"]));
    expect(head).toMatchObject({ allowedTools: null, policy: null });
  });
});

describe("what a model is told of a skill", () => {
  it.each([
    ["half a character by its escape", `description: "x \\ud83d y"`],
    ["a character that the end cuts in two", `description: ${"x".repeat(1023)}\u{1F600}`],
  ])("is text that can be sent, also with %s", (_, line) => {
    const lab = skillFolder();
    lab.put("a/SKILL.md", skillText(["name: a", line]));
    expect(catalogueText(lab.look().skills)?.isWellFormed()).toBe(true);
  });

  it("is text that can be sent where the end of the text cuts a character in two", () => {
    const lab = skillFolder();
    lab.skill("a", [], `x${"\u{1F600}".repeat(40_000)}`);
    expect(loadSkill(lab.find("a"), "/home/me").text.isWellFormed()).toBe(true);
  });
});
