/** Ways to take mounts away or to make others, and what a root caller is left with. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { onceFor } from "../../support/one-run.ts";
import {
  flagsOf,
  MODES,
  type Mode,
  profileFlags,
  WRITABLE_MODES,
} from "../../support/sandbox-modes.ts";
import { placeFor, USERS } from "../../support/sandbox-user.ts";
import { type Attempts, perl, stateOf, whatWorks } from "./support/path-attempts.ts";
import { call } from "./support/path-calls.ts";

const [NEW_USER, NEW_MOUNT, NEW_PID, NEW_NET] = [0x1000_0000, 0x2_0000, 0x2000_0000, 0x4000_0000];
const [BIND, REMOUNT, DETACH] = [4096, 32, 2];

/** New user and mount namespaces in which the mask is taken away, then the protected folder. */
const DROP_MASK =
  "unshare --user --map-root-user --mount sh -c 'umount -l .git; mv .git gone; mkdir -p .git/hooks; touch .git/hooks/pre-commit'";

/** No user map is needed to make a leaf the root and to let go of all the rest. */
const PIVOT = `unshare --user --mount sh -c 'mount --bind sub sub; cd sub; ${call("pivot_root", ".", ".")}; umount -l /'`;

const NAMESPACES: Attempts = {
  "A11 drop the mask": DROP_MASK,
  "A11 pivot": PIVOT,
  "A11 umount": "umount -l .git",
  "A11 umount by call": call("umount2", ".git", DETACH),
  "A11 pivot_root": call("pivot_root", ".", "."),
  "A11 chroot": call("chroot", "."),
  "A12 bind": call("mount", "sub", ".git", "none", BIND, 0),
  "A12 writable again": call("mount", "none", ".git", "none", BIND | REMOUNT, 0),
  "A12 tmpfs": call("mount", "none", "sub", "tmpfs", 0, 0),
  "A12 open_tree": call("open_tree", -100, ".git", 1),
  "A12 move_mount": call("move_mount", -100, ".git", -100, "sub", 0),
  "A12 fsopen": call("fsopen", "tmpfs", 0),
  "A12 fspick": call("fspick", -100, "/", 0),
  "A12 mount_setattr": call("mount_setattr", -100, ".git", 0, { zeros: 32 }, 32),
  "A13 unshare user": call("unshare", NEW_USER),
  "A13 unshare mount": call("unshare", NEW_MOUNT),
  "A13 unshare both": call("unshare", NEW_USER | NEW_MOUNT),
  "A13 unshare pid": call("unshare", NEW_PID),
  "A13 unshare net": call("unshare", NEW_NET),
  "A13 clone": perl(
    `my $p = syscall(${process.arch === "arm64" ? 220 : 56}, ${NEW_USER} | 17, 0, 0, 0, 0); exit 0 if defined $p && $p >= 0; exit 1`,
  ),
  "A13 clone3": call("clone3", { zeros: 88 }, 88),
  "A13 setns": perl(
    `sysopen(N, "/proc/self/ns/user", O_RDONLY) or exit 1; exit(syscall(${process.arch === "arm64" ? 268 : 308}, fileno(N), 0) < 0 ? 1 : 0)`,
  ),
  "A13 nsenter": "nsenter --target 1 --mount true",
};

/** What is there for a sandbox in a sandbox. */
const NESTED: Attempts = {
  bwrap: "/usr/bin/bwrap --ro-bind / / true",
  "bwrap with a user namespace": "/usr/bin/bwrap --unshare-user --bind / / --dev /dev true",
};

/** Opened for writing only: nothing is written should one open. "pressure" is for all to ask, and asked by writing. */
const OPEN_ANY = `use File::Find; my @open; find({ no_chdir => 1, wanted => sub {
  if (m{^/proc/([0-9]+|self|thread-self|pressure)$} || m{^/sys/(kernel/slab|devices|bus|module)$}) { $File::Find::prune = 1; return }
  push @open, $_ if -f $_ && !-l $_ && sysopen(my $h, $_, O_WRONLY | O_NONBLOCK) } }, grep { -d } "/proc", "/sys");
  print STDERR "@open"; exit(@open ? 0 : 1)`;

const CORE_PATTERN = "/proc/sys/kernel/core_pattern";

const KERNEL: Attempts = {
  "any file": perl(OPEN_ANY),
  core_pattern: `echo x > ${CORE_PATTERN}`,
  sysctl: "echo 1 > /proc/sys/vm/drop_caches",
  sysrq: "echo h > /proc/sysrq-trigger",
  "writable again": call("mount", "none", "/proc/sys", "none", BIND | REMOUNT, 0),
};

const HOST_MOUNTS: Attempts = {
  "first process": "cat /proc/1/mountinfo || ls /proc/1/root/ || ls /proc/1/fd/",
  "old root": "ls -d /oldroot /newroot /.old-root",
};

const CONTROLS = {
  namespaces: { "control call": call("getpid"), "control read": "ls .git/hooks" },
  kernel: {
    "control kernel": "echo 500 > /proc/self/oom_score_adj && cat /proc/sys/kernel/ostype",
  },
  mounts: { "control mounts": "grep -q ' / ' /proc/self/mountinfo" },
} as const;

