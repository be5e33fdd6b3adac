import { describe, expect, it } from "vitest";
import { readFrontMatter } from "../../../src/session/skills/front-matter/read-front-matter.ts";
import { skillText } from "./support/skill-folder.ts";

const read = (text: string, folderName = "a-skill") =>
  readFrontMatter(text, { folderName, home: "/home/me" });
const readLines = (...lines: string[]) => read(skillText(lines));
const GOOD = ["name: a-skill", "description: Does it."];
const messages = ({ problems }: ReturnType<typeof read>) =>
  problems.map(({ severity, message }) => `${severity}: ${message}`);

describe("readFrontMatter", () => {
  it("reads what a skill says of itself, and its text", () => {
    const { head, body, problems } = readLines(...GOOD, "license: MIT", "metadata: { a: b }");
    expect(problems).toEqual([]);
    expect(body).toBe("Do it.");
    expect(head).toEqual({
      ...{ name: "a-skill", description: "Does it.", allowedTools: null, policy: null },
      isManual: false,
    });
  });

  it("takes CRLF, a byte order mark and folded texts", () => {
    const text = `\uFEFF${skillText(["name: a-skill", "description: >", "  one", "  two"])}`;
    const { head, body } = read(text.replaceAll("\n", "\r\n"));
    expect(head?.description).toBe("one two");
    expect(body).toBe("Do it.");
  });

  it.each([
    ["bad--name", "name: bad--name", "not of the usual form"],
    ["a name of another folder", "name: another", 'expected "a-skill"'],
    ["no name", "license: MIT", 'expected "a-skill"'],
    ["a name with capitals", "name: A-Skill", "not of the usual form"],
    ["a name that is too long", `name: ${"a".repeat(65)}`, "not of the usual form"],
  ])("case 103: warns of %s, and loads it all the same", (_, line, expected) => {
    const result = readLines(line, "description: Does it.");
    expect(result.head).toBeDefined();
    expect(messages(result).join()).toContain(expected);
    expect(result.problems.every(({ severity }) => severity === "warning")).toBe(true);
  });

  it.each([
    ["< in the description", "description: Takes <url>.", '"<" or ">"'],
    ["a long description", `description: ${"a ".repeat(600)}`, "expected at most 1024"],
    ["a colon in a plain text", "description: three parts: a, b", "expected quoted texts"],
    ["a key that nothing heeds", "description: x\nuses-config: [a]", "which nothing heeds"],
    ["a license that is no text", "description: x\nlicense: [a]", '"license"'],
    ["metadata that is no table", "description: x\nmetadata: [a]", '"metadata"'],
    ["a long compatibility", `description: x\ncompatibility: ${"a".repeat(501)}`, "compatibility"],
  ])("case 103: warns of %s", (_, line, expected) => {
    const result = readLines("name: a-skill", line);
    expect(messages(result)).toEqual([expect.stringContaining(expected)]);
    expect(result.head?.description.length).toBeLessThanOrEqual(1024);
  });

  it.each([
    ["no front matter", "# A text\n", "no front matter"],
    ["front matter that does not end", "---\nname: a\n", "no front matter"],
    ["something before it", "\n---\nname: a\n---\n", "no front matter"],
    ["nothing in it", "---\n---\n", "no table"],
    ["a list", "---\n- a\n---\n", "no table"],
    ["garbage", "---\nname: [a\n}---{{\n---\n", "no YAML"],
    ["a key twice", skillText([...GOOD, "name: b"]), "no YAML"],
    ["an unknown tag", skillText([...GOOD, "metadata: !!js/function 'x'"]), "no YAML"],
    ["no description", skillText(["name: a-skill"]), '"description"'],
    ["an empty description", skillText(["name: a-skill", 'description: " "']), '"description"'],
    ["a name that is a path", skillText(["name: ../b", "description: x"]), "cannot be used"],
    ["a name of two lines", skillText(['name: "a\\nb"', "description: x"]), "cannot be used"],
  ])("refuses %s", (_, text, expected) => {
    const result = read(text);
    expect(result.head).toBeUndefined();
    expect(messages(result).join()).toContain(expected);
  });

  it.each([
    ["aliases", `x: &a [1]\ny: [${"*a,".repeat(9)}*a]`],
    [
      "aliases in aliases",
      ["a: &a [x,x]", "b: &b [*a,*a]", "c: &c [*b,*b]", "d: [*c,*c]"].join("\n"),
    ],
    ["great depth", `x: ${"[".repeat(8000)}${"]".repeat(8000)}`],
    ["great length", `x: ${"a".repeat(20_000)}`],
    ["merge keys", "x: &a { b: 1 }\n<<: *a"],
  ])("refuses YAML with %s, at once", (_, lines) => {
    const result = readLines(...GOOD, lines);
    expect(result.head).toBeUndefined();
    expect(messages(result).join()).toContain("no YAML");
  });

  it("warns of a skill without a text", () => {
    expect(messages(read("---\nname: a-skill\ndescription: x\n---\n"))).toEqual([
      "warning: it has no text, expected instructions",
    ]);
  });

  it("leaves nothing in a description that a terminal would obey", () => {
    const result = readLines("name: a-skill", 'description: "a\\u001b[31mb\\u202ec\\nd"');
    expect(result.head?.description).toBe("a [31mb c d");
  });
});

