/**
 * What the filters decide, call by call, as the interpreter follows them.
 *
 * The twin with a real kernel is `test/os/seccomp/denied-calls.test.ts`.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ACTION } from "../../../../src/sandbox/linux/seccomp/action.ts";
import { assemble } from "../../../../src/sandbox/linux/seccomp/assemble.ts";
import {
  type FilterQuestion,
  filterFor,
} from "../../../../src/sandbox/linux/seccomp/filter-for.ts";
import { AUDIT_ARCH, type LinuxArch } from "../../../../src/sandbox/linux/seccomp/seccomp-abi.ts";
import { campaign } from "../../../support/campaign.ts";
import { anyArguments, anyCall, anyNumber, anyQuestion } from "./arbitrary-calls.ts";
import { describeAction } from "./describe-action.ts";
import { runFilter } from "./run-filter.ts";
import { allowedNumbers, deniedNumbers } from "./syscall-numbers.ts";

const ARCHES = ["x64", "arm64"] as const;
const ABSENT = ["clone3", "openat2", "statmount", "listmount", "listns", "io_setup"];
const CONDITIONAL = [
  ...["clone", "mknod", "mknodat", "seccomp", "personality", "ioctl", "fcntl"],
  ...["setrlimit", "prlimit64"],
  ...["chmod", "fchmod", "fchmodat", "fchmodat2", "creat", "open", "openat"],
];
/** Whose pointers count as a whole. */
const WITH_POINTER = { x64: 302, arm64: 261 };
const SOCKETS = { x64: [41, 53], arm64: [198, 199] };
const UPPER_HALF = 0xdead_beefn << 32n;

function decide(arch: LinuxArch, nr: number, args: readonly (number | bigint)[] = []): string {
  const filter = assemble(filterFor({ arch, network: "on", unixSockets: "host" }));
  return describeAction(runFilter(filter, { arch: AUDIT_ARCH[arch], nr, args }));
}

