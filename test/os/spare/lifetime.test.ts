/** What was built ahead and not needed leaves nothing behind: no process, no placeholder, no record. */
import { once } from "node:events";
import fs from "node:fs";
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

  it("never runs anything by itself", async () => {
    const { workspace, run, spare, launchers } = await spareLab(user);
    await run("echo x >> ran");
    await spare();
    await until(() => launchers().length === 0);
    expect(fs.readFileSync(`${workspace}/ran`, "utf8")).toBe("x\n");
  });
});

function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(fs.readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
