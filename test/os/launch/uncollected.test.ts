/** writ was killed and nobody has collected it yet, as below a first process that collects nobody: it holds nothing any more. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Place, placeFor, USERS } from "../support/sandbox-user.ts";
import { asUser } from "../support/users.ts";
import { made, until } from "./live-run.ts";

const COLLECTS_NOBODY = `$| = 1; my $child = fork; exec @ARGV if !$child; print $child; sleep 600`;

/** Starts a command below a parent that goes on and waits for nobody; says its number. */
async function startUncollected(argv: readonly string[], { workspace, env }: Place) {
  const words = ["-e", COLLECTS_NOBODY, ...argv];
  const parent = spawn("/usr/bin/perl", words, {
    ...{ cwd: workspace, env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [printed] = await once(parent.stdout, "data");
  return Number(printed);
}

const isUncollected = (pid: number) => / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));

describe.each(USERS)("a writ of %s that was killed and not collected", (user) => {
  it("leaves no placeholder behind once the next one ran", async () => {
    const place = placeFor(user);
    const script = "touch started; sleep 600";
    const args = ["run", "--sandbox", "workspace-write", "--", "/bin/sh", "-c", script];
    const pid = await startUncollected(place.argv(args), place);
    await made(place, "started");
    expect(readdirSync(place.workspace)).toContain(".git");
    process.kill(pid, "SIGKILL");
    await until(() => isUncollected(pid));
    expect(place.sh("rm started")).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect(isUncollected(pid)).toBe(true);
    expect(readdirSync(place.workspace)).toEqual([]);
  });

  it("holds no lock of the records", async () => {
    const place = placeFor(user);
    const lock = path.join(place.workspace, "lock");
    const node = path.join(place.installed, "node_modules/.bin/node");
    const module = path.join(place.installed, "dist/sandbox/placeholders/with-lock.js");
    const locking = (work: string) => [
      ...[...asUser(user), node, "--input-type=module", "-e"],
      `import { withLock } from ${JSON.stringify(module)}; withLock(${JSON.stringify(lock)}, () => { ${work} }, 500);`,
    ];
    const pid = await startUncollected(locking('process.kill(process.pid, "SIGKILL")'), place);
    await until(() => isUncollected(pid));
    expect(existsSync(lock)).toBe(true);
    const [program = "", ...next] = locking('console.log("mine")');
    const { stdout, stderr } = spawnSync(program, next, { encoding: "utf8" });
    expect({ stdout, stderr }).toEqual({ stdout: "mine\n", stderr: "" });
  });
});
