/** Commands that use up what they can, each under a limit that was written into a profile. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Limits } from "../../../../src/policy/index.ts";
import { told } from "../../support/later-attempts.ts";
import { flagsOf, MODES, profileFlags } from "../../support/sandbox-modes.ts";
import { type Place, placeFor, USERS } from "../../support/sandbox-user.ts";

const MIB = 1 << 20;

/** Writes to the workspace alone: a receipt has to look through all that may be written, and /tmp is large. */
const WORKSPACE = `[filesystem]
":root" = "read"
":workspace_roots" = "write"
`;

function limited({ outside }: Place, limits: Limits): string[] {
  const lines = Object.entries({ wallTimeMs: 20_000, ...limits }).map(
    ([name, value]) => `${name.replaceAll(/[A-Z]/g, (one) => `_${one.toLowerCase()}`)} = ${value}`,
  );
  return profileFlags(outside, "limited", `${WORKSPACE}[limits]\n${lines.join("\n")}\n`);
}

/** Ends by itself at `most`, so that a limit that is not there does no harm. */
const forks = (most: number) => `perl -e '
  my $n = 0; for (1..${most}) { my $p = fork; last unless defined $p; if (!$p) { sleep 30; exit } $n++ }
  print "$n\\n"'`;

const balloon = (mib: number) =>
  `perl -e 'my @a; push @a, "x" x ${MIB} for 1..${mib}; sleep 15; print "whole"'`;

