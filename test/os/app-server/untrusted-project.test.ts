/** A project is untrusted: what it ships and what commands leave in it may narrow, and nothing else. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { AppLab } from "./support/app-lab.ts";
import { ran } from "./support/case-app.ts";

const opened = async (project: (lab: AppLab) => string) => {
  const lab = new AppLab({ token: "sesame", config: 'default_permissions = ":workspace"\n' });
  writeFileSync(`${lab.place.workspace}/writ.toml`, project(lab));
  return { lab, ...lab.place, client: await lab.client() };
};

const adding = (root: string, parent: string) =>
  `default_permissions = "p"\n[permissions.p]\nextends = "${parent}"\n[permissions.p.workspace_roots]\n"${root}" = true\n`;

describe("workspace roots that a project adds", () => {
  it.each([
    ["absolute", ({ place }: AppLab) => place.outside],
    ["relative", () => "../outside"],
  ])("opens nothing for threads, commands and files: %s", async (_, root) => {
    const { client, workspace, outside } = await opened((lab) => adding(root(lab), ":workspace"));
    const { message } = await client.refused("thread/start", { cwd: workspace });
    expect(message).toContain("a project file adds the workspace root");
    await client.call("command/exec", { command: ["touch", `${outside}/by-command`] });
    await client.call("fs/writeFile", { path: `${outside}/by-file`, dataBase64: "" });
    const made = ["thread", "command", "file"].filter((by) => existsSync(`${outside}/by-${by}`));
    expect(made).toEqual([]);
  });

  it("are not there for a profile of the user that is chosen later", async () => {
    const { client, workspace, outside } = await opened(({ place }) =>
      adding(place.outside, ":read-only"),
    );
    const { message } = await client.refused("thread/start", { cwd: workspace });
    expect(message).toContain("a project file adds the workspace root");
    const asked = { cwd: workspace, permissions: ":workspace" };
    const { thread } = await client.ok("thread/start", asked);
    await ran(client, thread.id, `touch ${outside}/x`);
    expect(existsSync(`${outside}/x`)).toBe(false);
  });
});

describe("links that a project ships", () => {
  const READS = 'default_permissions = "p"\n[permissions.p.filesystem]\n":root" = "read"\n';
  it.each([
    [
      "below the workspace",
      () => `${READS}[permissions.p.filesystem.":workspace_roots"]\n"link" = "write"\n`,
      "a link on the way leads out of the workspace",
    ],
    [
      "by its path",
      ({ place }: AppLab) => `${READS}"${place.workspace}/link" = "write"\n`,
      "a project file chose it, and it opens more",
    ],
  ])("lead no grant of the project out of the workspace: %s", async (_, project, why) => {
    const { client, lab, workspace, outside } = await opened(project);
    symlinkSync(outside, `${workspace}/link`);
    const { message } = await client.refused("thread/start", { cwd: workspace });
    expect(message).toContain(why);
    lab.place.run(["run", "--", "touch", `${outside}/by-run`]);
    const made = ["thread", "run"].filter((by) => existsSync(`${outside}/by-${by}`));
    expect(made).toEqual([]);
  });
});

describe("a project file that a command wrote", () => {
  it("does not take the place of the one above it", async () => {
    const { client, workspace } = await opened(
      ({ place }) =>
        `default_permissions = "n"\n[permissions.n]\nextends = ":workspace"\n[permissions.n.filesystem]\n"${place.workspace}/secret" = "deny"\n`,
    );
    writeFileSync(`${workspace}/secret`, "hidden\n");
    mkdirSync(`${workspace}/a`);
    const { thread } = await client.ok("thread/start", { cwd: `${workspace}/a` });
    const write = `mkdir b && printf '[permissions.z]\\nextends = ":read-only"\\n' > b/writ.toml`;
    await ran(client, thread.id, write);
    const { message } = await client.refused("thread/start", { cwd: `${workspace}/a/b` });
    expect(message).toContain("above it, expected one for a project");
    const { output } = await ran(client, thread.id, `cat ${workspace}/secret`);
    expect(output).not.toContain("hidden");
  });
});
