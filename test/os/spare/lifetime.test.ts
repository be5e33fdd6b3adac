/** What was built ahead and not needed leaves nothing behind: no process, no placeholder, no record. */
import { once } from "node:events";
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { processesIn, until } from "../launch/live-run.ts";
import { USERS } from "../support/sandbox-user.ts";
import { spareLab } from "./support/spare-lab.ts";

describe.each(USERS)("as %s, a sandbox that was built ahead", (user) => {
  it("goes when no command comes, and with it what it made in the workspace", async () => {
    const { workspace, spare, launchers } = await spareLab(user);
    await spare();
    expect(fs.readdirSync(workspace)).toContain(".git");
    await until(() => launchers().length === 0);
    await until(() => fs.readdirSync(workspace).length === 0);
  });

  it("goes with a server that is asked to end", async () => {
    const { lab, workspace, spare } = await spareLab(user);
    const launcher = await spare();
    const ended = once(lab.server, "exit");
    lab.server.kill("SIGTERM");
    await ended;
    expect(fs.readdirSync(workspace)).toEqual([]);
    await until(() => !isRunning(launcher));
  });

  it("goes with a server that is killed, and the next start removes what it made", async () => {
    const { lab, workspace, spare } = await spareLab(user);
    const launcher = await spare();
    const [first] = fs
      .readFileSync(`/proc/${launcher}/task/${launcher}/children`, "utf8")
      .split(" ");
    const ended = once(lab.server, "exit");
    lab.server.kill("SIGKILL");
    await ended;
    await until(() => !isRunning(launcher) && !isRunning(Number(first)));
    expect(lab.place.sh("ls -A").status).toBe(0);
    expect(fs.readdirSync(workspace)).toEqual([]);
    expect(processesIn(lab.place)).toEqual([]);
  });

  it("leaves nothing where its server is asked to end while it is built", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { lab, workspace, run } = await spareLab(user);
      await run("true");
      await sleep(22 + 3 * round);
      const ended = once(lab.server, "exit");
      lab.server.kill("SIGTERM");
      await ended;
      expect(fs.readdirSync(workspace)).toEqual([]);
      expect(recordsOf(lab.server.pid ?? 0)).toEqual([]);
    }
  });

  it("leaves no record, whenever the next command comes", async () => {
    const { lab, workspace, run, launchers } = await spareLab(user);
    for (let round = 0; round < 40; round += 1) {
      await run("true");
      await sleep(round);
    }
    await until(() => launchers().length === 0 && fs.readdirSync(workspace).length === 0);
    await until(() => recordsOf(lab.server.pid ?? 0).length === 0);
  });

  it("is replaced by a new one where somebody has killed it", async () => {
    const { run, spare } = await spareLab(user);
    for (let round = 0; round < 5; round += 1) {
      const launcher = await spare();
      const inside = fs.readFileSync(`/proc/${launcher}/task/${launcher}/children`, "utf8");
      process.kill(launcher, "SIGKILL");
      // What is told its command in the same moment dies with it: nobody can tell that from a command that was killed.
      await until(() => ![launcher, ...inside.trim().split(" ").map(Number)].some(isRunning));
      expect(await run("echo ran")).toMatchObject({ stdout: "ran\n", exitCode: 0 });
    }
  });

  it("never runs anything by itself", async () => {
    const { workspace, run, spare, launchers } = await spareLab(user);
    await run("echo x >> ran");
    await spare();
    await until(() => launchers().length === 0);
    expect(fs.readFileSync(`${workspace}/ran`, "utf8")).toBe("x\n");
  });
});

/** Of the runs that a process has on record, whichever user it belongs to. */
function recordsOf(pid: number): string[] {
  const folders = fs.readdirSync("/var/tmp").filter((name) => /^writ-\d+$/.test(name));
  const names = folders.flatMap((folder) => namesIn(`/var/tmp/${folder}`));
  return names.filter((name) => name.startsWith(`run-${pid}-`));
}

/** Those of other tests come and go. */
function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(fs.readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
