/**
 * Every row of the table that is harmless to try, against the real kernel.
 *
 * The twin of `test/sandbox/linux/seccomp/decisions.test.ts`. Arguments are such that a call which
 * got through would fail or do nothing; what could still harm the host is left to the twin.
 */
import { describe, expect, it } from "vitest";
import type { Refusal } from "../../../src/sandbox/linux/seccomp/action.ts";
import { DENIED_CALLS } from "../../../src/sandbox/linux/seccomp/denied-calls.ts";
import { type RawCall, rawCalls } from "./raw-calls.ts";
import { callers, hostFilter, MARKS, runFiltered, withMarks } from "./run-filtered.ts";

const filter = hostFilter({ network: "off", unixSockets: "none" });
const ERRNO = { EPERM: 1, ENOSYS: 38, SUCCESS: 0 };

/** A mistake in the filter must not cost the host anything. */
const NEVER_TRIED = new Set([
  ...["kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot"],
  ...["swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "settimeofday", "clock_settime"],
  ...["adjtimex", "clock_adjtime", "sethostname", "setdomainname", "iopl", "ioperm", "vhangup"],
]);

const INVALID = [-1, -1, -1, -1, -1, -1];
const ARGUMENTS: Record<string, RawCall["args"]> = {
  clone: [0x1000_0000 | 17, -1],
  mknod: [-1, 0o020666, 259],
  mknodat: [-1, -1, 0o060666, 259],
  seccomp: [1, 8, 0],
  personality: [0x0040_0000],
  ioctl: [-1, 0x5412, 0],
  fcntl: [-1, 1024, 1],
  setrlimit: [4, -1],
  prlimit64: [0, 4, -1, 0],
  open: [-1, 0o102, 0o4755],
  openat: [-1, -1, 0o102, 0o4755],
};

const tried = DENIED_CALLS.filter(({ name }) => !NEVER_TRIED.has(name)).flatMap((call) => {
  const nr = call.numbers[process.arch === "arm64" ? "arm64" : "x64"];
  return nr === undefined ? [] : [{ ...call, nr, args: ARGUMENTS[call.name] ?? INVALID }];
});

const expected = (errnos: Readonly<Record<Refusal, number>>) =>
  Object.fromEntries(tried.map(({ name, errno }) => [name, errnos[errno]]));

describe.each(callers)("the denied calls, for %s", (caller) => {
  it("are most of the table", () => {
    expect(tried.length).toBeGreaterThan(40);
  });

  it("fail with the errno of the table", () => {
    expect(rawCalls(tried, { caller, filter })).toEqual(expected(ERRNO));
  });

  it("are refused by the filter, not for another reason", () => {
    expect(rawCalls(tried, { caller, filter: withMarks(filter) })).toEqual(expected(MARKS));
  });

  it("reach the kernel when there is no filter", () => {
    const harmless = tried.filter(({ name }) => name !== "clone");
    const answers = Object.values(rawCalls(harmless, { caller }));
    expect(answers).toHaveLength(harmless.length);
    expect(answers).not.toContain(MARKS.EPERM);
    expect(answers.filter((errno) => errno !== ERRNO.EPERM).length).toBeGreaterThan(15);
  });

  it("leave the rest alone: the same probe may ask who it is", () => {
    const calls = [
      { name: "getpid", nr: process.arch === "arm64" ? 172 : 39, args: [] },
      { name: "personality", nr: process.arch === "arm64" ? 92 : 135, args: [0xffff_ffff] },
    ];
    expect(rawCalls(calls, { caller, filter })).toEqual({ getpid: 0, personality: 0 });
  });

  it("stay denied in what the command starts, and to the first process of the sandbox", () => {
    const modes = "sh -c 'cat /proc/self/status /proc/1/status' | grep ^Seccomp:";
    const command = ["sh", "-c", modes];
    expect(runFiltered({ caller, filter, command }).stdout).toBe("Seccomp:\t2\nSeccomp:\t2\n");
    expect(runFiltered({ caller, command }).stdout).toBe("Seccomp:\t0\nSeccomp:\t0\n");
  });

  it("include copying and destroying what masks cover in a file system, and taking its keys away", () => {
    const nr = process.arch === "arm64" ? 29 : 16;
    const requests = {
      ...{ snapshot: 0x5000_9401, snapshot2: 0x5000_9417 },
      ...{ destroy: 0x5000_940f, destroy2: 0x5000_943f },
      ...{ bcachefs: 0x4020_bc10, bcachefs2: 0x4030_bc1d },
      ...{ bcachefsDestroy: 0x4020_bc11, bcachefsDestroy2: 0x4030_bc1e },
      key: 0xc040_6618,
    };
    const calls = Object.entries(requests).map(([name, one]) => ({ name, nr, args: [-1, one, 0] }));
    const all = (errno: number) =>
      Object.fromEntries(Object.keys(requests).map((name) => [name, errno]));
    const EBADF = 9;
    expect(rawCalls(calls, { caller })).toEqual(all(EBADF));
    expect(rawCalls(calls, { caller, filter: withMarks(filter) })).toEqual(all(MARKS.EPERM));
  });

  it("include a new user namespace, which would take masks away", () => {
    const command = ["unshare", "--user", "true"];
    expect(runFiltered({ caller, command }).status).toBe(0);
    const refused = runFiltered({ caller, filter, command });
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toContain("Operation not permitted");
  });
});
