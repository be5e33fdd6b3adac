/** writ is killed at any moment: nothing lives on, and the next start finds and leaves nothing. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { placeFor, type SandboxUser, USERS } from "../support/sandbox-user.ts";
import { processesIn, startRun, until } from "./live-run.ts";

const KILLS = 48;

function recordsOf(user: SandboxUser): string {
  const ordinary = process.getuid?.() === 0 ? 65_534 : (process.getuid?.() ?? 0);
  return `/var/tmp/writ-${user === "root" ? 0 : ordinary}`;
}

/** Whose name, or what is in it, says that it is of one of these processes. */
function recordsWith(folder: string, pids: readonly number[]): string[] {
  const isOf = (text: string) => pids.some((pid) => new RegExp(`(^|[^0-9])${pid}-\\d`).test(text));
  return readdirSync(folder).filter((name) => {
    try {
      return isOf(name) || isOf(readFileSync(path.join(folder, name), "utf8"));
    } catch {
      return false;
    }
  });
}

/**
 * Waits for a launcher that was killed within microseconds of making it: it has no sandbox, no
 * filter and no command yet, and never will have. The next start ends it.
 */
function isUnborn(pid: number): boolean {
  try {
    return /^(0|63) 0x[\da-f]+ 0x[\da-f]+ 0x8 /.test(readFileSync(`/proc/${pid}/syscall`, "utf8"));
  } catch {
    return true;
  }
}

describe.each(USERS)("writ run as %s", (user) => {
  it(`leaves nothing alive and nothing behind after ${KILLS} kills at any moment`, async () => {
    const place = placeFor(user);
    const beat = path.join(place.workspace, "beat");
    const begun = performance.now();
    expect(place.sh("echo x > beat").status).toBe(0);
    const whole = performance.now() - begun;
    const killed: number[] = [];
    let started = 0;
    for (let index = 0; index < KILLS; index += 1) {
      const before = statSync(beat).size;
      const run = startRun(place, "while :; do echo x >> beat; sleep 0.005; done");
      // Spread over what one takes from its start to its end; the last is in the middle of its command.
      if (index < KILLS - 1) await sleep((index * whole) / KILLS);
      else await until(() => statSync(beat).size > before);
      run.child.kill("SIGKILL");
      await run.exited;
      killed.push(run.child.pid ?? 0);
      if (statSync(beat).size > before) started += 1;
    }
    await until(() => processesIn(place).every(isUnborn));
    const size = statSync(beat).size;
    await sleep(100);
    expect(statSync(beat).size).toBe(size);
    // Some were killed before the command ran and some after, or the test says little.
    expect(started).toBeGreaterThan(0);
    expect(started).toBeLessThan(KILLS);
    expect(place.sh("touch next").status).toBe(0);
    await until(() => processesIn(place).length === 0);
    expect(readdirSync(place.workspace).toSorted()).toEqual(["beat", "next"]);
    expect(recordsWith(recordsOf(user), killed)).toEqual([]);
  });
});
