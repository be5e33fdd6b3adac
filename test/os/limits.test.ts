/** Limits on the real kernel. Every bomb is small by itself, so that a limit that fails harms nobody. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { probeLimitMeans } from "../../src/sandbox/limits/probe-limit-means.ts";
import {
  CALLERS,
  type Caller,
  type LimitedRequest,
  NODE,
  perl,
  runLimited,
  startAs,
} from "./limits/run-limited.ts";

const MIB = 1 << 20;

/** Starts up to `count` children that stay, and prints how many there were. */
const forks = (count: number) => `
  my $n = 0;
  for (1..${count}) { my $p = fork; last unless defined $p; if (!$p) { sleep 20; exit } $n++ }
  print $n;`;
const threads = (count: number) => `
  use threads; no warnings;
  my $n = 0;
  for (1..${count}) { my $t = threads->create(sub { sleep 20 }) or last; $t->detach; $n++ }
  $| = 1; print $n; use POSIX; POSIX::_exit(0);`;
/** What goes beyond a limit stays so long that it is noticed, however busy the machine is. */
const [LONG, SHORT] = [15, 1];
const balloon = (mib: number, seconds = LONG) =>
  `my $n = ${mib}; my $x = "a" x ($n << 20); print length $x; sleep ${seconds};`;
const fill = (mib: number) => `
  open F, ">/dev/shm/x" or die; for (1..${mib}) { syswrite F, "a" x (1 << 20) or last }
  sleep ${LONG}; print "filled";`;
const memfd = (mib: number, seconds = LONG) => `
  my $name = "x"; my $fd = syscall(${process.arch === "arm64" ? 279 : 319}, $name, 0); open F, ">&=", $fd or die;
  for (1..${mib}) { syswrite F, "a" x (1 << 20) or last } sleep ${seconds}; print "filled";`;
const [EXIT_OF_THREAD, UNSHARE, PRCTL] = process.arch === "arm64" ? [93, 97, 167] : [60, 272, 157];
/** The first thread ends and another one goes on: what is said of the process as a whole says nothing of its memory then. */
const withoutFirst = (script: string) => `
  use threads; use POSIX (); threads->create(sub { select undef, undef, undef, 0.3; ${script} POSIX::_exit(0) }); syscall(${EXIT_OF_THREAD}, 0);`;
/** A thread takes a table of descriptors of its own, and has more in it than its process. */
const ownTable = (script: string) => `
  use threads; threads->create(sub { syscall(${UNSHARE}, 0x400) and die; ${script} })->join;`;
/** The program keeps its memory to itself, as one with keys in it does. */
const undumpable = (script: string) => `syscall(${PRCTL}, 4, 0, 0, 0, 0) and die; ${script}`;
/** One child after the other uses `seconds` of processor time; none of them passes a limit alone. */
const spin = (count: number, seconds: number, then = LONG) => `
  for (1..${count}) { if (!fork) { do { 1 for 1..50_000; ($u, $s) = times } while $u + $s < ${seconds}; exit } wait }
  sleep ${then}; print "done";`;

/** What a host lacks on which control groups cannot be written to. */
const NO_GROUPS = { groups: {} } as const;
type Host = [string, Pick<LimitedRequest, "groups">];
const hostsOf = (caller: Caller): Host[] =>
  caller === "root"
    ? [
        ["with its control groups", {}],
        ["without control groups", NO_GROUPS],
      ]
    : [["as it is", {}]];

