/**
 * Asks this host, once, what it can enforce with.
 *
 * bubblewrap is looked up in fixed places only: a program that a command could
 * have planted on the PATH, in the working directory or in a writable root
 * must never become the thing that confines it. Every probe has a time-out.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";

/** One thing the kernel or the system must offer, with what to do when it does not. */
export interface Primitive {
  readonly name: string;
  readonly present: boolean;
  readonly detail: string;
  /** The shortest command that would change the answer; nothing when it is present or nothing helps. */
  readonly fix?: string;
}

export interface HostFacts {
  /** An absolute path; nothing when there is none that can be trusted. */
  readonly bwrap: string | undefined;
  readonly arch: string;
  readonly uid: number;
  readonly primitives: readonly Primitive[];
}

const PLACES = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"];
const TIMEOUT_MS = 5000;

let known: HostFacts | undefined;

/** The facts about this host; probed at the first call. */
export function probeHost(): HostFacts {
  known ??= probe();
  return known;
}

/** Where bubblewrap is, found without starting anything; nothing when none can be trusted. */
export function locateBubblewrap(): {
  readonly path: string | undefined;
  readonly primitive: Primitive;
} {
  const place = PLACES.find((one) => existsSync(one));
  const name = "bubblewrap";
  if (place === undefined) {
    const detail = `not in ${PLACES.join(", ")}`;
    const primitive = { name, present: false, detail, fix: "apt-get install bubblewrap" };
    return { path: undefined, primitive };
  }
  if ((statSync(place).mode & 0o4000) !== 0) {
    const primitive = {
      name,
      present: false,
      detail: `${place} is setuid`,
      fix: `chmod u-s ${place}`,
    };
    return { path: undefined, primitive };
  }
  return { path: place, primitive: { name, present: true, detail: place } };
}

function probe(): HostFacts {
  const { path: bwrap, primitive } = locateBubblewrap();
  return {
    bwrap,
    arch: process.arch,
    uid: process.getuid?.() ?? -1,
    primitives: [
      ...(bwrap === undefined ? [primitive] : [versionOf(bwrap), ...namespaceProbes(bwrap)]),
      probeSeccomp(),
    ],
  };
}

function versionOf(bwrap: string): Primitive {
  const { stdout } = spawnSync(bwrap, ["--version"], { encoding: "utf8", timeout: TIMEOUT_MS });
  const detail = `${bwrap}, ${stdout?.trim() || "version unknown"}`;
  return { name: "bubblewrap", present: true, detail };
}

/** Each is tried for real: a file that says "allowed" is not a namespace. */
function namespaceProbes(bwrap: string): Primitive[] {
  const attempts = [
    { name: "user namespaces", flags: ["--unshare-user"], fix: userNamespaceFix() },
    { name: "network namespaces", flags: ["--unshare-user", "--unshare-net"] },
    { name: "process namespaces", flags: ["--unshare-user", "--unshare-pid", "--proc", "/proc"] },
    { name: "cgroup namespaces", flags: ["--unshare-user", "--unshare-cgroup"] },
  ];
  return attempts.map(({ name, flags, fix }) => {
    const { status, stderr } = spawnSync(bwrap, ["--ro-bind", "/", "/", ...flags, "/bin/true"], {
      encoding: "utf8",
      timeout: TIMEOUT_MS,
      env: {},
    });
    const present = status === 0;
    const detail = present ? "works" : stderr.trim().split("\n")[0] || "timed out";
    return { name, present, detail, ...(!present && fix !== undefined && { fix }) };
  });
}

function userNamespaceFix(): string | undefined {
  const restricted = readSysctl("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") === "1";
  if (restricted) return "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0";
  const disabled = readSysctl("/proc/sys/kernel/unprivileged_userns_clone") === "0";
  return disabled ? "sysctl -w kernel.unprivileged_userns_clone=1" : undefined;
}

function probeSeccomp(): Primitive {
  const actions = readSysctl("/proc/sys/kernel/seccomp/actions_avail");
  const present = actions?.includes("errno") ?? false;
  return { name: "seccomp", present, detail: present ? "filters work" : "no filter support" };
}

function readSysctl(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return undefined;
  }
}
