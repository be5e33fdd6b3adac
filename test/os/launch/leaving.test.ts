/** A sandbox that is being taken down shows no mounts any more, and none of them is missed. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { placeFor, USERS } from "../support/sandbox-user.ts";
import { childrenOf, made, startRun } from "./live-run.ts";

const ROUNDS = 5;
/** To end all of them takes the kernel some milliseconds. */
const MANY = 400;
const SCRIPT = `i=0; while [ $i -lt ${MANY} ]; do sleep 600 & i=$((i+1)); done; touch ready; until [ -e go ]; do sleep 0.01; done; exit 7`;

/** Whether a process that is there has let go of its namespaces. */
function isLeaving(pid: number): boolean {
  try {
    readFileSync(`/proc/${pid}/mountinfo`);
    return false;
  } catch {
    return true;
  }
}

describe.each(USERS)("writ run as %s", (user) => {
  it("tells how a command ended, also where it looks while the sandbox goes", async () => {
    const ends: unknown[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const place = placeFor(user);
      const { child, ended, printed } = startRun(place, SCRIPT);
      await made(place, "ready");
      const [launcher = 0] = childrenOf(child.pid ?? 0);
      const [first = 0] = childrenOf(launcher);
      // What it hears of first when it goes on is the file, and has it look at the mounts.
      child.kill("SIGSTOP");
      writeFileSync(path.join(place.workspace, "go"), "");
      while (!isLeaving(first));
      child.kill("SIGCONT");
      ends.push((await ended) === 7 || printed.err);
    }
    expect(ends).toEqual(ends.map(() => true));
  });
});
