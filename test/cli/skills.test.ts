import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runCliIn } from "../../src/cli/run-cli.ts";
import { FIXTURES, skillFolder, skillText } from "../session/skills/support/skill-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const SKILL = (name: string) => skillText([`name: ${name}`, `description: Does ${name}.`]);

async function run(args: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const base = temporaryFolder();
  const here = (text: string) => text.replaceAll("BASE", base);
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(base, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, here(text));
  }
  const said: Record<"out" | "err", string[]> = { out: [], err: [] };
  const status = await runCliIn(["skills", ...args.map(here)], {
    out: (text) => void said.out.push(text),
    err: (text) => void said.err.push(text),
    env: { WRIT_HOME: path.join(base, "writ"), CODEX_HOME: path.join(base, "codex") },
    cwd: path.join(base, "project/sub"),
    home: path.join(base, "home"),
    ...{ hostname: "host", platform: "linux" },
  });
  return { out: said.out.join(""), err: said.err.join(""), status };
}

const names = ({ out }: { out: string }) =>
  JSON.parse(out).skills.map(({ name }: { name: string }) => name);

describe("writ skills list", () => {
  it("lists those of the user in the order of trust, with what is wrong beside it", async () => {
    const found = await run(["list"], {
      "writ/skills/a/SKILL.md": SKILL("a"),
      "codex/skills/b/SKILL.md": SKILL("b"),
      "home/.agents/skills/c/SKILL.md": SKILL("c"),
      "home/.agents/skills/a/SKILL.md": SKILL("a"),
      "home/.agents/skills/d/SKILL.md": "broken",
    });
    expect(found.status).toBe(0);
    expect(found.out.split("\n").map((line) => line.split(" ")[0])).toEqual(["a", "b", "c", ""]);
    expect(found.err).toContain("warning: ");
    expect(found.err).toContain("error: ");
  });

  it("has skills of a project only where the user trusts it, and never instead of the user's", async () => {
    const files = {
      "writ/skills/a/SKILL.md": SKILL("a"),
      "project/.agents/skills/a/SKILL.md": skillText(["name: a", "description: Not yours."]),
      "project/.agents/skills/p/SKILL.md": SKILL("p"),
      "project/sub/.agents/skills/q/SKILL.md": SKILL("q"),
    };
    expect(names(await run(["list", "--json"], files))).toEqual(["a"]);
    const trust = '[projects."BASE/project"]\ntrust_level = "trusted"\n';
    const { out } = await run(["list", "--json"], { ...files, "writ/config.toml": trust });
    const { skills } = JSON.parse(out);
    expect(skills.map((one: { name: string; scope: string }) => [one.name, one.scope])).toEqual([
      ["a", "user"],
      ["p", "repo"],
    ]);
    expect(skills[0].description).toBe("Does a.");
  });

  it("says what is switched off", async () => {
    const found = await run(["list"], {
      "writ/config.toml": '[[skills.config]]\nname = "a"\nenabled = false\n',
      "writ/skills/a/SKILL.md": SKILL("a"),
    });
    expect(found.out).toMatch(/^a \(off\) +Does a\./);
  });
});

describe("writ skills check", () => {
  it("finds nothing wrong with skills that are as they should be", async () => {
    const found = await run(["check", path.join(FIXTURES, "pdf-forms")]);
    expect(found).toMatchObject({ status: 0, out: "1 usable, 0 problems\n", err: "" });
  });

  it("is strict: what a list only warns of is a failure, with the reason", async () => {
    const found = await run(["check", FIXTURES]);
    expect(found.status).toBe(1);
    expect(found.out).toBe("10 usable, 4 problems\n");
    expect(found.err).toContain('its description holds "<" or ">"');
    expect(found.err).toContain("expected quoted texts");
    expect(found.err).toContain('the pattern "Bash(git diff:*)"');
  });

  it("tells programs the same", async () => {
    const found = await run(["check", FIXTURES, "--json"]);
    expect(found.status).toBe(1);
    expect(JSON.parse(found.out).problems).toHaveLength(4);
  });

  it("shows nothing that a terminal obeys", async () => {
    const lab = skillFolder();
    lab.put("a/SKILL.md", skillText(["name: a", 'description: "x"', '"k\\u001b[31m": 1']));
    const { err } = await run(["check", lab.root]);
    expect(err).toContain("which nothing heeds");
    expect(err).not.toContain("\u001b");
  });
});

describe("writ skills", () => {
  it.each([
    ["nothing", []],
    ["an unknown word", ["show"]],
    ["two paths", ["list", "a", "b"]],
    ["a folder that is not there", ["check", "BASE/none"]],
    ["a folder without skills", ["check", "BASE"]],
    ["a list for a folder that is not there", ["list", "BASE/none"]],
    ["a list for a word that is empty", ["list", ""]],
    ["a folder whose name is too long", ["check", `BASE/${"x".repeat(300)}`]],
    ["a list for such a folder", ["list", `BASE/${"x".repeat(300)}`]],
  ])("refuses %s", async (_, args) => {
    expect(await run(args)).toMatchObject({ status: 2 });
  });

  it("says that a file is no folder", async () => {
    const found = await run(["check", "BASE/SKILL.md"], { "SKILL.md": "" });
    expect(found.err).toContain('SKILL.md": it is a file, expected the folder that it lies in\n');
  });

  it("fails on settings that cannot be read", async () => {
    const found = await run(["list"], { "writ/config.toml": "[skills]\nroots = 1" });
    expect(found.status).toBe(2);
    expect(found.err).toContain("expected a list");
  });
});
