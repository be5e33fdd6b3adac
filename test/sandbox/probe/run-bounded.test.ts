import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { optionsIn } from "../../../src/sandbox/probe/probe-bubblewrap.ts";
import { runBounded } from "../../../src/sandbox/probe/run-bounded.ts";

const sh = (script: string) => ["/bin/sh", "-c", script] as const;

/** One that ended may wait a while for its new parent to collect it. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

describe("runBounded", () => {
  it("gives status, output and the first line of the failure", async () => {
    expect(await runBounded(sh("echo out; echo 'bwrap: bad' >&2; echo more >&2; exit 3"))).toEqual({
      status: 3,
      stdout: "out\n",
      failure: "bad",
    });
  });

  it("hands bytes to descriptor 3, and takes it well when nobody reads them", async () => {
    const input = new Uint8Array([104, 105, 10]);
    expect((await runBounded(sh("read -r word <&3; echo $word"), { input })).stdout).toBe("hi\n");
    const large = new Uint8Array(1 << 20);
    expect((await runBounded(sh("exit 5"), { input: large })).status).toBe(5);
  });

  it("passes on nothing of the environment but a fixed PATH", async () => {
    const { stdout } = await runBounded(["/usr/bin/env"]);
    expect(stdout).toBe("PATH=/usr/sbin:/usr/bin:/sbin:/bin\n");
  });

  it("gives up on a program that hangs, and ends what it started", async () => {
    const ran = await runBounded(sh("sleep 60 & echo $!; wait"), { timeoutMs: 2000 });
    expect(ran).toMatchObject({ status: undefined, failure: "no answer in 2 s" });
    const pid = Number(ran.stdout);
    expect(pid).toBeGreaterThan(1);
    while (isRunning(pid)) await sleep(20);
  });

  it("says so when the program cannot be started or is killed", async () => {
    expect((await runBounded(["/no/such/program"])).failure).toContain("ENOENT");
    expect((await runBounded(sh("kill -9 $$"))).failure).toBe("ended by SIGKILL");
  });
});

describe("optionsIn", () => {
  it("finds the options of a help text and not those in its explanations", () => {
    const help = [
      "usage: bwrap [OPTIONS...] [--] COMMAND [ARGS...]",
      "    --bind-try SRC DEST          Equal to --bind but ignores non-existent SRC",
      "    --seccomp FD                 Load rules",
    ].join("\n");
    expect([...optionsIn(help)]).toEqual(["--bind-try", "--seccomp"]);
  });
});
