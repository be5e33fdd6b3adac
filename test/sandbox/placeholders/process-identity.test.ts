import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  identityOf,
  isRunning,
  livingPid,
  type ProcessIdentity,
} from "../../../src/sandbox/placeholders/process-identity.ts";
import { withLock } from "../../../src/sandbox/placeholders/with-lock.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const EXIT_OF_THREAD = process.arch === "arm64" ? 93 : 60;

/** A program that prints a number and goes on, ended with the test. */
async function printedBy(...[program = "", ...args]: string[]): Promise<number> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return Number(await once(child.stdout, "data"));
}

const COLLECTS_NOBODY = `$| = 1; my $child = fork; exec "sleep", 60 if !$child; print $child; sleep 60`;

/** A process that is over, with a parent that goes on and does not wait for it. */
async function uncollected(): Promise<{ pid: number; identity: ProcessIdentity }> {
  const pid = await printedBy("/usr/bin/perl", "-e", COLLECTS_NOBODY);
  const identity = identityOf(pid);
  if (identity === undefined) throw new Error(`Cannot find process ${pid}: it is over`);
  process.kill(pid, "SIGKILL");
  await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toMatch(/\) Z /);
  return { pid, identity };
}

describe("a process that is over and not collected", () => {
  it("lives no more, though its number is still taken", async () => {
    const { pid, identity } = await uncollected();
    expect({ living: livingPid(identity), isRunning: isRunning(pid) }).toEqual({
      living: undefined,
      isRunning: false,
    });
    expect(identityOf(pid)).toBe(identity);
  });

  it("holds no lock", async () => {
    const lock = path.join(temporaryFolder(), "lock");
    const { identity } = await uncollected();
    writeFileSync(lock, `${identity}-1-1`);
    expect(withLock(lock, () => "mine", 100)).toBe("mine");
    expect(existsSync(lock)).toBe(false);
  });
});

describe("a process whose first thread alone is over", () => {
  it("lives", async () => {
    const script = `use threads; $| = 1; threads->create(sub { print $$; sleep 60 }); syscall(${EXIT_OF_THREAD}, 0);`;
    const pid = await printedBy("/usr/bin/perl", "-e", script);
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toMatch(/\) Z /);
    const identity = identityOf(pid) as ProcessIdentity;
    expect({ living: livingPid(identity), isRunning: isRunning(pid) }).toEqual({
      living: pid,
      isRunning: true,
    });
  });
});

describe("a lock that stays held", () => {
  const own = identityOf(process.pid) as ProcessIdentity;

  it.each([
    ["of this host", own, /: process \d+ holds it, expected it free\. .*remove the file$/],
    [
      "of another pid namespace",
      own.replace(/^(\d+-\d+)-\d+/, "$1-1"),
      /: process \d+ of another pid namespace, as of a container, holds it, expected it free\./,
    ],
  ])("says which process %s holds it", (_, owner, said) => {
    const lock = path.join(temporaryFolder(), "lock");
    writeFileSync(lock, `${owner}-1-1`);
    expect(() => withLock(lock, () => {}, 3)).toThrow(said);
  });
});
