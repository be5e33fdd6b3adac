/** Skills over the wire of a real server: listed, loaded, news of them, and what a project may not do with its own. */
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { skillText } from "../../../session/skills/support/skill-folder.ts";
import { USERS } from "../../support/sandbox-user.ts";
import type { AppClient } from "../support/app-client.ts";
import { AppLab } from "../support/app-lab.ts";
import { askingThread, commandOf, ended, say } from "../support/asking.ts";
import { ran } from "../support/case-app.ts";
import { callsTool, scriptedModel } from "../support/scripted-model.ts";
import { unfitting } from "../support/unfitting.ts";

type Listed = { readonly name: string; readonly scope: string; readonly enabled: boolean };

function put(root: string, name: string, more: readonly string[] = [], body = "Do it."): void {
  const folder = path.join(root, name);
  mkdirSync(folder, { recursive: true });
  const lines = [`name: ${name}`, `description: Does ${name}.`, ...more];
  writeFileSync(path.join(folder, "SKILL.md"), skillText(lines, body));
}

async function listed(client: AppClient, cwd: string): Promise<Listed[]> {
  const { data } = await client.ok("skills/list", { cwds: [cwd], forceReload: true });
  return data[0].skills;
}

const WRITES_WORKSPACE = '  filesystem: { ":workspace_roots": write }';

const names = (skills: readonly Listed[]) => skills.map(({ name }) => name);

