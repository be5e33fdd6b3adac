import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { childrenOf, groupUnder } from "../../../src/sandbox/run/group-under.ts";

const SCRIPT = "sh -c 'sleep 60 & echo; wait' & wait";

/** A shell in a group of its own, with a shell in it that has started a program. */
async function threeGenerations() {
  const child = spawn("sh", ["-c", SCRIPT], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const pid = child.pid ?? 0;
  end = () => void process.kill(-pid, "SIGKILL");
  await once(child.stdout, "data");
  const [inner = 0] = childrenOf(pid) ?? [];
  const [program = 0] = childrenOf(inner) ?? [];
  return { pid, inner, program };
}

let end = () => {};
afterEach(() => end());

describe("groupUnder", () => {
  it("finds what a process started and what that started, the nearest first", async () => {
    const { pid, inner, program } = await threeGenerations();
    expect(groupUnder(pid)).toEqual([pid, inner, program]);
  });

  it("looks at no more processes than it is told to", async () => {
    const { pid, inner } = await threeGenerations();
    expect(groupUnder(pid, 2)).toEqual([pid, inner]);
  });

  it("leaves out what is in another group", async () => {
    const { pid } = await threeGenerations();
    const found = groupUnder(process.pid);
    expect(found).toContain(process.pid);
    expect(found).not.toContain(pid);
  });
});
