/** E10, E11, E12, C10: what the kernel shows as files, the launcher, and what a crash leaves. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { inOneRun, onceFor } from "../../support/one-run.ts";
import { flagsOf, profileFlags } from "../../support/sandbox-modes.ts";
import { type Place, placeFor, USERS } from "../../support/sandbox-user.ts";

/** Opens for writing, and writes nothing, every file of the kernel but those of processes. */
const OPEN_ALL = `
  use Fcntl;
  my ($tried, @opened) = (0);
  sub look {
    my ($path) = @_;
    return if -l $path || $path =~ m{^/proc/\\d+$};
    if (-d _) {
      opendir my $folder, $path or return;
      look("$path/$_") for sort grep { !/^\\.\\.?$/ } readdir $folder;
      return;
    }
    $tried++;
    sysopen(my $file, $path, O_WRONLY | O_NONBLOCK | O_NOCTTY) and push @opened, $path;
  }
  look($_) for "/proc", "/sys", "/proc/$$/net", "/proc/$$/ns";
  print "tried many\\n" if $tried > 100;
  print "$_\\n" for @opened;
  sysopen(my $control, "/proc/self/comm", O_WRONLY) and print "control\\n";
`;

/** Watches the host's load for as long as it is open: it changes nothing. */
const HARMLESS = /^\/proc\/pressure\/(cpu|io|memory|irq)$/;

const ROOT_WRITABLE = `[filesystem]
":root" = "write"
`;

const CONTROL_GROUPS = `
  names='-name cgroup.procs -o -name tasks -o -name release_agent -o -name notify_on_release'
  echo looked $(find /sys/fs/cgroup $names 2> /dev/null | head -1 | wc -l)
  for file in $(find /sys/fs/cgroup $names 2> /dev/null | head -200); do
    (exec 3>> $file) 2> /dev/null && echo $file
  done
  mkdir /sys/fs/cgroup/writ-escape 2> /dev/null && echo made
  cat /proc/self/cgroup > /dev/null && echo control
`;

const KERNEL_MODES = ["workspace-write", "network-on", "restricted-read", "root-writable"] as const;
type KernelMode = (typeof KERNEL_MODES)[number];

function flagsIn(mode: KernelMode, place: Place): string[] {
  if (mode !== "root-writable") return flagsOf(mode, place);
  return profileFlags(place.outside, mode, ROOT_WRITABLE);
}

const tried = onceFor((place, mode: KernelMode) => {
  const flags = flagsIn(mode, place);
  return inOneRun((command) => place.run(["run", ...flags, "--", ...command]), {
    files: ["/usr/bin/perl", "-e", OPEN_ALL],
    groups: CONTROL_GROUPS,
  });
});

describe.each(USERS)("for %s", (user) => {
  it.each(KERNEL_MODES)("E12 opens no file of the kernel that changes the host in %s", (mode) => {
    const { stdout } = tried(user, mode).files;
    const [many, ...opened] = stdout.trimEnd().split("\n");
    expect(many).toBe("tried many");
    expect(opened.filter((file) => !HARMLESS.test(file))).toEqual(["control"]);
  });

  it.each(KERNEL_MODES)("E11 leaves its control group to nobody inside in %s", (mode) => {
    const { stdout } = tried(user, mode).groups;
    // Where nothing but the minimum is shown, there is nothing to look at.
    const looked = existsSync("/sys/fs/cgroup/cgroup.procs") || existsSync("/sys/fs/cgroup/pids");
    const found = looked && mode !== "restricted-read" ? 1 : 0;
    expect(stdout).toBe(`looked ${found}\ncontrol\n`);
    expect(existsSync("/sys/fs/cgroup/writ-escape")).toBe(false);
  });

  it("E10 takes no launcher from the PATH or from the folder it starts in", () => {
    const place = placeFor(user);
    const planted = `#!/bin/sh\ntouch ${place.outside}/planted\n`;
    writeFileSync(path.join(place.workspace, "bwrap"), planted, { mode: 0o755 });
    const [program = "", ...args] = place.argv(["run", "--sandbox", "workspace-write", "--"]);
    const { stdout } = spawnSync(program, [...args, "/bin/echo", "confined"], {
      cwd: place.workspace,
      env: { ...place.env, PATH: `${place.workspace}:.:${place.env.PATH}` },
      encoding: "utf8",
    });
    expect(stdout).toBe("confined\n");
    expect(existsSync(path.join(place.outside, "planted"))).toBe(false);
  });

  it.each([
    ["that runs as its owner", 0o4755],
    ["that everybody may replace", 0o777],
  ])("E10 refuses a launcher %s", (_, mode) => {
    const place = placeFor(user);
    const launcher = path.join(place.outside, "bwrap");
    copyFileSync("/usr/bin/bwrap", launcher);
    const run = [...place.argv(["run", "--sandbox", "workspace-write", "--"]), "/bin/echo", "ran"];
    chmodSync(launcher, mode);
    const script = `mount --bind ${launcher} /usr/bin/bwrap && exec "$@"`;
    const { status, stdout, stderr } = spawnSync(
      "unshare",
      [...(user === "root" || isRoot ? ["-m"] : ["-rm"]), "sh", "-c", script, "sh", ...run],
      { cwd: place.workspace, env: place.env, encoding: "utf8" },
    );
    expect({ status, stdout }).toEqual({ status: 125, stdout: "" });
    expect(stderr).toMatch(/bubblewrap|bwrap/);
  });

  it("C10 leaves no memory of a program that crashed, and lets nobody change that", () => {
    const place = placeFor(user);
    const script = `
      ulimit -c unlimited && prlimit --core=4096 > /dev/null 2>&1
      grep '^Max core' /proc/self/limits
      sh -c 'kill -SEGV $$'; echo status $?
    `;
    const [program = "", ...args] = place.argv(["run", "--sandbox", "workspace-write", "--"]);
    const command = [program, ...args, "/bin/sh", "-c", script];
    // A caller whose own crashes leave files.
    const { stdout } = spawnSync("prlimit", ["--core=unlimited:unlimited", ...command], {
      cwd: place.workspace,
      env: place.env,
      encoding: "utf8",
    });
    expect(stdout).toMatch(/^Max core file size +1 +1 +bytes +\nstatus 139\n$/);
    expect(readdirSync(place.workspace).filter((name) => name.startsWith("core"))).toEqual([]);
  });

  it("C10 lets programs ask for the limit, and set others", () => {
    const place = placeFor(user);
    const script = "ulimit -c 0; ulimit -n 99; ulimit -n; grep -c '^Max core' /proc/self/limits";
    expect(place.sh(script)).toMatchObject({ status: 0, stdout: "99\n1\n", stderr: "" });
  });

  it("C10 leaves the receipt to the limits of the profile", () => {
    const place = placeFor(user);
    const file = path.join(place.outside, "receipt.json");
    const [program = "", ...args] = place.argv(["run", "--sandbox", "workspace-write"]);
    spawnSync("prlimit", ["--core=9:9", program, ...args, "--receipt", file, "--", "/bin/true"], {
      cwd: place.workspace,
      env: place.env,
    });
    expect(JSON.parse(readFileSync(file, "utf8")).enforced.limits).toEqual([]);
  });
});

const isRoot = process.getuid?.() === 0;
