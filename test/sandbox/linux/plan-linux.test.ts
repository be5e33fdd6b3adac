/**
 * The whole plan of typical requests, one flag a line.
 *
 * A text shows a change, not that it is right: each one names the test on a
 * kernel that does the same for real, and that test must exist.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseAbsolutePath as at, type BoundProfile } from "../../../src/policy/index.ts";
import type { LaunchPlan, LaunchRequest } from "../../../src/sandbox/launch-plan.ts";
import { type LinuxHost, planLinux } from "../../../src/sandbox/linux/plan-linux.ts";
import { boundWith, type Rule } from "../../policy/support/profiles.ts";
import { fileTree } from "../support/file-tree.ts";

const GOLDEN = path.join(import.meta.dirname, "golden");
const REPOSITORY = path.resolve(import.meta.dirname, "../../..");

const HOST: LinuxHost = {
  bwrap: at("/usr/bin/bwrap"),
  arch: "x64",
  files: {
    ...fileTree(
      "/r/.git/",
      "/r/docs/private/public/",
      "/r/log.txt",
      "/var/u/.writ/",
      "/opt/writ/dist/",
      "/usr/bin/bwrap",
      "/usr/bin/setsid",
      "/etc/",
      "/tmp/.X11-unix/",
      "/run/",
      "/srv/daemon.sock",
      "/proc/keys",
      ["/bin", "usr/bin"],
    ),
    sockets: () => [at("/run/dbus/socket"), at("/srv/daemon.sock")],
  },
  own: { hidden: [at("/var/u/.writ")], readOnly: [at("/opt/writ/dist")] },
  uid: 1000,
  limitMeans: undefined,
  propagation: "private",
  coreDumps: "none",
  sessionFiles: [],
  shell: undefined,
};

const MEANS: NonNullable<LinuxHost["limitMeans"]> = {
  groups: { memory: { version: 2, parent: "/sys/fs/cgroup/own" } },
  prlimit: "/usr/bin/prlimit",
  countsPerSandbox: true,
  nsenter: undefined,
  ceilings: { nofile: 1024, fsize: Number.POSITIVE_INFINITY, nproc: 4096, cpu: 3600 },
};

const READ_ONLY: readonly Rule[] = [[":root", "read"]];
const WORKSPACE: readonly Rule[] = [...READ_ONLY, [":workspace_roots", "write"]];
const CARVE_OUT: readonly Rule[] = [
  ...WORKSPACE,
  ["/r/docs", "read"],
  ["/r/docs/private", "deny"],
  ["/r/docs/private/public", "write"],
];

const RULES = { mode: "limited", domains: {}, unixSockets: {}, allowLocalBinding: false } as const;

interface Case {
  /** The test on a kernel, as `file > title`. */
  readonly twin: string;
  readonly profile: BoundProfile;
  readonly host?: Partial<LinuxHost>;
  readonly request?: Partial<LaunchRequest>;
}

const ON_KERNEL = "test/os/run-plans.test.ts > with";

