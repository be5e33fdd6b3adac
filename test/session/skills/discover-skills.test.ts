import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { discoverSkill, discoverSkills } from "../../../src/session/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { FIXTURES, skillFolder, skillText } from "./support/skill-folder.ts";

const HOME = "/home/me";
const names = ({ skills }: { skills: readonly { name: string }[] }) =>
  skills.map(({ name }) => name);
const errors = ({ problems }: ReturnType<typeof discoverSkills>) =>
  problems.filter(({ severity }) => severity === "error").map(({ message }) => message);

/** Puts so many empty files into a folder: one and its names, as a disk takes long to make each. */
function fill(folder: string, count: number): void {
  const first = path.join(folder, "0");
  writeFileSync(first, "");
  for (let at = 1; at < count; at += 1) linkSync(first, path.join(folder, String(at)));
}

describe("discoverSkills", () => {
  it("finds ten skills in the shapes that are in use", () => {
    const found = discoverSkills([{ folder: FIXTURES, scope: "user" }], HOME);
    expect(names(found)).toEqual([
      ...["browser-testing", "code-review", "commit-message", "house-style", "line-ends"],
      ...["pdf-forms", "release", "release-notes", "table-audit", "web-survey"],
    ]);
    expect(errors(found)).toEqual([]);
    const files = found.skills.find(({ name }) => name === "pdf-forms")?.files;
    expect(files?.map((one) => [one.path, one.isExecutable])).toEqual([
      ["SKILL.md", false],
      ["references/field-types.md", false],
      ["scripts/list_fields.py", true],
    ]);
  });

  it("takes no folder below a skill for another skill, and looks four folders deep", () => {
    const lab = skillFolder();
    lab.skill("outer");
    lab.put("outer/inner/SKILL.md", skillText(["name: inner", "description: x"]));
    lab.put("1/2/3/deep/SKILL.md", skillText(["name: deep", "description: x"]));
    lab.put("1/2/3/4/deeper/SKILL.md", skillText(["name: deeper", "description: x"]));
    expect(names(lab.look())).toEqual(["deep", "outer"]);
  });

  it("lets the first root have a name, whatever the case of its letters, and says so", () => {
    const [one, other] = [skillFolder(), skillFolder()];
    one.skill("same");
    other.put("x/SKILL.md", skillText(["name: SAME", "description: another"]));
    const roots = [one.root, other.root].map((folder) => ({ folder, scope: "user" as const }));
    const found = discoverSkills(roots, HOME);
    expect(found.skills.map(({ description }) => description)).toEqual(["Does same."]);
    expect(found.problems.map(({ message }) => message).join()).toContain("which counts");
  });

  it("says nothing of a root that is not there, and what is wrong with one that is no folder", () => {
    const folder = temporaryFolder({ file: "x" });
    const at = (name: string) => [{ folder: path.join(folder, name), scope: "user" as const }];
    expect(discoverSkills(at("none"), HOME)).toEqual({ skills: [], problems: [] });
    expect(errors(discoverSkills(at("file"), HOME)).join()).toContain("cannot be looked at");
  });

  it("is not taken away by another skill that is broken", () => {
    const lab = skillFolder();
    lab.skill("good");
    lab.put("bad/SKILL.md", "no front matter");
    expect(names(lab.look())).toEqual(["good"]);
    expect(errors(lab.look())).toEqual([expect.stringContaining("no front matter")]);
  });
});