describe.each(CALLERS)("limits for %s", (name) => {
  const caller = name as Caller;

  // Root without a pids group has only pid_max, which uses up some numbers and starts at 600.
  const byPidMax = caller === "root" && probeLimitMeans().groups.pids === undefined;
  const [processes, slack] = byPidMax ? [600, 20] : [20, 0];

  it.each([
    ["fork", forks],
    ["thread", threads],
  ])("stop a %s bomb at the number, and the command goes on", (_, bomb) => {
    const found = perl(caller, bomb(processes + 40), { limits: { processes } });
    expect(Number(found.stdout)).toBeLessThan(processes);
    expect(found.most).toBeLessThanOrEqual(processes);
    expect(found.left).toEqual([]);
  });

  it("stop a fork bomb whose every child forks", () => {
    const bomb = `fork for 1..${byPidMax ? 10 : 7}; select undef, undef, undef, 2; print 1`;
    const { most, stdout, left } = perl(caller, bomb, { limits: { processes } });
    expect(most).toBeLessThanOrEqual(processes);
    expect(most).toBeGreaterThan(processes / 2);
    expect(stdout).toMatch(/^1+$/);
    expect(left).toEqual([]);
  });

  it("give a sandbox its whole number, whatever else the user runs", () => {
    const others = Array.from({ length: 25 }, () => startAs(caller, ["/bin/sleep", "20"]));
    const found = perl(caller, forks(processes - 1 - slack), { limits: { processes } });
    for (const other of others) other.kill("SIGKILL");
    expect(found.stdout).toBe(String(processes - 1 - slack));
    expect(found.exceeded).toEqual([]);
  });

  describe.each(hostsOf(caller))("on memory, %s", (_, rest) => {
    const limits = { memoryBytes: 64 * MIB };

    it.each([
      ["a balloon", balloon(160)],
      ["a balloon in a child", `if (!fork) { ${balloon(160)} exit } wait; sleep 3; print "alive";`],
      ["files on the sandbox's own tmpfs", fill(160)],
      ["a memfd that is not mapped", memfd(160)],
      ["a balloon of a process without its first thread", withoutFirst(balloon(160))],
      ["a memfd of a process without its first thread", withoutFirst(memfd(160))],
      ["a memfd that one thread has alone", ownTable(memfd(160))],
      ["a memfd of a process that nobody may look into", undumpable(memfd(160))],
      [
        "many that are small",
        `for (1..8) { if (!fork) { ${balloon(20)} exit } } 1 while wait > 0;`,
      ],
    ])("end the sandbox for %s", (_, script) => {
      const found = perl(caller, script, { limits, ...rest });
      expect(found.exceeded).toEqual(["memoryBytes"]);
      expect(found.stdout).not.toMatch(/filled|alive/);
      expect(found.left).toEqual([]);
    });

    it("let a command be that stays below", () => {
      const found = perl(caller, balloon(16, SHORT), { limits, ...rest });
      expect(found).toMatchObject({ stdout: String(16 * MIB), exceeded: [], left: [] });
    });

    it("let a process be that nobody may look into, whatever is shared on the host", () => {
      const shared = `/dev/shm/writ-test-${process.pid}`;
      onTestFinished(() => rmSync(shared, { force: true }));
      writeFileSync(shared, Buffer.alloc(80 * MIB));
      const script = `use Socket; open F, "<", "/etc/passwd"; pipe R, W; socketpair A, B, AF_UNIX, SOCK_STREAM, 0; ${balloon(16, SHORT)}`;
      expect(perl(caller, undumpable(script), { limits, ...rest })).toMatchObject({
        stdout: String(16 * MIB),
        exceeded: [],
      });
    });

    it("count a memfd once that threads share", () => {
      const script = `use threads; threads->create(sub { sleep 20 })->detach for 1..4; ${memfd(24, SHORT)} use POSIX; $| = 1; POSIX::_exit(0);`;
      expect(perl(caller, script, { limits, ...rest })).toMatchObject({
        stdout: "filled",
        exceeded: [],
      });
    });

    it("count once what children share with their parent", () => {
      const script = `my $x = "a" x (16 << 20); for (1..6) { if (!fork) { sleep 1; exit } } 1 while wait > 0; print "whole";`;
      expect(perl(caller, script, { limits, ...rest })).toMatchObject({
        stdout: "whole",
        exceeded: [],
      });
    });

    it("let an engine start that reserves far more than it uses", () => {
      const command = [NODE, "-e", "console.log(new Uint8Array(8e6).length)"];
      const found = runLimited(caller, { limits: { memoryBytes: 256 * MIB }, command, ...rest });
      expect(found).toMatchObject({ stdout: "8000000\n", exceeded: [], left: [] });
    });
  });

  describe.each(hostsOf(caller))("on processor time, %s", (_, rest) => {
    const limits = { cpuTimeMs: 600 };

    it("end the sandbox for what all its processes use together", () => {
      const found = perl(caller, spin(6, 0.3), { limits, ...rest });
      expect(found).toMatchObject({
        ended: "cpuTimeMs",
        exceeded: ["cpuTimeMs"],
        stdout: "",
        left: [],
      });
    });

    it("count the time of children too short to be seen", () => {
      const script = `
        for (1..9_000) {
          if (!fork) { 1 for 1..200_000; exit } wait;
          my (undef, undef, $u, $s) = times; last if $u + $s > 2;
        }
        sleep ${LONG}; print "done";`;
      expect(perl(caller, script, { limits, ...rest })).toMatchObject({
        ended: "cpuTimeMs",
        stdout: "",
      });
    });

    it("count the time of children that nobody waits for", () => {
      const script = `$SIG{CHLD} = "IGNORE"; ${spin(6, 0.3)}`;
      expect(perl(caller, script, { limits, ...rest })).toMatchObject({
        ended: "cpuTimeMs",
        stdout: "",
      });
    });

    it("count the time of a process without its first thread", () => {
      const script = `do { 1 for 1..50_000; ($u, $s) = times } while $u + $s < 2; sleep ${LONG}; print "done";`;
      expect(perl(caller, withoutFirst(script), { limits, ...rest })).toMatchObject({
        ended: "cpuTimeMs",
        stdout: "",
      });
    });

    it("let a command be that mostly sleeps", () => {
      const found = perl(caller, spin(2, 0.1, SHORT), { limits, ...rest });
      expect(found).toMatchObject({ stdout: "done", exceeded: [], left: [] });
    });
  });

  it("stop a file at its size, and smaller ones are written", () => {
    const script = `$SIG{XFSZ} = "IGNORE"; open F, ">/dev/shm/x" or die; my $n = 0;
      for (1..10) { $n += syswrite(F, "a" x 300_000) || last } print $n, " ", -s "/dev/shm/x";`;
    const limits = { fileSizeBytes: 1_000_000 };
    expect(perl(caller, script, { limits }).stdout).toBe("1000000 1000000");
  });

  it("stop descriptors at their number", () => {
    const script = `my @f; for (1..100) { open my $f, "<", "/dev/null" or last; push @f, $f } print scalar @f;`;
    expect(perl(caller, script, { limits: { openFiles: 32 } }).stdout).toBe("29");
  });

  it("cannot be raised by the command", () => {
    const script = `ulimit -n 4096 2>/dev/null && echo raised; ulimit -f unlimited 2>/dev/null && echo raised
      for file in $(find /sys/fs/cgroup -path '*writ-*' -name '*.max' -o -path '*writ-*' -name '*limit_in_bytes'); do
        { echo 1000 > $file; } 2>/dev/null && echo lifted; done
      { echo 4000000 > /proc/sys/kernel/pid_max; } 2>/dev/null && echo lifted; ulimit -n; ulimit -t`;
    const limits = {
      openFiles: 40,
      fileSizeBytes: MIB,
      processes: 600,
      memoryBytes: 64 * MIB,
      cpuTimeMs: 3000,
    };
    const found = runLimited(caller, { limits, command: ["/bin/bash", "-c", script] });
    expect(found?.stdout).toBe("40\n4\n");
  });

  it("leave nothing behind and run nothing when one cannot be applied", () => {
    const limits = { processes: 600, memoryBytes: 64 * MIB, openFiles: 20 };
    const found = perl(caller, "print 1", { limits, means: { prlimit: "/bin/false" } });
    expect(found).toMatchObject({ stdout: "", left: [] });
    expect(found.error).toMatch(/Cannot limit process \d+/);
  });

  it("are read back: a program that claims to have set them is not believed", () => {
    const found = perl(caller, "print 1", {
      limits: { openFiles: 20 },
      means: { prlimit: "/bin/true" },
    });
    expect(found.error).toMatch(/Cannot limit "nofile": process \d+ has \d+, expected 20/);
  });
});

