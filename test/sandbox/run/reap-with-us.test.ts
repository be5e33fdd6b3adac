import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { isRunning } from "../../../src/sandbox/placeholders/process-identity.ts";

const SOURCE = new URL("../../../src/sandbox/run/reap-with-us.ts", import.meta.url).href;

/** A process that starts a group, does something and is killed. Gives the group. */
async function groupOfKilled(before: string): Promise<number> {
  const script = `
    import { spawn } from "node:child_process";
    import { readFileSync } from "node:fs";
    import { setTimeout as sleep } from "node:timers/promises";
    const { reapWithUs } = await import(${JSON.stringify(SOURCE)});
    const { pid } = spawn("/bin/sleep", ["600"], { detached: true, stdio: "ignore" });
    const { release } = reapWithUs(pid);
    process.stdout.write(String(pid));
    ${before}
    await sleep(50);
    process.kill(process.pid, "SIGKILL");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
  child.stderr.pipe(process.stderr);
  const [printed] = await Promise.all([text(child.stdout), once(child, "exit")]);
  const group = Number(printed);
  onTestFinished(() => {
    if (isRunning(group)) process.kill(group, "SIGKILL");
  });
  return group;
}

/** Kills the reaper, which is the child that is a shell, and waits for the next one. */
const KILL_REAPER = `
  const others = () =>
    readFileSync("/proc/self/task/" + process.pid + "/children", "utf8")
      .trim().split(" ").map(Number).filter((one) => one !== pid);
  const killed = others();
  for (const one of killed) process.kill(one, "SIGKILL");
  while (!others().some((one) => !killed.includes(one))) await sleep(10);`;

describe("reapWithUs", () => {
  it("ends a group when this process is killed", async () => {
    const group = await groupOfKilled("");
    await expect.poll(() => isRunning(group)).toBe(false);
  });

  it("ends it also when somebody has killed the one who waits", async () => {
    const group = await groupOfKilled(KILL_REAPER);
    await expect.poll(() => isRunning(group)).toBe(false);
  });

  it("leaves alone who has the number of a group that is over", async () => {
    // Its leader lives, so that it cannot be the one that was let go of.
    const group = await groupOfKilled("release(); await sleep(1100);");
    expect(isRunning(group)).toBe(true);
    expect(readdirSync(`/proc/${group}/task`)).toEqual([String(group)]);
    expect(readFileSync(`/proc/${group}/comm`, "utf8")).toBe("sleep\n");
  });
});