describe("a hostile skill", () => {
  it("is refused where its own file is a link", () => {
    const lab = skillFolder();
    const outside = temporaryFolder({ "SKILL.md": skillText(["name: a", "description: x"]) });
    mkdirSync(path.join(lab.root, "a"));
    symlinkSync(path.join(outside, "SKILL.md"), path.join(lab.root, "a/SKILL.md"));
    expect(names(lab.look())).toEqual([]);
    expect(errors(lab.look())).toEqual([expect.stringContaining("it is a link")]);
  });

  it("is not followed where its folder is a link, which is said", () => {
    const lab = skillFolder();
    const outside = temporaryFolder({ "SKILL.md": skillText(["name: a", "description: x"]) });
    symlinkSync(outside, path.join(lab.root, "a"));
    expect(names(lab.look())).toEqual([]);
    expect(lab.look().problems[0]?.message).toContain("it is a link");
  });

  it("has no files that are links, pipes or other things, which is said", () => {
    const lab = skillFolder();
    lab.skill("a");
    symlinkSync("/etc/passwd", path.join(lab.root, "a/passwd"));
    symlinkSync("/etc", path.join(lab.root, "a/etc"));
    execFileSync("mkfifo", [path.join(lab.root, "a/pipe")]);
    expect(lab.find("a").files.map((one) => one.path)).toEqual(["SKILL.md"]);
    expect(
      lab
        .look()
        .problems.map((one) => path.basename(one.path))
        .sort(),
    ).toEqual([...["etc", "passwd", "pipe"]]);
  });

  it("is refused with 10,000 files", () => {
    const lab = skillFolder();
    lab.skill("a");
    fill(path.join(lab.root, "a"), 10_000);
    const found = lab.look();
    expect(names(found)).toEqual([]);
    expect(errors(found)).toEqual([expect.stringContaining("more than 2000 files")]);
  });

  it.each([
    ["a giant file", "a/giant", 1 << 30, "expected at most 16777216"],
    ["a giant text", "a/SKILL.md", 1 << 20, "expected at most 262144"],
  ])("is refused with %s, which is not read", (_, file, size, expected) => {
    const lab = skillFolder();
    lab.skill("a");
    lab.put(file, skillText(["name: a", "description: x"]));
    truncateSync(path.join(lab.root, file), size);
    expect(names(lab.look())).toEqual([]);
    expect(errors(lab.look()).join()).toContain(expected);
  });

  it("is refused with more bytes than there is room for", () => {
    const lab = skillFolder();
    lab.skill("a");
    for (let at = 0; at < 5; at += 1) truncateSync(lab.put(`a/${at}`, ""), 16 << 20);
    expect(errors(lab.look())).toEqual([expect.stringContaining("more than 67108864 bytes")]);
  });

  it("is refused with folders inside each other without end", () => {
    const lab = skillFolder();
    lab.skill("a");
    lab.put(`a/${"x/".repeat(20)}file`, "");
    expect(errors(lab.look())).toEqual([expect.stringContaining("folders inside each other")]);
  });

  it.each([["a\nb"], ["a\u001b[31m"], ["a\u202eb"], ["a\\b"]])(
    "is refused with a name like %j",
    (name) => {
      const lab = skillFolder();
      lab.skill("a");
      lab.put(`a/${name}`, "");
      expect(errors(lab.look())).toEqual([expect.stringContaining("control characters")]);
    },
  );

  it("is refused with a name that is no UTF-8", () => {
    const lab = skillFolder();
    lab.skill("a");
    writeFileSync(Buffer.concat([Buffer.from(`${lab.root}/a/x`), Buffer.from([0xff])]), "");
    expect(errors(lab.look())).toEqual([expect.stringContaining("control characters")]);
  });

  it("is refused where it is no text", () => {
    const lab = skillFolder();
    lab.put("a/SKILL.md", Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe]));
    expect(errors(lab.look())).toEqual([expect.stringContaining("not text")]);
  });

  it("is refused where the root leads out of its project", () => {
    const outside = skillFolder();
    outside.skill("a");
    const project = temporaryFolder({ ".agents/x": "" });
    symlinkSync(outside.root, path.join(project, ".agents/skills"));
    const folder = path.join(project, ".agents/skills");
    const found = discoverSkills([{ folder, scope: "repo", within: project }], HOME);
    expect(names(found)).toEqual([]);
    expect(errors(found)).toEqual([expect.stringContaining("leads out of its project")]);
  });

  it("takes no room from the skills before it", () => {
    const lab = skillFolder();
    for (let at = 0; at < 6; at += 1) {
      lab.skill(`s${at}`);
      fill(path.join(lab.root, `s${at}`), 1900);
    }
    const found = lab.look();
    expect(names(found)).toEqual(["s0", "s1", "s2", "s3", "s4"]);
    expect(errors(found)).toEqual([expect.stringContaining("no room left")]);
  });
});

describe("discoverSkill", () => {
  it("looks at one folder, wherever it lies", () => {
    const found = discoverSkill(path.join(FIXTURES, "research/web-survey"), HOME);
    expect(names(found)).toEqual(["web-survey"]);
  });

  it("says why where it cannot be looked at", () => {
    const lab = skillFolder();
    lab.skill("a");
    chmodSync(path.join(lab.root, "a/SKILL.md"), 0o000);
    const found = discoverSkill(path.join(lab.root, "a"), HOME);
    // Root reads it all the same.
    expect(found.skills.length + found.problems.length).toBe(1);
  });
});