describe.each(USERS)("skills of an app-server (%s)", (user) => {
  const open = async (config = "") => {
    const lab = new AppLab({ user, token: "sesame", config });
    const skills = path.join(lab.home, "skills");
    mkdirSync(skills, { recursive: true });
    return { lab, skills, ...lab.place };
  };

  it("are listed for each folder, with what is wrong with others", async () => {
    const { lab, skills, workspace } = await open(
      '[[skills.config]]\nname = "off"\nenabled = false\n',
    );
    put(skills, "on");
    put(skills, "off");
    put(skills, "broken", ["writ: {}"]);
    lab.place.give();
    const client = await lab.client();
    const { data } = await client.ok("skills/list", { cwds: [workspace] });
    expect(data).toEqual([
      {
        cwd: workspace,
        skills: ["on", "off"].map((name) => ({
          ...{ name, description: `Does ${name}.`, scope: "user", enabled: name === "on" },
          path: path.join(skills, name, "SKILL.md"),
        })),
        errors: [
          {
            path: path.join(skills, "broken/SKILL.md"),
            message: expect.stringContaining('"writ" cannot be used'),
          },
        ],
      },
    ]);
    expect(unfitting(client)).toEqual([]);
  });

  it("tell every connection when they change", { timeout: 120_000 }, async () => {
    const { lab, skills, workspace } = await open();
    lab.place.give();
    const [one, other] = [await lab.client(), await lab.client()];
    expect(await listed(one, workspace)).toEqual([]);
    put(skills, "new");
    lab.place.give();
    await Promise.all([one, other].map((client) => client.note("skills/changed")));
    expect(names(await listed(one, workspace))).toEqual(["new"]);
    const from = other.notes.length;
    rmSync(path.join(skills, "new"), { recursive: true });
    await other.note("skills/changed", () => true, from);
    expect(await listed(other, workspace)).toEqual([]);
    expect(unfitting(other)).toEqual([]);
  });

  it("are loaded by their name beside a text, and narrow that turn alone", async () => {
    const { lab, skills, workspace } = await open('default_permissions = ":workspace"\n');
    put(
      skills,
      "careful",
      ["allowed-tools: Read", "writ:", '  extends: ":read-only"'],
      "Look only.",
    );
    lab.place.give();
    const client = await lab.client();
    const { thread } = await client.ok("thread/start", { cwd: workspace });
    const input = (text: string) => [
      { type: "skill", name: "careful", path: path.join(skills, "careful/SKILL.md") },
      { type: "text", text, text_elements: [] },
    ];
    const { items } = await client.turn(thread.id, "", { input: input("touch refused") });
    expect(JSON.stringify(items)).toContain("Look only.");
    expect(JSON.stringify(items)).toContain("that was loaded does not allow it");
    await client.turn(thread.id, "touch made");
    const there = ["refused", "made"].map((name) => existsSync(path.join(workspace, name)));
    expect(there).toEqual([false, true]);
    expect(unfitting(client)).toEqual([]);
  });

  it("of a project count only where the user trusts it, and never through a link", async () => {
    const { lab, workspace, outside } = await open();
    put(path.join(workspace, ".agents/skills"), "theirs");
    lab.place.give();
    const client = await lab.client();
    expect(await listed(client, workspace)).toEqual([]);
    lab.configure(`[projects."${workspace}"]\ntrust_level = "trusted"\n`);
    lab.place.give();
    expect(await listed(client, workspace)).toMatchObject([{ name: "theirs", scope: "repo" }]);
    rmSync(path.join(workspace, ".agents"), { recursive: true });
    put(path.join(outside, "skills"), "planted");
    symlinkSync(outside, path.join(workspace, ".agents"));
    lab.place.give();
    const { data } = await client.ok("skills/list", { cwds: [workspace] });
    expect(data[0].skills).toEqual([]);
    expect(data[0].errors[0].message).toContain("leads out of its project");
  });

  it("are written by no command, wherever they lie (red team B13)", async () => {
    const base = 'default_permissions = ":workspace"\n';
    const { lab, skills, workspace, outside } = await open(base);
    const project = path.join(workspace, "nested");
    put(skills, "mine");
    put(path.join(project, ".agents/skills"), "theirs");
    put(path.join(outside, "shared"), "shared");
    lab.configure(
      `${base}[skills]\nroots = ["${outside}/shared"]\n[projects."${project}"]\ntrust_level = "trusted"\n`,
    );
    lab.place.give();
    const client = await lab.client();
    const { thread } = await client.ok("thread/start", { cwd: workspace });
    const tries = [
      `${skills}/x`,
      `${skills}/mine/SKILL.md`,
      `${project}/.agents/skills/theirs/SKILL.md`,
      `${project}/.agents/skills/x`,
      `${outside}/shared/shared/SKILL.md`,
    ].map((file) => `(echo x >> ${file}) && echo DONE`);
    const roots = [workspace, outside];
    const wide = { sandboxPolicy: { type: "workspaceWrite", writableRoots: roots } };
    const { output } = await ran(client, thread.id, tries.join("; "), wide);
    expect(output).not.toContain("DONE");
  });

  it("are written by no command from the turn on that finds them in the settings", async () => {
    const base = 'default_permissions = ":workspace"\n';
    const { lab, workspace } = await open(base);
    const project = path.join(workspace, "nested");
    const [mine, theirs] = [path.join(workspace, "tools"), path.join(project, ".agents/skills")];
    put(mine, "mine");
    put(theirs, "theirs");
    lab.place.give();
    const client = await lab.client();
    const { thread } = await client.ok("thread/start", { cwd: workspace });
    const tries = [`${mine}/mine/SKILL.md`, `${theirs}/x`, `${mine}/y`]
      .map((file) => `(echo x >> ${file}) && echo DONE`)
      .join("; ");
    expect((await ran(client, thread.id, tries)).output.match(/DONE/g)).toHaveLength(3);
    lab.configure(
      `${base}[skills]\nroots = ["${mine}"]\n[projects."${project}"]\ntrust_level = "trusted"\n`,
    );
    lab.place.give();
    expect((await ran(client, thread.id, tries)).output).not.toContain("DONE");
    expect(names(await listed(client, project))).toEqual(["mine", "theirs"]);
  });

  it("come from no root that a command made because it was not there", async () => {
    const base = 'default_permissions = ":workspace"\n';
    const { lab, workspace } = await open(base);
    const project = path.join(workspace, "nested");
    mkdirSync(project);
    const mine = path.join(workspace, "tools/skills");
    lab.configure(
      `${base}[skills]\nroots = ["${mine}"]\n[projects."${project}"]\ntrust_level = "trusted"\n`,
    );
    lab.place.give();
    const client = await lab.client();
    const { thread } = await client.ok("thread/start", { cwd: workspace });
    const tries = [mine, path.join(project, ".agents/skills")].map((root) => {
      const text = skillText(["name: planted", "description: x"]).replaceAll("\n", "\\n");
      return `mkdir -p ${root}/planted && printf -- '${text}' > ${root}/planted/SKILL.md && echo DONE`;
    });
    const { output } = await ran(client, thread.id, `${tries.join("; ")}; touch ${project}/x`);
    expect(output).not.toContain("DONE");
    expect(existsSync(path.join(project, "x"))).toBe(true);
    expect(await listed(client, project)).toEqual([]);
  });

  it("narrow a turn that was granted something before the user named one late", async () => {
    const model = await scriptedModel();
    const { lab, skills, workspace, outside } = await open(model.config);
    put(skills, "building", ["writ:", '  extends: ":read-only"', WRITES_WORKSPACE]);
    lab.place.give();
    const wish = { permissions: { file_system: { write: [outside] } } };
    model.scripts.set("wish", [callsTool("wish", "request_permissions", wish)]);
    const line = `touch ${outside}/x; touch ${workspace}/x`;
    const client = await lab.client();
    const threadId = await askingThread(client, lab.place);
    const turnId = await say(client, threadId, "wish");
    const { id, params } = await client.question();
    const input = [
      { type: "skill", name: "building", path: path.join(skills, "building/SKILL.md") },
      { type: "text", text: line, text_elements: [] },
    ];
    await client.ok("turn/steer", { threadId, expectedTurnId: turnId, input });
    client.send({ id, result: { permissions: params.permissions, scope: "turn" } });
    const { items } = await ended(client, turnId);
    expect(commandOf(items)).toMatchObject({ exitCode: 0 });
    expect([outside, workspace].map((folder) => existsSync(`${folder}/x`))).toEqual([false, true]);
  });
});