describe.each(CALLERS.filter((one) => one === "root"))("limits of %s", () => {
  const hostMax = () => readFileSync("/proc/sys/kernel/pid_max", "utf8");

  it("on processes hold by pid_max without control groups, and the host keeps its own", () => {
    const before = hostMax();
    const found = perl("root", forks(700), { limits: { processes: 600 }, ...NO_GROUPS });
    expect(found.applied).toEqual([{ limit: "processes", value: 600, by: "pidMax" }]);
    expect(found.most).toBeLessThanOrEqual(600);
    // Some numbers were used up by the process that set it.
    expect(Number(found.stdout)).toBeGreaterThan(580);
    expect(Number(found.stdout)).toBeLessThan(600);
    expect(found.left).toEqual([]);
    expect(hostMax()).toBe(before);
  });

  it("remove the groups of a run that was killed, with all that is in them", () => {
    const limits = { processes: 600, memoryBytes: 64 * MIB, cpuTimeMs: 1000 };
    const places = new Set(Object.values(probeLimitMeans().groups).map(({ parent }) => parent));
    const groups = () =>
      [...places].flatMap((place) => readdirSync(place)).filter((one) => one.startsWith("writ-"));
    const others = groups();
    runLimited("root", { limits, command: ["/bin/true"], dieAtGate: true });
    const left = groups().filter((one) => !others.includes(one));
    expect(left).toHaveLength(places.size);
    expect(perl("root", "print 1", { limits }).stdout).toBe("1");
    expect(groups().filter((one) => left.includes(one))).toEqual([]);
  });
});