describe.each(ARCHES)("a filter for %s", (arch) => {
  const numbersOf = (table: typeof deniedNumbers) =>
    table.flatMap(({ name, [arch]: nr }) => (nr === undefined ? [] : [{ name, nr }]));
  const always = numbersOf(deniedNumbers).filter(({ name }) => !CONDITIONAL.includes(name));

  it.each(always)("refuses $name", ({ name, nr }) => {
    const errno = ABSENT.includes(name) ? "ENOSYS" : "EPERM";
    expect(decide(arch, nr)).toBe(errno);
    expect(decide(arch, nr, [-1, -1, -1, -1, -1, -1])).toBe(errno);
  });

  it.each(numbersOf(allowedNumbers))("allows $name", ({ nr }) => {
    expect(decide(arch, nr)).toBe("allow");
    expect(decide(arch, nr, [-1, -1, -1, -1, -1, -1])).toBe("allow");
  });

  const byArgument: [string, string, (number | bigint)[], string][] = [
    ["clone", "fork", [17], "allow"],
    ["clone", "a thread", [0x3d_0f00], "allow"],
    ["clone", "vfork", [0x4111], "allow"],
    ["clone", "an exit signal with the bit of CLONE_NEWTIME", [0x80], "allow"],
    ["clone", "CLONE_NEWNS", [0x0002_0011], "EPERM"],
    ["clone", "CLONE_NEWCGROUP", [0x0200_0011], "EPERM"],
    ["clone", "CLONE_NEWUTS", [0x0400_0011], "EPERM"],
    ["clone", "CLONE_NEWIPC", [0x0800_0011], "EPERM"],
    ["clone", "CLONE_NEWUSER", [0x1000_0011], "EPERM"],
    ["clone", "CLONE_NEWPID", [0x2000_0011], "EPERM"],
    ["clone", "CLONE_NEWNET", [0x4000_0011], "EPERM"],
    ["clone", "CLONE_IO", [0x8000_0011], "allow"],
    ["mknod", "a pipe", [0, 0o010644], "allow"],
    ["mknod", "a socket", [0, 0o140644], "allow"],
    ["mknod", "a file", [0, 0o100644], "allow"],
    ["mknod", "a file without a type", [0, 0o644], "allow"],
    ["mknod", "a block device", [0, 0o060644], "EPERM"],
    ["mknod", "a character device", [0, 0o020644], "EPERM"],
    ["mknod", "a device with bits the kernel drops", [0, 0x10000 | 0o020644], "EPERM"],
    ["mknod", "a file with set-user", [0, 0o104755], "EPERM"],
    ["mknod", "a file without a type, with set-user", [0, 0o4755], "EPERM"],
    ["mknod", "a file with set-group", [0, 0o102755], "allow"],
    ["mknodat", "a pipe", [-100, 0, 0o010644], "allow"],
    ["mknodat", "a device with set-user", [-100, 0, 0o024755], "EPERM"],
    ["mknodat", "a file with set-user", [-100, 0, 0o106755], "EPERM"],
    ["mknodat", "a block device", [-100, 0, 0o060644], "EPERM"],
    ["mknodat", "a character device", [-100, 0, 0o020644], "EPERM"],
    ["fchmodat", "any mode but set-user", [-100, 0, 0o3777], "allow"],
    ["fchmodat", "set-user", [-100, 0, 0o4755], "EPERM"],
    ["fchmodat2", "set-user", [-100, 0, 0o4755, 0], "EPERM"],
    ["fchmod", "any mode but set-user", [3, 0o2775], "allow"],
    ["fchmod", "set-user", [3, 0o6755], "EPERM"],
    ["openat", "a file that is there", [-100, 0, 0o2, 0o4755], "allow"],
    ["openat", "a new file", [-100, 0, 0o102, 0o755], "allow"],
    ["openat", "a new file with set-user", [-100, 0, 0o102, 0o4755], "EPERM"],
    ["openat", "a nameless file with set-user", [-100, 0, 0o20200002, 0o4755], "EPERM"],
    ["seccomp", "strict mode", [0, 0], "allow"],
    ["seccomp", "a further filter", [1, 0], "allow"],
    ["seccomp", "a further filter for all threads", [1, 1], "allow"],
    ["seccomp", "a listener", [1, 8], "EPERM"],
    ["seccomp", "a listener and more", [1, 0x19], "EPERM"],
    ["personality", "PER_LINUX", [0], "allow"],
    ["personality", "a query", [0xffff_ffff], "allow"],
    ["personality", "a query by -1", [-1], "allow"],
    ["personality", "ADDR_NO_RANDOMIZE", [0x0004_0000], "allow"],
    ["personality", "READ_IMPLIES_EXEC", [0x0040_0000], "EPERM"],
    ["personality", "PER_LINUX32", [8], "EPERM"],
    ["personality", "ADDR_NO_RANDOMIZE and MMAP_PAGE_ZERO", [0x0014_0000], "EPERM"],
    ["ioctl", "TCGETS", [0, 0x5401], "allow"],
    ["ioctl", "TIOCSCTTY", [0, 0x540e], "allow"],
    ["ioctl", "TIOCGWINSZ", [0, 0x5413], "allow"],
    ["ioctl", "FIONREAD", [0, 0x541b], "allow"],
    ["ioctl", "TIOCSTI", [0, 0x5412], "EPERM"],
    ["ioctl", "TIOCLINUX", [0, 0x541c], "EPERM"],
    ["ioctl", "TIOCSETD", [0, 0x5423], "EPERM"],
    ["ioctl", "TIOCEXCL", [0, 0x540c], "EPERM"],
    ["ioctl", "TCXONC", [0, 0x540a], "EPERM"],
    ["ioctl", "FICLONE", [0, 0x4004_9409], "allow"],
    ["ioctl", "BTRFS_IOC_SUBVOL_CREATE", [0, 0x5000_940e], "allow"],
    ["ioctl", "BTRFS_IOC_SNAP_CREATE", [0, 0x5000_9401], "EPERM"],
    ["ioctl", "BTRFS_IOC_SNAP_CREATE_V2", [0, 0x5000_9417], "EPERM"],
    ["ioctl", "BTRFS_IOC_SNAP_DESTROY", [0, 0x5000_940f], "EPERM"],
    ["ioctl", "BTRFS_IOC_SNAP_DESTROY_V2", [0, 0x5000_943f], "EPERM"],
    ["ioctl", "BCH_IOCTL_SUBVOLUME_CREATE", [0, 0x4020_bc10], "EPERM"],
    ["ioctl", "BCH_IOCTL_SUBVOLUME_CREATE_v2", [0, 0x4030_bc1d], "EPERM"],
    ["ioctl", "BCH_IOCTL_SUBVOLUME_DESTROY", [0, 0x4020_bc11], "EPERM"],
    ["ioctl", "BCH_IOCTL_SUBVOLUME_DESTROY_v2", [0, 0x4030_bc1e], "EPERM"],
    ["ioctl", "FS_IOC_GET_ENCRYPTION_KEY_STATUS", [0, 0xc080_661a], "allow"],
    ["ioctl", "FS_IOC_REMOVE_ENCRYPTION_KEY", [0, 0xc040_6618], "EPERM"],
    ["fcntl", "F_DUPFD_CLOEXEC", [0, 1030, 3], "allow"],
    ["fcntl", "F_SETLK", [0, 6, 0x1000], "allow"],
    ["fcntl", "F_GETLEASE", [0, 1025], "allow"],
    ["fcntl", "F_SETLEASE", [0, 1024, 1], "EPERM"],
    ["fcntl", "F_SETDELEG", [0, 1040, 0x1000], "EPERM"],
    ["setrlimit", "RLIMIT_CORE", [4, 0], "SUCCESS"],
    ["setrlimit", "RLIMIT_NOFILE", [7, 0], "allow"],
    ["setrlimit", "RLIMIT_CPU", [0, 0], "allow"],
    ["prlimit64", "RLIMIT_CORE and a new limit", [0, 4, 0x1000], "SUCCESS"],
    ["prlimit64", "RLIMIT_NOFILE and a new limit", [0, 7, 0x1000], "allow"],
    ["prlimit64", "RLIMIT_NOFILE and none", [0, 7, 0, 0x1000], "allow"],
  ];
  const known = byArgument.filter(([name]) =>
    numbersOf(deniedNumbers).some((c) => c.name === name),
  );
  it.each(known)("decides %s with %s", (name, _, args, answer) => {
    const nr = numbersOf(deniedNumbers).find((call) => call.name === name)?.nr ?? 0;
    expect(decide(arch, nr, args)).toBe(answer);
    const dodging = args.map((value) => BigInt.asUintN(32, BigInt(value)) | UPPER_HALF);
    expect(decide(arch, nr, dodging)).toBe(answer);
  });
});

