/** Skills in the turns of an agent whose model is scripted and whose executor is none. */
import { describe, expect, it } from "vitest";
import type { UserInput } from "../../../src/agent/index.ts";
import { createSkillSource, type SkillSource } from "../../../src/session/index.ts";
import { skillFolder } from "../../session/skills/support/skill-folder.ts";
import { fakeExecutor } from "../support/fake-executor.ts";
import { call, exec, type LabOptions, say, turnLab } from "../support/turn-lab.ts";

function lab(options: LabOptions = {}) {
  const folder = skillFolder();
  const skills: SkillSource = createSkillSource({
    places: async () => ({ roots: [{ folder: folder.root, scope: "user" }], disabled: [] }),
    home: "/home/me",
  });
  return { ...turnLab({ skills, ...options }), folder };
}

const load = (name: string) => [call("load_skill", { name })];
const toolNames = ({ tools }: { tools: readonly { name: string }[] } | undefined = { tools: [] }) =>
  tools.map(({ name }) => name);
const outputs = (items: ReturnType<ReturnType<typeof lab>["completed"]>) =>
  items.flatMap((item) => ("call" in item ? [item.call?.output] : []));
const named = (name: string): UserInput[] => [
  { type: "other", value: { type: "skill", name, path: "" } },
];

describe("the catalogue", () => {
  it("is left out, and so is the tool, where there are no skills", async () => {
    const { run, requests } = lab({ frame: { instructions: "Be brief." } });
    await run("hello");
    expect(requests[0]?.instructions).toBe("Be brief.");
    expect(toolNames(requests[0])).not.toContain("load_skill");
    expect(toolNames(requests[0])).toContain("read_file");
  });

  it("follows the instructions, and has the skills of each turn", async () => {
    const { run, requests, folder } = lab({ frame: { instructions: "Be brief." } });
    folder.skill("pdf");
    await run("hello");
    expect(requests[0]?.instructions).toMatch(/^Be brief\.\n\n.*<name>pdf<\/name>/s);
    expect(toolNames(requests[0])).toContain("load_skill");
    folder.remove("pdf");
    folder.skill("csv");
    await run("hello");
    expect(requests[1]?.instructions).toContain("<name>csv</name>");
    expect(requests[1]?.instructions).not.toContain("pdf");
  });
});

describe("load_skill", () => {
  it("case 2: gives a model the text, and the turn needs no sandbox", async () => {
    const { run, completed, folder } = lab({ steps: [load("  PDF ")] });
    folder.skill("pdf", [], "Do this.");
    expect(await run("hello")).toEqual({ status: "completed" });
    expect(outputs(completed())).toEqual([expect.stringContaining("Do this.")]);
  });

  it("says which skills there are where it knows no such one", async () => {
    const { run, completed, folder } = lab({ steps: [load("doc")] });
    folder.skill("csv");
    folder.skill("pdf");
    folder.skill("secret", ["disable-model-invocation: true"]);
    await run("hello");
    expect(outputs(completed())).toEqual([
      'Cannot load the skill "doc": there is none of that name, expected one of: csv, pdf',
    ]);
  });

  it("case 104: says why a skill that was fine when the turn began is not any more", async () => {
    const { run, completed, folder } = lab({
      steps: [
        () => {
          folder.put("pdf/SKILL.md", "broken");
          return events(load("pdf"));
        },
      ],
    });
    folder.skill("pdf");
    await run("hello");
    expect(outputs(completed())).toEqual([expect.stringContaining("no front matter")]);
  });

  it("does not say a text twice in one turn", async () => {
    const { run, completed, folder } = lab({ steps: [load("pdf"), load("pdf")] });
    folder.skill("pdf");
    await run("hello");
    expect(outputs(completed())[1]).toContain("is loaded already");
  });

  it.each([
    ["no name", {}],
    ["a member that there is not", { name: "pdf", wide: true }],
  ])("refuses a call with %s", async (_, input) => {
    const { run, completed, folder } = lab({ steps: [[call("load_skill", input)]] });
    folder.skill("pdf");
    await run("hello");
    expect(completed().map(({ type }) => type)).toContain("refusedCall");
  });

  it("leaves what only a person may load to a person", async () => {
    const { run, completed, folder } = lab({ steps: [load("release"), [say("Done.")]] });
    folder.skill("release", ["disable-model-invocation: true"]);
    folder.skill("pdf");
    await run("hello");
    await run("go", {}, named("Release"));
    expect(outputs(completed())).toEqual([
      expect.stringContaining("only the user may"),
      expect.stringContaining('Skill "release"'),
    ]);
  });

  it("loads what a person names before the model is asked, and the message comes last", async () => {
    const { run, requests, folder } = lab();
    folder.skill("pdf", ["allowed-tools: Read"]);
    await run("go", {}, named("pdf"));
    expect(requests[0]?.history.map(({ type }) => type)).toEqual(["toolCall", "userMessage"]);
    expect(toolNames(requests[0])).not.toContain("exec_command");
  });
});