describe("allowed-tools", () => {
  it.each([
    ["words", "Read web_search Bash(git:*) bash", ["Read", "web_search", "Bash(git:*)", "bash"]],
    ["commas", "Bash, Read", ["Bash", "Read"]],
    ["a pattern with blanks", "Bash(git add:*), Read", ["Bash(git add:*)", "Read"]],
    ["a list", "[Read, 'Bash(git diff:*)']", ["Read", "Bash(git diff:*)"]],
    ["an empty list", "[]", []],
  ])("is read from %s", (_, value, expected) => {
    expect(readLines(...GOOD, `allowed-tools: ${value}`).head?.allowedTools).toEqual(expected);
  });

  it.each([
    ["nothing", ""],
    ["an empty text", "''"],
    ["a number", "3"],
    ["a table", "{ Read: true }"],
    ["a list with a table", "[{ Read: true }]"],
    ["half a pattern", "Bash(git"],
    ["a list with nothing in it", "['']"],
  ])("refuses the skill where it is %s", (_, value) => {
    const result = readLines(...GOOD, `allowed-tools: ${value}`);
    expect(result.head).toBeUndefined();
    expect(messages(result).join()).toContain('"allowed-tools" cannot be used');
  });

  it("says that a pattern opens nothing", () => {
    const result = readLines(...GOOD, "allowed-tools: Bash(git:*)");
    expect(messages(result)).toEqual([expect.stringContaining("opens nothing")]);
  });
});

describe("the writ section", () => {
  it("is a profile, in the words of the configuration", () => {
    const { head } = readLines(...GOOD, "writ:", '  extends: ":read-only"');
    expect(head?.policy).toMatchObject({
      ...{ type: "managed", network: { kind: "restricted" } },
      fileSystem: { entries: [{ target: { type: "root" }, access: "read" }] },
    });
  });

  it("may deny any path", () => {
    const { head, problems } = readLines(
      ...[...GOOD, "writ:", '  extends: ":workspace"', "  filesystem:", "    ~/notes: deny"],
      ...['    ":workspace_roots": { keys: deny, "**/*.pem": deny }'],
    );
    expect(problems).toEqual([]);
    expect(head?.policy).toBeDefined();
  });

  it.each([
    ["nothing", ""],
    ["empty", " {}"],
    ["text", " read-only"],
    ["of an unknown parent", ' { extends: ":nobody" }'],
    ["with an unknown key", ' { extends: ":read-only", networks: off }'],
    ["with an unknown word", ' { filesystem: { "/": look } }'],
    ["with roots of its own", ' { extends: ":workspace", workspace_roots: { /srv: true } }'],
    ["with a path that it grants", ' { filesystem: { ":root": read, /srv/link: write } }'],
    ["with a path that it opens for reading", " { filesystem: { ~/notes: read } }"],
    ["with a part of the workspace", ' { filesystem: { ":workspace_roots": { docs: write } } }'],
    ["about the network alone", " { network: { enabled: false } }"],
  ])("refuses the skill where it is %s", (_, value) => {
    const result = readLines(...GOOD, `writ:${value}`);
    expect(result.head).toBeUndefined();
    expect(messages(result).join()).toContain('"writ" cannot be used');
  });

  it.each([
    "disallowed-tools: Bash",
    "permissions: none",
    "sandbox: strict",
    "allowed_tools: Read",
    "<<: { allowed-tools: Read }",
  ])("refuses %s, which may be a restriction", (line) => {
    const result = readLines(...GOOD, line);
    expect(result.head).toBeUndefined();
    expect(messages(result).join()).toContain("may restrict it");
  });

  it("refuses a disable-model-invocation that is neither yes nor no", () => {
    expect(readLines(...GOOD, "disable-model-invocation: maybe").head).toBeUndefined();
    expect(readLines(...GOOD, "disable-model-invocation: true").head?.isManual).toBe(true);
  });
});
