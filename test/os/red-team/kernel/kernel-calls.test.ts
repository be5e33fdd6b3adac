/**
 * E1, E2, E5, E6, E8, E9: calls that reach past mounts and namespaces, in every mode.
 *
 * The whole table, call by call, is tried in `test/os/seccomp`; here the real
 * program builds the sandbox.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  type Calls,
  callsCommand,
  ENOSYS,
  EPERM,
  errnosIn,
  number,
  pairsIn,
} from "../../support/kernel-attempts.ts";
import { inOneRun, onceFor } from "../../support/one-run.ts";
import { flagsOf, MODES, type Mode } from "../../support/sandbox-modes.ts";
import { USERS } from "../../support/sandbox-user.ts";
import { INT_80, writeProgram } from "../../support/write-program.ts";

const GETPID = number(39, 172);
const UNSHARE = number(272, 97);
const SIGSYS = 31;

const RINGS: Calls = {
  setup: [425, 8, -1],
  enter: [426, -1, 1, 0, 0, 0, 0],
  register: [427, -1, 0, 0, 0],
};
const OTHER_PROCESSES: Calls = {
  traceme: [number(101, 117), 0, 0, 0, 0],
  attach: [number(101, 117), 16, 1, 0, 0],
  readv: [number(310, 270), 1, 0, 0, 0, 0, 0],
  writev: [number(311, 271), 1, 0, 0, 0, 0, 0],
  getfd: [438, -1, 0, 0],
  kcmp: [number(312, 272), 1, 1, 0, 0, 0],
  madvise: [440, -1, 0, 0, 20, 0],
};
const KERNEL: Calls = {
  bpf: [number(321, 280), -1, 0, 0],
  perf: [number(298, 241), 0, 0, -1, -1, 0],
  userfaultfd: [number(323, 282), 1],
  addKey: [number(248, 217), "user", "writ", 0, 0, -3],
  requestKey: [number(249, 218), "user", "writ", 0, 0],
  keyctl: [number(250, 219), 0, -3, 0],
  memfdSecret: [447, 0],
  scannerGroup: [number(300, 262), 0x200, 0],
  syslog: [number(103, 116), 10, 0, 0],
};
const NAMESPACES: Calls = {
  user: [UNSHARE, 0x1000_0000],
  mounts: [UNSHARE, 0x0002_0000],
  enter: [number(308, 268), 0, 0],
  cloneUser: [number(56, 220), 0x1000_0011, 0, 0, 0, 0],
};
const refused = (calls: Calls) =>
  Object.fromEntries(Object.keys(calls).map((name) => [name, EPERM]));

/** Adds a filter that allows all and rules of Landlock that allow all, and asks again. */
const WEAKEN = `
  $| = 1;
  my $PRCTL = ${number(157, 167)};
  sub report { my ($name, $result) = @_; print "$name ", ($result == -1 ? $! + 0 : $result), "\\n" }
  report(privileges => syscall($PRCTL, 38, 0, 0, 0, 0));
  report(isPrivileged => syscall($PRCTL, 39, 0, 0, 0, 0));
  my $instructions = pack("SCCL", 6, 0, 0, 0x7fff0000);
  my $program = pack("Sx6P", 1, $instructions);
  report(filter => syscall($PRCTL, 22, 2, $program, 0, 0));
  report(off => syscall($PRCTL, 22, 0, 0, 0, 0));
  report(listener => syscall(${number(317, 277)}, 1, 8, $program));
  report(unshare => syscall(${UNSHARE}, 0x10000000));
  report(ring => syscall(425, 8, 0));
  open my $status, "/proc/self/status";
  while (<$status>) { print "mode $1\\n" if /^Seccomp:\\s+(\\d)/ }
`;

const IDENTITY = `
  grep -E '^(CapInh|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp):' /proc/self/status
  (echo '0 0 1' > /proc/self/uid_map) 2>/dev/null && echo mapped: yes
  (echo allow > /proc/self/setgroups) 2>/dev/null && echo grouped: yes
  touch mine && chown 1:1 mine 2>/dev/null && echo given: yes
  perl -e '$< = $> = 1; print "changed: yes\\n" if $> == 1'
  awk '{ print "map: " $1, $2, $3 }' /proc/self/uid_map
`;

const REFUSED = { ...RINGS, ...OTHER_PROCESSES, ...KERNEL, ...NAMESPACES };
const CONTROL: Calls = { control: [GETPID] };
const X32: Calls = process.arch === "x64" ? { getpid: [0x4000_0000 + 39], ptrace: [521, -1] } : {};

/** All that is tried in a mode: nothing of it reaches further than the process that tries it. */
const tried = onceFor((place, mode: Mode) => {
  const { workspace } = place;
  const flags = flagsOf(mode, place);
  const program = writeProgram(workspace, INT_80);
  const answers = inOneRun((command) => place.run(["run", ...flags, "--", ...command]), {
    calls: callsCommand({ ...REFUSED, ...CONTROL, clone3: [435, 0, 0] }),
    weaken: ["/usr/bin/perl", "-e", WEAKEN],
    identity: IDENTITY,
    x32: callsCommand({ ...X32, ...CONTROL }),
    int80: process.arch === "x64" ? [program] : ["true"],
  });
  return { workspace, ...answers };
});

describe.each(USERS)("for %s", (user) => {
  describe.each(MODES)("in the mode %s", (mode) => {
    it("E1 E2 E5 A13 refuses rings, other processes, kernel interfaces and namespaces", () => {
      const { calls } = tried(user, mode);
      expect(errnosIn(calls.stdout)).toEqual({ ...refused(REFUSED), control: 0, clone3: ENOSYS });
    });
  });

  // The filter differs only by its sockets.
  it.each(["workspace-write", "network-on"] as const)(
    "E8 keeps its filter in %s, whatever filters and switches the command adds",
    (mode) => {
      const { weaken } = tried(user, mode);
      expect(pairsIn(weaken.stdout, Number)).toMatchObject({
        isPrivileged: 1,
        filter: 0,
        listener: EPERM,
        unshare: EPERM,
        ring: EPERM,
        mode: 2,
      });
    },
  );

  it("E9 leaves no capability, no other user and no map to change", () => {
    const { workspace, identity } = tried(user, "workspace-write");
    const id = user === "root" ? 0 : 65_534;
    const lines = identity.stdout.replaceAll(":\t", ": ").trim().split("\n");
    const none = "0".repeat(16);
    expect(lines).toEqual([
      ...["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"].map((name) => `${name}: ${none}`),
      ...["NoNewPrivs: 1", "Seccomp: 2"],
      expect.stringMatching(process.getuid?.() === 0 ? `^map: ${id} \\d+ 1$` : /^map: \d+ \d+ 1$/),
    ]);
    expect(readFileSync(`${workspace}/mine`, "utf8")).toBe("");
  });

  it("E6 ends a program that makes 32-bit calls, and knows no x32 calls", () => {
    const { x32, int80 } = tried(user, "workspace-write");
    const absent = Object.fromEntries(Object.keys(X32).map((name) => [name, ENOSYS]));
    expect(errnosIn(x32.stdout)).toEqual({ ...absent, control: 0 });
    if (process.arch !== "x64") return;
    expect([128 + SIGSYS, 139]).toContain(int80.status);
  });
});
