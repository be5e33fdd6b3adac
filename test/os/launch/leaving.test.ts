/** A sandbox that is being taken down shows no mounts any more, and none of them is missed. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { placeFor, USERS } from "../support/sandbox-user.ts";
import { childrenOf, made, startRun } from "./live-run.ts";

const MOST_ROUNDS = 20;
const MOST_MS = 60_000;
/** To end all of them takes the kernel some milliseconds. */
const MANY = 400;
const SCRIPT = `i=0; while [ $i -lt ${MANY} ]; do sleep 600 & i=$((i+1)); done; touch ready; until [ -e go ]; do sleep 0.01; done; exit 7`;

/** Whether a process has let go of its namespaces; nothing where it is over by now, which is too late to see it. */
function isLeaving(pid: number): boolean | undefined {
  try {
    readFileSync(`/proc/${pid}/mountinfo`);
    return false;
  } catch {
    return isThere(pid) || undefined;
  }
}

function isThere(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Looks as often as it can: it is not for long. */
function leavingOf(pid: number): boolean {
  const end = performance.now() + MOST_MS;
  for (let seen = isLeaving(pid); performance.now() < end; seen = isLeaving(pid)) {
    if (seen !== false) return seen === true;
  }
  throw new Error("Cannot see the sandbox leave: it stays");
}

describe.each(USERS)("writ run as %s", (user) => {
  it("tells how a command ended, also where it looks while the sandbox goes", async () => {
    let caught = 0;
    for (let round = 0; round < MOST_ROUNDS && caught < 3; round += 1) {
      const place = placeFor(user);
      const { child, ended, printed } = startRun(place, SCRIPT);
      await made(place, "ready");
      const [launcher = 0] = childrenOf(child.pid ?? 0);
      const [first] = childrenOf(launcher);
      if (first === undefined) throw new Error("Cannot find the first process of the sandbox");
      // What it hears of first when it goes on is the file, and has it look at the mounts.
      child.kill("SIGSTOP");
      writeFileSync(path.join(place.workspace, "go"), "");
      if (leavingOf(first)) caught += 1;
      child.kill("SIGCONT");
      expect({ status: await ended, said: printed.err }).toEqual({ status: 7, said: "" });
    }
    expect(caught).toBeGreaterThan(0);
  });
});