describe.each(ARCHES)("the new limit of prlimit64 on %s", (arch) => {
  const core = (limit: bigint, upper = 0n) =>
    decide(arch, WITH_POINTER[arch], [0, upper | 4n, limit, 0x1000]);

  it("may be left out, to ask for the limit", () => {
    expect(core(0n)).toBe("allow");
    expect(core(0n, UPPER_HALF)).toBe("allow");
  });

  it.each([1n, 0x7fff_ffff_f000n, 1n << 32n, 1n << 63n, 0xffff_ffff_ffff_ffffn])(
    "is not set, wherever it lies: %i",
    (limit) => {
      expect(core(limit)).toBe("SUCCESS");
      expect(core(limit, UPPER_HALF)).toBe("SUCCESS");
    },
  );
});

describe("x32 calls", () => {
  it.each([0x4000_0000 | 39, 0x4000_0000 | 165, 0x4000_0000 | 520, 0x4000_0000, 512, 521, 547, -1])(
    "look absent on x64: %i",
    (nr) => {
      expect(decide("x64", nr)).toBe("ENOSYS");
    },
  );

  it.each([511, 548, 0x3fff_ffff])("do not take later calls with them: %i", (nr) => {
    expect(decide("x64", nr)).toBe("allow");
  });

  it("do not exist on arm64", () => {
    expect(decide("arm64", 512)).toBe("allow");
    expect(decide("arm64", 0x4000_0000)).toBe("allow");
  });
});

describe("any filter", () => {
  it("answers any call of any architecture with an action that has a name", () => {
    const check = fc.property(anyQuestion, anyCall, (question, call) => {
      expect(Object.values(ACTION)).toContain(answer(question, call));
    });
    fc.assert(check, campaign(5000));
  });

  it("allows every call that is in no table", () => {
    const check = fc.property(anyQuestion, anyNumber, anyArguments, (question, nr, args) => {
      const { arch } = question;
      const tabled = [...deniedNumbers.map((row) => row[arch]), ...SOCKETS[arch]];
      fc.pre(!tabled.includes(nr));
      fc.pre(arch === "arm64" || (nr >= 0 && nr < 512) || (nr >= 548 && nr < 0x4000_0000));
      expect(answer(question, { arch: AUDIT_ARCH[arch], nr, args })).toBe(ACTION.allow);
    });
    fc.assert(check, campaign(5000));
  });

  it("does not look at the upper half of an argument that is a number", () => {
    const check = fc.property(anyQuestion, anyCall, (question, call) => {
      fc.pre(call.nr !== WITH_POINTER[question.arch]);
      const args = call.args.map((value) => BigInt.asUintN(32, BigInt(value)));
      const dodging = args.map((value) => value | UPPER_HALF);
      const plain = answer(question, { ...call, args });
      expect(answer(question, { ...call, args: dodging })).toBe(plain);
    });
    fc.assert(check, campaign(5000));
  });
});

function answer(question: FilterQuestion, call: Parameters<typeof runFilter>[1]): number {
  return runFilter(assemble(filterFor(question)), call);
}