const CASES: Readonly<Record<string, Case>> = {
  "read-only": {
    twin: "test/os/run-files.test.ts > lets a read-only command read and not write",
    profile: boundWith(READ_ONLY),
  },
  "workspace-write": {
    twin: "test/os/run-files.test.ts > lets a workspace command write in the workspace and nowhere beside it",
    profile: boundWith([...WORKSPACE, [":slash_tmp", "write"]]),
  },
  "restricted-read": {
    twin: "test/os/run-files.test.ts > shows nothing but what restricted reads name, and no scratch space in its place",
    profile: boundWith([
      [":minimal", "read"],
      ["/bin", "read"],
      ["/r", "read"],
    ]),
  },
  "carve-out": {
    twin: "test/os/spec-cases/access.test.ts > case 1: the narrowest rule decides at every level",
    profile: boundWith(CARVE_OUT),
  },
  "writable-file": {
    twin: "test/os/spec-cases/places.test.ts > case 26: a single writable file works, with which Codex does not start",
    profile: boundWith([...READ_ONLY, ["/r/log.txt", "write"]]),
  },
  "network-on": {
    twin: `${ON_KERNEL} the network on reaches the host, and still no file outside`,
    profile: { ...boundWith(READ_ONLY), network: { kind: "enabled" } },
  },
  terminal: {
    twin: `${ON_KERNEL} a terminal gives the command a session of its own on it`,
    profile: boundWith(READ_ONLY),
    request: { terminal: "pty" },
  },
  "private-sockets": {
    twin: `${ON_KERNEL} private sockets has its own, and reaches none of the host's`,
    profile: { ...boundWith(READ_ONLY), unixSockets: "private" },
  },
  "shared-propagation": {
    twin: "test/os/run-plans.test.ts > where mounts are shared does not see what the host mounts while it runs",
    profile: boundWith(READ_ONLY),
    host: { propagation: "shared" },
  },
  limits: {
    twin: "test/os/limits.test.ts > let a command be that stays below",
    profile: {
      ...boundWith(READ_ONLY),
      limits: { wallTimeMs: 1000, memoryBytes: 1 << 20, processes: 20, openFiles: 4096 },
    },
    host: { limitMeans: MEANS },
  },
  "unrestricted-files": {
    twin: "test/os/spec-cases/places.test.ts > case 74: unrestricted files without a network, in namespaces where Codex has only a filter",
    profile: { ...boundWith(READ_ONLY), files: { type: "unrestricted" } },
  },
  root: {
    twin: "test/os/run-process.test.ts > keeps the kernel's settings from being written, also for root",
    profile: boundWith(READ_ONLY),
    host: {
      uid: 0,
      files: { ...HOST.files, ...fileTree("/r/", "/usr/bin/bwrap", "/proc/keys", "/proc/kcore") },
    },
  },
};

/** The text of a plan: flags with their words, then what goes with them. */
function textOf({ twin }: Case, plan: LaunchPlan): string {
  const end = plan.argv.indexOf("--");
  const flags = plan.argv
    .slice(0, end)
    .map((word) => (word.startsWith("--") ? `\n${word}` : ` ${word}`));
  const command = plan.argv.slice(end).join(" ");
  const about = [
    ...plan.prefix.map((word) => `prefix ${word}`),
    ...plan.descriptors.map((one, index) => `descriptor ${index + 3} ${contentsOf(one)}`),
    ...plan.placeholders.map((one) => `placeholder ${one.kind} ${one.path}`),
    ...plan.watched.map((one) => `watched ${one}`),
    ...plan.expectedMounts.map((one) => `expected ${one.readOnly ? "ro" : "rw"} ${one.path}`),
    ...(plan.limits?.applied ?? []).map((one) => `limit ${one.limit} ${one.value} by ${one.by}`),
    ...(plan.limits?.rlimits ?? []).map((one) => `rlimit ${one.resource} ${one.value}`),
  ];
  return `# twin: ${twin}\n${flags.join("").trim()}\n${command}\n\n${about.join("\n")}\n`;
}

/** The filter has tests of its own. */
function contentsOf(one: LaunchPlan["descriptors"][number]): string {
  if (one.kind === "path") return `path ${one.path}`;
  return one.kind === "arguments" ? `arguments ${one.words.join(" ")}` : one.kind;
}

const COMMAND = { command: ["/bin/echo", "hi"], cwd: at("/r"), env: { LANG: "C" } } as const;

function planFor({ profile, host, request }: Case): LaunchPlan {
  return planLinux({ ...COMMAND, terminal: "none", ...request, profile }, { ...HOST, ...host });
}

describe("the plan", () => {
  it.each(Object.entries(CASES))("of %s is the one on record", async (name, one) => {
    const text = textOf(one, planFor(one));
    await expect(text).toMatchFileSnapshot(path.join(GOLDEN, `${name}.txt`));
  });

  it("on record belongs to a case", () => {
    const names = readdirSync(GOLDEN).map((file) => path.basename(file, ".txt"));
    expect(names.toSorted()).toEqual(Object.keys(CASES).toSorted());
  });

  it.each(readdirSync(GOLDEN))("on record in %s has a twin on a kernel", (file) => {
    const text = readFileSync(path.join(GOLDEN, file), "utf8");
    const [, twin = "", title = ""] =
      /^# twin: (test\/os\/\S+\.test\.ts) > (.+)\n/.exec(text) ?? [];
    expect({ file, exists: existsSync(path.join(REPOSITORY, twin)) }).toEqual({
      file,
      exists: true,
    });
    const source = readFileSync(path.join(REPOSITORY, twin), "utf8");
    expect({ title, found: source.includes(`"${title}"`) }).toEqual({ title, found: true });
  });

  it("is the same twice, and asks nothing of the host it runs on", () => {
    for (const one of Object.values(CASES)) {
      expect(textOf(one, planFor(one))).toBe(textOf(one, planFor(one)));
    }
  });
});