/** All of them in a mode; what worked of those given, and the state of the host before. */
const tried = onceFor((place, mode: Mode) => {
  const flags = flagsOf(mode, place);
  const git = path.join(place.workspace, ".git");
  for (const folder of [".git/hooks", "sub"])
    fs.mkdirSync(path.join(place.workspace, folder), { recursive: true });
  place.give();
  const before = { git: stateOf(git), core: fs.readFileSync(CORE_PATTERN, "utf8") };
  const attacks = { ...NAMESPACES, ...NESTED, ...KERNEL, ...HOST_MOUNTS };
  const controls = { ...CONTROLS.namespaces, ...CONTROLS.kernel, ...CONTROLS.mounts };
  const worked = whatWorks(place, { ...attacks, ...controls }, flags);
  const workedOf = (...tries: Attempts[]) =>
    worked.filter((name) => tries.some((one) => name in one));
  return { git, before, workedOf };
});

describe.each(USERS)("mounts and namespaces, as %s", (user) => {
  it.each(MODES)("A11 A12 A13 cannot be made, moved or taken away in mode %s", (mode) => {
    const { git, before, workedOf } = tried(user, mode);
    const controls = CONTROLS.namespaces;
    expect(workedOf(NAMESPACES, NESTED, controls)).toEqual(Object.keys(controls));
    expect(stateOf(git)).toEqual(before.git);
  });

  it("keeps no capability, in no set, and can get none", () => {
    const { sh } = placeFor(user);
    const sets = sh("grep ^Cap /proc/self/status; grep NoNewPrivs /proc/self/status").stdout;
    const none = ["Inh", "Prm", "Eff", "Bnd", "Amb"].map((set) => `Cap${set}:\t0000000000000000`);
    expect(sets.trim().split("\n")).toEqual([...none, "NoNewPrivs:\t1"]);
  });

  it.each(MODES)("changes nothing of the kernel below /proc and /sys in mode %s", (mode) => {
    const { before, workedOf } = tried(user, mode);
    expect(workedOf(KERNEL, CONTROLS.kernel)).toEqual(Object.keys(CONTROLS.kernel));
    expect(fs.readFileSync(CORE_PATTERN, "utf8")).toBe(before.core);
  });

  it("reopens a read inside what is hidden, without a capability to get there", () => {
    const place = placeFor(user);
    fs.mkdirSync(path.join(place.workspace, "s/deep/open"), { recursive: true });
    for (const file of ["s/key", "s/deep/key", "s/deep/open/f"]) {
      fs.writeFileSync(path.join(place.workspace, file), "text");
    }
    place.give();
    const before = stateOf(path.join(place.workspace, "s"));
    const toml = `extends = ":workspace"\n[filesystem.":workspace_roots"]\n"s" = "deny"\n"s/deep/open" = "read"\n`;
    const tries = {
      key: "cat s/key",
      "deep key": "cat s/deep/key",
      list: "ls s",
      "list deep": "ls s/deep",
      write: "echo x > s/deep/open/f",
      "new": "touch s/new || touch s/deep/new || touch s/deep/open/new",
      rename: "mv s t || mv s/deep t || mv s/deep/open t",
      "control read": "grep -q text s/deep/open/f",
      "control list": "ls s/deep/open",
      "control write": "touch beside",
    };
    const worked = whatWorks(place, tries, profileFlags(place.outside, "reopened", toml));
    expect(worked).toEqual(["control read", "control list", "control write"]);
    expect(stateOf(path.join(place.workspace, "s"))).toEqual(before);
  });

  it("refuses more masks than a plan may have, by name and number, and runs with fewer", () => {
    const place = placeFor(user);
    const entries = (count: number) =>
      Array.from({ length: count }, (_, index) => `"d/${index}" = "deny"`).join("\n");
    for (let index = 0; index < 300; index += 1) {
      fs.mkdirSync(path.join(place.workspace, `d/${index}`), { recursive: true });
      fs.writeFileSync(path.join(place.workspace, `d/${index}/f`), "secret\n");
    }
    place.give();
    const flags = (count: number) =>
      profileFlags(
        place.outside,
        `many-${count}`,
        `extends = ":workspace"\n[filesystem.":workspace_roots"]\n${entries(count)}\n`,
      );
    const { status, stderr, stdout } = place.sh("echo ran", flags(300));
    expect({ status, stdout }).toEqual({ status: 125, stdout: "" });
    expect(stderr).toMatch(/needs \d{3} mounts, expected at most 256/);
    const few = place.sh("cat d/*/f 2>/dev/null | grep -c secret", flags(80));
    expect(few.stdout).toBe("220\n");
  });

  it.each(WRITABLE_MODES)("shows the mounts of the host to nobody in mode %s", (mode) => {
    const { workedOf } = tried(user, mode);
    expect(workedOf(HOST_MOUNTS, CONTROLS.mounts)).toEqual(Object.keys(CONTROLS.mounts));
  });
});