describe("a skill that a person names and that cannot be loaded", () => {
  it.each([
    ["none", "there is none of that name"],
    ["wide", "its policy cannot be held against that of the turn"],
  ])("fails the turn before the model is asked (%s)", async (name, why) => {
    const { run, requests, folder } = lab();
    folder.skill("wide", ["writ:", '  extends: ":workspace"']);
    const end = await run("go", {}, named(name));
    expect(end).toEqual({ status: "failed", message: expect.stringContaining(why) });
    expect(requests).toEqual([]);
    expect((await run("go on")).status).toBe("completed");
  });

  it("leaves in the history what was said behind it, and loads nothing for that", async () => {
    const { run, completed, steered, folder } = lab();
    folder.skill("pdf");
    const content = [{ type: "text", text: "and this" } as const, ...named("pdf")];
    steered.push({ id: "behind", clientId: null, content });
    expect((await run("go", {}, named("none"))).status).toBe("failed");
    expect(completed().map(({ type, id }) => (type === "userMessage" ? id : type))).toEqual([
      ...["user-1", "toolCall", "behind"],
    ]);
  });
});

describe("allowed-tools", () => {
  it("case 107: leaves the tools that it names, and none for a pattern", async () => {
    const { run, requests, folder } = lab({ steps: [load("a")] });
    folder.skill("a", ["allowed-tools: Read web_search Bash(git:*) grep"]);
    await run("hello");
    expect(toolNames(requests[1]).sort()).toEqual([
      ...["grep", "list_dir", "load_skill", "read_file", "view_image"],
    ]);
  });

  it("case 108: refuses a call of another tool, also one that was made in the same breath", async () => {
    const both = [...load("a"), call("exec_command", { cmd: "ls" })];
    const { run, completed, folder } = lab({ steps: [both] });
    folder.skill("a", ["allowed-tools: Read"]);
    await run("hello");
    expect(outputs(completed())[1]).toBe(
      'Cannot call "exec_command": the skill "a" that was loaded does not allow it, expected one of those it allows: Read, read_file, list_dir, view_image',
    );
  });

  it("takes more away with each skill, and gives nothing back for one that says nothing", async () => {
    const steps = [load("a"), load("b"), load("c")];
    const { run, requests, folder } = lab({ steps });
    folder.skill("a", ["allowed-tools: Read, Bash"]);
    folder.skill("b", ["allowed-tools: [Write, Bash]"]);
    folder.skill("c");
    await run("hello");
    expect(toolNames(requests[3]).sort()).toEqual(["exec_command", "load_skill", "write_stdin"]);
  });

  it("leaves nothing but other skills where its list is empty", async () => {
    const { run, requests, folder } = lab({ steps: [load("a")] });
    folder.skill("a", ["allowed-tools: []"]);
    await run("hello");
    expect(toolNames(requests[1])).toEqual(["load_skill"]);
  });

  it("holds until the turn is over, and no longer", async () => {
    const { run, requests, folder } = lab({ steps: [load("a"), [say("Done.")]] });
    folder.skill("a", ["allowed-tools: Read"]);
    await run("hello");
    await run("again");
    expect(toolNames(requests[1])).not.toContain("exec_command");
    expect(toolNames(requests[2])).toContain("exec_command");
  });
});

describe("a policy of a skill", () => {
  it("raises no limit of a turn that has no sandbox", async () => {
    const executor = fakeExecutor((process) => void process.exit(0));
    const profile = { type: "disabled", limits: { openFiles: 100, processes: 7 } } as const;
    const steps = [load("a"), [exec("ls")]];
    const { run, folder } = lab({ steps, executor, frame: { profile } });
    const limits = "  limits: { open_files: 5000, processes: 3 }";
    folder.skill("a", ["writ:", '  extends: ":workspace"', limits]);
    await run("hello");
    const sandbox = executor.requests[0]?.sandbox;
    expect(sandbox).toMatchObject({
      context: { profile: { type: "managed", limits: { openFiles: 100, processes: 3 } } },
    });
  });
});

async function* events(all: ReturnType<typeof load>) {
  yield* all;
}
