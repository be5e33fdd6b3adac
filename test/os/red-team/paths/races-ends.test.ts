/** What is left of a command once `writ run` has returned: no process, and files on the receipt. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type Place, placeFor, USERS } from "../../support/sandbox-user.ts";
import { runAsIs, stateOf } from "./support/path-attempts.ts";
import { isAlive } from "./support/race-processes.ts";

const WRITABLE = ["--sandbox", "workspace-write"];
const sh = (script: string) => ["--", "/bin/sh", "-c", script];

const isReady = ({ workspace }: Place) => fs.existsSync(path.join(workspace, "ready"));

describe.each(USERS)("what a command leaves, as %s", (user) => {
  it("D15 no process outlives it, however it was put into the background", () => {
    const place = placeFor(user);
    const word = `left-${process.pid}-${user}`;
    const sleeper = `exec -a x sh -c 'trap "" TERM HUP INT; while :; do sleep 0.05; done' ${word}`;
    const plain = sleeper.replace("exec -a x ", "");
    const script = `setsid ${plain} & nohup ${plain} >/dev/null 2>&1 & ( ( ${plain} & ) & )
      perl -e 'unless (fork) { use POSIX (); POSIX::setsid(); unless (fork) { exec @ARGV } exit }' sh -c 'while :; do sleep 0.05; done' ${word}
      sleep 0.2; grep -lz ${word} /proc/[0-9]*/cmdline | wc -l`;
    const { status, stdout } = place.sh(`exec 2>/dev/null; ${script}`);
    expect(status).toBe(0);
    expect(Number(stdout)).toBeGreaterThanOrEqual(4);
    expect(isAlive(word)).toBe(false);
  });

  it("D15 no process is left of a run that was ended while it was built", async () => {
    const place = placeFor(user);
    const word = `early-${process.pid}-${user}`;
    const ended = async (name: string, moment: () => Promise<unknown>) => {
      const command = sh("touch ready; sleep 30");
      const [program = "", ...args] = place.argv(["run", ...WRITABLE, ...command, name]);
      const child = spawn(program, args, { cwd: place.workspace, env: place.env, stdio: "ignore" });
      const over = once(child, "exit");
      await moment();
      child.kill("SIGTERM");
      const [status] = await over;
      // Nothing when it was over before it could hear of it.
      if (status !== null)
        expect({ name, status, left: isAlive(name) }).toEqual({ name, status: 143, left: false });
      return status;
    };
    const started = performance.now();
    const running = () => expect.poll(() => isReady(place), { interval: 2 }).toBe(true);
    expect(await ended(`${word}-ready`, running)).toBe(143);
    // From before there is anything to end until about when the command runs.
    const whole = performance.now() - started;
    for (let step = 0; step < 20; step += 1) {
      await ended(`${word}-${step}-`, () => sleep(whole * (0.3 + step / 25)));
    }
  });

  it("D14 git's own files at the top are kept, and what is new below is on the receipt", () => {
    const place = placeFor(user);
    fs.mkdirSync(path.join(place.workspace, ".git/hooks"), { recursive: true });
    fs.writeFileSync(path.join(place.workspace, ".git/config"), "[core]\n");
    place.give();
    const before = stateOf(path.join(place.workspace, ".git"));
    const config = `printf '[core]\\n fsmonitor = /bin/false\\n'`;
    const script = `${config} > .git/config; ${config} > .git/config.worktree; mkdir -p .git/info; echo '* filter=x' > .git/info/attributes
      mkdir -p sub/.git && ${config} > sub/.git/config
      echo '* filter=x' > .gitattributes; echo '[submodule "s"]' > .gitmodules`;
    const args = ["run", ...WRITABLE, "--receipt", "r.json", ...sh(`exec 2>/dev/null; ${script}`)];
    expect(runAsIs(place, args).status).toBe(0);
    expect(stateOf(path.join(place.workspace, ".git"))).toEqual(before);
    const receipt = fs.readFileSync(path.join(place.workspace, "r.json"), "utf8");
    const { files } = JSON.parse(receipt).leftBehind;
    expect(files.map((one: { path: string }) => one.path)).toEqual([
      path.join(place.workspace, "sub/.git"),
    ]);
  });

  it("D14 a folder that poses as a repository without a .git is on the receipt", () => {
    const place = placeFor(user);
    const script = "mkdir objects refs; echo 'ref: refs/heads/main' > HEAD; touch config";
    const args = ["run", ...WRITABLE, "--receipt", "r.json", ...sh(script)];
    expect(runAsIs(place, args).status).toBe(0);
    const receipt = fs.readFileSync(path.join(place.workspace, "r.json"), "utf8");
    const names = JSON.parse(receipt).leftBehind.files.map((one: { path: string }) => one.path);
    expect(names).toEqual(["HEAD", "config"].map((name) => path.join(place.workspace, name)));
  });
});