describe("a request", () => {
  it.each<[string, Partial<LaunchRequest>, Partial<BoundProfile>, string]>([
    ["in a folder that is missing", { cwd: at("/gone") }, {}, "/gone"],
    ["in a file", { cwd: at("/r/log.txt") }, {}, "not a folder"],
    ["in a hidden folder", { cwd: at("/r/docs/private") }, {}, "hides"],
    ["with limits that were not looked into", {}, { limits: { openFiles: 8 } }, "openFiles"],
    ["for a sandbox of somebody else", {}, { enforcement: "external" }, "external"],
    ["with network rules", {}, { network: { kind: "ruled", all: [RULES] } }, "network rules"],
  ])("%s is refused", (_, request, more, why) => {
    const profile = { ...boundWith(CARVE_OUT), ...more };
    expect(() => planFor({ twin: "", profile, request })).toThrow(
      expect.objectContaining({ code: "unenforceableRule", message: expect.stringContaining(why) }),
    );
  });

  it.each([
    ["it", "/home/you/.writ"],
    ["a folder in it", "/home/you/.writ/skills"],
  ])("in %s that is writ's own is refused, not started where it cannot see", (_, cwd) => {
    const files = fileTree("/home/you/.writ/skills/", "/usr/bin/bwrap");
    const own = { hidden: [at("/home/you/.writ")], readOnly: [] };
    const one = { twin: "", profile: boundWith(READ_ONLY), host: { files, own } };
    expect(() => planFor({ ...one, request: { cwd: at(cwd) } })).toThrow(
      `Cannot start in "${cwd}": it is writ's own, which no command sees, expected another folder`,
    );
  });

  it("in a folder that its commands may not enter is refused", () => {
    const closed = fileTree("/srv/other/ws/", "/usr/bin/bwrap");
    const files = { ...closed, closedTo: () => "/srv/other" };
    const one = { twin: "", profile: boundWith(READ_ONLY), host: { files } };
    expect(() => planFor({ ...one, request: { cwd: at("/srv/other/ws") } })).toThrow(
      'Cannot start in "/srv/other/ws": commands of this user may not enter "/srv/other"',
    );
  });

  it("in one that is hidden under every policy is refused", () => {
    const disk = fileTree("/srv/rootfs/sys/", "/usr/bin/bwrap");
    const files = { ...disk, kernelMounts: () => [at("/srv/rootfs/sys")] };
    const one = { twin: "", profile: boundWith(READ_ONLY), host: { files } };
    expect(() => planFor({ ...one, request: { cwd: at("/srv/rootfs/sys") } })).toThrow(
      /it is one of the kernel's or of daemons, which no command sees/,
    );
  });

  it("for a terminal is refused where the policy hides the program that gives it", () => {
    const profile = boundWith([...READ_ONLY, ["/usr/bin/setsid", "deny"]]);
    expect(() => planFor({ twin: "", profile, request: { terminal: "pty" } })).toThrow(/setsid/);
  });

  it("starts where its folder really is", () => {
    const files = fileTree("/r/", "/usr/bin/bwrap", ["/way", "r"]);
    const one = { twin: "", profile: boundWith(READ_ONLY), host: { files } };
    expect(planFor({ ...one, request: { cwd: at("/way") } }).cwd).toBe("/r");
  });

  it("cannot replace its own launcher: bubblewrap is read-only where the disk is writable", () => {
    const { watched } = planFor({ twin: "", profile: boundWith([[":root", "write"]]) });
    expect(watched).toContain("/usr/bin/bwrap");
  });
});
