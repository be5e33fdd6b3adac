/** A sandbox that was built ahead is used only by a command that would get the same one now. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { uri } from "../exec-server/support/exec-lab.ts";
import { entry, intent, layOut, workspaceWrite } from "../exec-server/support/wire-intent.ts";
import { until } from "../launch/live-run.ts";
import { USERS } from "../support/sandbox-user.ts";
import { spareLab } from "./support/spare-lab.ts";

describe.each(USERS)("as %s, a sandbox that was built ahead", (user) => {
  it("is the one of the next command under the same policy, and of one command only", async () => {
    const { inSpare } = await spareLab(user);
    expect(await inSpare("echo once")).toMatchObject({ stdout: "once\n", exitCode: 0 });
    expect(await inSpare("echo twice")).toMatchObject({ stdout: "twice\n", exitCode: 0 });
  });

  it("hides a file that has come since and that a pattern denies", async () => {
    const { workspace, ranIn, spare } = await spareLab(user);
    layOut(workspace, { "old.env": "secret" });
    const sandbox = workspaceWrite([workspace], [entry(`glob:${workspace}/**/*.env`, "deny")]);
    const launcher = await spare({ sandbox });
    layOut(workspace, { "sub/new.env": "secret" });
    const told = await ranIn(launcher, "cat old.env sub/new.env", { sandbox });
    expect(told).toMatchObject({ used: false, stdout: "" });
    expect(told.stderr.match(/Permission denied/g)).toHaveLength(2);
  });

  it("is not for a command under a narrower policy", async () => {
    const { workspace, ranIn, spare } = await spareLab(user);
    layOut(workspace, { "shut/": "" });
    const sandbox = workspaceWrite([workspace], [entry(`${workspace}/shut`, "read")]);
    const told = await ranIn(await spare(), "touch shut/made", { sandbox });
    expect(told).toMatchObject({ used: false, exitCode: 1 });
    expect(fs.readdirSync(path.join(workspace, "shut"))).toEqual([]);
  });

  it("is not for a command under a wider policy", async () => {
    const { workspace, ranIn, spare } = await spareLab(user);
    layOut(workspace, { "shut/": "" });
    const sandbox = workspaceWrite([workspace], [entry(`${workspace}/shut`, "read")]);
    const told = await ranIn(await spare({ sandbox }), "touch shut/made");
    expect(told).toMatchObject({ used: false, exitCode: 0 });
  });

  it("is not for a command in another folder", async () => {
    const { workspace, run, spare, launchers } = await spareLab(user);
    layOut(workspace, { "sub/": "" });
    const launcher = await spare();
    const { stdout } = await run("pwd", { cwd: uri(path.join(workspace, "sub")) });
    expect(stdout).toBe(`${workspace}/sub\n`);
    expect(launchers()).toContain(launcher);
  });

  it("starts in the folder that is there now", async () => {
    const { workspace, spare, run } = await spareLab(user);
    layOut(workspace, { "sub/old": "" });
    const cwd = uri(path.join(workspace, "sub"));
    await spare({ cwd });
    fs.renameSync(path.join(workspace, "sub"), path.join(workspace, "moved"));
    layOut(workspace, { "sub/new": "" });
    expect((await run("ls", { cwd })).stdout).toBe("new\n");
  });

  it("is not used once another folder stands where it shows one", async () => {
    const { workspace, ranIn, spare } = await spareLab(user);
    const root = path.join(workspace, "root");
    layOut(workspace, { "root/": "" });
    const sandbox = intent([
      entry(":root", "read"),
      entry(workspace, "write"),
      entry(root, "write"),
    ]);
    const launcher = await spare({ sandbox });
    fs.renameSync(root, `${root}-old`);
    layOut(workspace, { "root/": "" });
    const told = await ranIn(launcher, "touch root/made", { sandbox });
    expect(told).toMatchObject({ used: false, exitCode: 0 });
    expect(fs.readdirSync(root)).toContain("made");
    expect(fs.readdirSync(`${root}-old`)).not.toContain("made");
  });

  it("is not used once another file stands where it shows one", async () => {
    const { workspace, lab, ranIn, spare } = await spareLab(user);
    const { outside } = lab.place;
    layOut(outside, { file: "old\n", next: "new\n" });
    const file = path.join(outside, "file");
    const sandbox = workspaceWrite([workspace], [entry(file, "write")]);
    const launcher = await spare({ sandbox });
    fs.renameSync(path.join(outside, "next"), file);
    const told = await ranIn(launcher, `echo more >> ${file}`, { sandbox });
    expect(told).toMatchObject({ used: false, exitCode: 0 });
    expect(fs.readFileSync(file, "utf8")).toBe("new\nmore\n");
  });

  it("protects a repository that has come since", async () => {
    const { workspace, ranIn, spare } = await spareLab(user);
    const launcher = await spare();
    fs.rmdirSync(path.join(workspace, ".git"));
    layOut(workspace, { ".git/hooks/": "", ".git/config": "kept\n" });
    const told = await ranIn(launcher, "echo x > .git/hooks/made; echo x > .git/config");
    expect(told).toMatchObject({ used: false, exitCode: 2 });
    expect(fs.readFileSync(path.join(workspace, ".git/config"), "utf8")).toBe("kept\n");
    expect(fs.readdirSync(path.join(workspace, ".git/hooks"))).toEqual([]);
  });

  it("is ended when what it covers is replaced, before anybody needs it", async () => {
    const { workspace, spare, launchers } = await spareLab(user);
    layOut(workspace, { ".git/config": "" });
    const launcher = await spare();
    fs.renameSync(path.join(workspace, ".git"), path.join(workspace, "moved"));
    await until(() => !launchers().includes(launcher));
  });
});

/** Nobody else may mount. */
describe.each(USERS.filter((user) => user === "root"))(
  "as %s, a sandbox that was built ahead",
  (user) => {
    it("shows what was mounted on the host since", async () => {
      const { workspace, ranIn, spare } = await spareLab(user);
      layOut(workspace, { "mounted/": "" });
      const launcher = await spare();
      const folder = path.join(workspace, "mounted");
      execFileSync("mount", ["-t", "tmpfs", "writ-test", folder]);
      onTestFinished(() => void execFileSync("umount", [folder]));
      fs.writeFileSync(path.join(folder, "file"), "");
      expect(await ranIn(launcher, "ls mounted")).toMatchObject({ used: false, stdout: "file\n" });
    });
  },
);