describe.each(USERS)("resources, as %s", (user) => {
  it("J1 stops a fork bomb at its number, and the command can go on", () => {
    const place = placeFor(user);
    const limits = { processes: 600 };
    const { stdout, receipt } = told(place, forks(900), {
      flags: limited(place, limits),
    });
    expect(Number(stdout)).toBeGreaterThan(250);
    expect(Number(stdout)).toBeLessThan(600);
    expect(receipt.enforced?.limits).toContainEqual({
      limit: "processes",
      value: 600,
      by: expect.stringMatching(/^(cgroup|rlimit|pidMax)$/),
    });
  });

  it("J1 keeps nobody busy by changing its folders without end: its time is over when it is over", () => {
    const place = placeFor(user);
    const flood = `perl -e 'my $t = time; while (time - $t < 20) { for (1..50) { chmod 0700, "."; chmod 0755, "." } }'`;
    const { receipt } = told(place, `${flood}; echo whole > whole`, {
      flags: limited(place, { wallTimeMs: 1000 }),
    });
    expect(receipt.outcome).toEqual({ kind: "limit", limit: "wallTimeMs", value: 1000 });
    expect(fs.existsSync(path.join(place.workspace, "whole"))).toBe(false);
  });

  it("J1 gives a command more time than a timer can count to", () => {
    const place = placeFor(user);
    const flags = limited(place, { wallTimeMs: 3_000_000_000 });
    expect(told(place, "sleep 0.3; echo over", { flags }).stdout).toBe("over\n");
  });

  it("J1 counts threads like processes", () => {
    const place = placeFor(user);
    const node = path.join(place.installed, "node_modules/.bin/node");
    const start = `${node} -e 'fs.stat("/", () => console.log("started"))' 2>/dev/null`;
    const script = `UV_THREADPOOL_SIZE=4 ${start}; UV_THREADPOOL_SIZE=1000 ${start}; echo over`;
    const { stdout } = told(place, script, { flags: limited(place, { processes: 600 }) });
    expect(stdout).toBe("started\nover\n");
  });

  it.each([
    ["memory of its own", balloon(160)],
    ["files in /dev/shm", `head -c ${160 * MIB} /dev/zero > /dev/shm/x; sleep 15; printf whole`],
    ["files in /dev", `head -c ${160 * MIB} /dev/zero > /dev/x; sleep 15; printf whole`],
  ])("J2 J3 ends a command that fills %s", (_, script) => {
    const place = placeFor(user);
    const flags = limited(place, { memoryBytes: 64 * MIB });
    const { status, stdout, receipt } = told(place, script, { flags });
    expect({ status, stdout }).toEqual({ status: 124, stdout: "" });
    expect(receipt.outcome).toEqual({ kind: "limit", limit: "memoryBytes", value: 64 * MIB });
    expect(receipt.enforced?.limits.find(({ limit }) => limit === "memoryBytes")?.by).toMatch(
      /^(cgroup|watchedTree)$/,
    );
    expect(fs.existsSync("/dev/x") || fs.existsSync("/dev/shm/x")).toBe(false);
  });

  it("J2 leaves another command alone, and a small one under the same limit", async () => {
    const place = placeFor(user);
    const flags = limited(place, { memoryBytes: 64 * MIB });
    const words = place.argv(["run", ...flags, "--", "/bin/sh", "-c", "sleep 2; echo kept > kept"]);
    const [program = "", ...args] = words;
    place.give();
    const other = spawn(program, args, { cwd: place.workspace, env: place.env, stdio: "ignore" });
    const { status } = told(place, balloon(160), { flags });
    const [code] = await once(other, "exit");
    expect({ status, code }).toEqual({ status: 124, code: 0 });
    expect(fs.existsSync(path.join(place.workspace, "kept"))).toBe(true);
  });

  it.each(MODES)("J3 leaves no memory of the host to write files in but /dev in %s", (mode) => {
    const place = placeFor(user);
    const list = `perl -ne 'my @f = split; print "$f[4]\\n" if / - tmpfs /' /proc/self/mountinfo`;
    const script = `for f in $(${list} | sort -u); do touch $f/x 2>/dev/null && echo $f; done; rm /dev/x && echo control`;
    const { stdout } = place.sh(script, flagsOf(mode, place));
    const written = stdout
      .trim()
      .split("\n")
      .filter((one) => !/^\/(dev|tmp)(\/|$)/.test(one));
    expect(written).toEqual(["control"]);
  });

  it("J3 stops each file at its size; many files are not counted together", () => {
    const place = placeFor(user);
    const flags = limited(place, { fileSizeBytes: MIB });
    const fill = (name: string) => `head -c ${4 * MIB} /dev/zero > ${name}`;
    const { receipt } = told(place, `(${fill("a")}); (${fill("b")}); echo x > c`, { flags });
    const sizes = ["a", "b", "c"].map((name) => fs.statSync(path.join(place.workspace, name)).size);
    expect(sizes).toEqual([MIB, MIB, 2]);
    expect(receipt.enforced?.limits).toContainEqual({
      limit: "fileSizeBytes",
      value: MIB,
      by: "rlimit",
    });
  });

  it.each([
    ["lines", "yes"],
    ["one line without an end", "cat /dev/zero"],
    ["random bytes on stderr", "cat /dev/urandom >&2"],
    ["lines from the background", "yes & yes >&2 & wait"],
  ])("J4 ends a command that prints %s for ever", (_, script) => {
    const place = placeFor(user);
    const flags = limited(place, { outputBytes: 256 * 1024 });
    const { status, stdout, stderr, receipt } = told(place, script, { flags });
    expect(status).toBe(124);
    expect(receipt.outcome).toEqual({ kind: "limit", limit: "outputBytes", value: 256 * 1024 });
    // The piece of 64 KiB that was too much is the last.
    expect(stdout.length + stderr.length).toBeLessThan(384 * 1024);
  });

  it("J4 keeps little of endless output that nobody reads", async () => {
    const place = placeFor(user);
    const receipt = path.join(place.outside, "slow.json");
    const flags = [...limited(place, { outputBytes: 1 << 30 }), "--receipt", receipt];
    const words = place.argv(["run", ...flags, "--timeout", "8", "--"]);
    const [program = "", ...args] = [...words, "/bin/sh", "-c", "touch go; cat /dev/zero"];
    const { workspace, env } = place;
    place.give();
    const child = spawn(program, args, {
      cwd: workspace,
      env,
      stdio: ["ignore", "pipe", "ignore"],
    });
    while (!fs.existsSync(path.join(workspace, "go"))) await sleep(20);
    await sleep(1000);
    const status = fs.readFileSync(`/proc/${child.pid}/status`, "utf8");
    const peak = Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1]) / 1024;
    // Read once the command is over: until then it waits, and would else print a whole gigabyte.
    while (hasChildren(child)) await sleep(20);
    child.stdout?.resume();
    const [code] = await once(child, "exit");
    expect(peak).toBeLessThan(400);
    expect(peak).toBeGreaterThan(10);
    expect(code).toBe(124);
  });

  it("refuses a limit that is no limit, instead of leaving it out", () => {
    const place = placeFor(user);
    const toml = `extends = ":workspace"\n[limits]\nprocesses = 0\n`;
    const ran = place.sh("touch ran", profileFlags(place.outside, "none", toml));
    expect(ran.status).toBe(2);
    expect(fs.readdirSync(place.workspace)).toEqual([]);
  });
});

/** Whether something that writ started lives. */
function hasChildren({ pid, exitCode }: ChildProcess): boolean {
  if (exitCode !== null) return false;
  return fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8") !== "";
}
