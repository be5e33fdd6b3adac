/** What the doctor finds on the kernel under the tests, and on hosts that were broken on purpose. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { ACTION } from "../../src/sandbox/linux/seccomp/action.ts";
import { assemble } from "../../src/sandbox/linux/seccomp/assemble.ts";
import { placeFor, type Ran, type SandboxUser, USERS } from "./support/sandbox-user.ts";

const NEEDED = 7;

interface Broken {
  /** A program and its arguments that start what follows them on a host that lacks something. */
  readonly host: readonly string[];
  readonly place: ReturnType<typeof placeFor>;
  readonly path?: string;
}

/** The doctor on a host that another program makes, for the same user. */
function doctorOn({ host, place, path: PATH = place.env.PATH ?? "" }: Broken): Ran {
  const words = place.argv(["doctor"]);
  const at = words.findIndex((word) => word.endsWith("/bin/writ"));
  const [program = "", ...args] = [...words.slice(0, at), ...host, ...words.slice(at)];
  return spawnSync(program, args, {
    cwd: place.workspace,
    env: { ...place.env, PATH },
    encoding: "utf8",
    timeout: 40_000,
  });
}

/** In a user namespace of its own the kernel lets everybody lower these limits. */
const without = (kind: string) => [
  ...["/usr/bin/unshare", "-Ur", "/bin/sh", "-c"],
  `echo 0 >/proc/sys/user/max_${kind}_namespaces && exec "$@"`,
  "sh",
];

/** Another file in the place of bubblewrap. */
const withBubblewrap = (file: string) => [
  ...["/usr/bin/unshare", "-Urm", "/bin/sh", "-c"],
  `mount --bind "$0" /usr/bin/bwrap && exec "$@"`,
  file,
];

/** A program that notes that it ran, with the number of its process. */
function plant(folder: string, mode: number, then = ":"): { file: string; ran: string } {
  const [file, ran] = [path.join(folder, "bwrap"), path.join(folder, "ran")];
  writeFileSync(file, `#!/bin/sh\necho $$ >>${ran}\n${then}\n`);
  chmodSync(file, mode);
  return { file, ran };
}

/** One that ended may wait a while for its new parent to collect it. */
function isRunning(pid: string): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

const missingIn = ({ stdout }: Ran) =>
  [...stdout.matchAll(/^ {2}missing {2}(\S+( \S+)*)/gm)].map(([, name]) => name);

describe.each(USERS)("writ doctor as %s", (user: SandboxUser) => {
  it("finds everything that is needed, on one screen and without colours", () => {
    const { status, stdout, stderr } = placeFor(user).run(["doctor"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toBe("Commands can be confined on this host: tier namespaces.");
    expect(lines.slice(2, 2 + NEEDED).filter((line) => !line.startsWith("  ok "))).toEqual([]);
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).not.toContain("\u001b");
  });

  it("gives the same as JSON", () => {
    const { status, stdout } = placeFor(user).run(["doctor", "--json"]);
    expect(status).toBe(0);
    const facts = JSON.parse(stdout);
    expect(facts).toMatchObject({
      tier: "namespaces",
      bwrap: "/usr/bin/bwrap",
      arch: process.arch,
    });
    const needed = facts.primitives.filter(({ level }: { level: string }) => level === "needed");
    expect(needed).toHaveLength(NEEDED);
  });

  it("says inside a sandbox that it is inside one, and exits 1", () => {
    const place = placeFor(user);
    const writ = place.argv(["doctor"]).find((word) => word.endsWith("/bin/writ"));
    const ran = place.sh(`${writ} doctor`);
    expect(ran.status).toBe(1);
    expect(ran.stdout).toContain("Commands cannot be confined on this host");
    expect(ran.stdout).toMatch(/missing {2}user namespaces +writ is inside a sandbox itself\n/);
  });

  it.each([
    ["user", "user namespaces", NEEDED - 2],
    ["net", "network namespaces", 1],
    ["pid", "process namespaces", 1],
    ["ipc", "other namespaces", 1],
  ])("notices that max_%s_namespaces is 0", (kind, name, lacks) => {
    const ran = doctorOn({ host: without(kind), place: placeFor(user) });
    expect(ran.status).toBe(1);
    const missing = missingIn(ran).filter((one) => /namespaces|filters|bubblewrap/.test(one ?? ""));
    expect(missing[0]).toBe(name);
    expect(missing).toHaveLength(lacks);
    expect(ran.stdout).toContain(`fix  sysctl -w user.max_${kind}_namespaces=15000`);
  });

  it("notices that no filter can be installed", () => {
    const place = placeFor(user);
    const ran = doctorOn({ host: withoutFilters(place.outside), place });
    expect(ran.status).toBe(1);
    expect(missingIn(ran)).toContain("system call filters");
    expect(missingIn(ran)).not.toContain("user namespaces");
  });

  it("refuses a setuid bubblewrap and does not start it", () => {
    const place = placeFor(user);
    const { file, ran } = plant(place.outside, 0o4755);
    const doctor = doctorOn({ host: withBubblewrap(file), place });
    expect(doctor.status).toBe(1);
    expect(doctor.stdout).toContain("/usr/bin/bwrap is setuid");
    expect(existsSync(ran)).toBe(false);
  });

  it("starts no bubblewrap from the PATH or the working directory when there is no other", () => {
    const place = placeFor(user);
    const { ran } = plant(place.workspace, 0o755);
    const { file } = plant(place.outside, 0o644);
    const PATH = `${place.workspace}:.:/usr/bin:/bin`;
    const doctor = doctorOn({ host: withBubblewrap(file), place, path: PATH });
    expect(doctor.status).toBe(1);
    expect(doctor.stdout).toMatch(/missing {2}bubblewrap +\/usr\/bin\/bwrap cannot be executed/);
    expect(existsSync(ran)).toBe(false);
  });

  it("waits for no bubblewrap that hangs, and leaves none behind", async () => {
    const place = placeFor(user);
    const { file, ran } = plant(place.workspace, 0o755, "sleep 600 & wait");
    const doctor = doctorOn({ host: withBubblewrap(file), place });
    expect(doctor.status).toBe(1);
    expect(doctor.stdout).toMatch(/missing {2}bubblewrap +\/usr\/bin\/bwrap, no answer in/);
    const started = readFileSync(ran, "utf8").trim().split("\n");
    expect(started.length).toBeGreaterThan(1);
    // What was killed takes a moment to be gone where the machine is busy; left alone it would sleep for minutes.
    await vi.waitUntil(() => !started.some(isRunning), { timeout: 10_000 });
  });
});

/** Numbers of prctl(2) and seccomp(2). */
const CALLS = { x64: { prctl: 157, seccomp: 317 }, arm64: { prctl: 167, seccomp: 277 } } as const;
const PR_SET_SECCOMP = 22;

/** A filter that refuses further filters, put on by a program that then becomes the next. */
function withoutFilters(folder: string): string[] {
  if (process.arch !== "x64" && process.arch !== "arm64") throw new Error("Cannot make a filter");
  const { prctl, seccomp } = CALLS[process.arch];
  const filter = assemble([
    { load: 0 },
    { equals: seccomp, goto: "refuse" },
    { equals: prctl, goto: "prctl" },
    { ret: ACTION.allow },
    { label: "prctl" },
    { load: 16 },
    { equals: PR_SET_SECCOMP, goto: "refuse" },
    { ret: ACTION.allow },
    { label: "refuse" },
    { ret: ACTION.EPERM },
  ]);
  const file = path.join(folder, "filter");
  writeFileSync(file, filter);
  const script = `
    open(F, "<:raw", shift) or die; local $/; my $filter = <F>;
    my $program = pack("S x6 P", length($filter) / 8, $filter);
    syscall(${prctl}, 38, 1, 0, 0, 0) == 0 or die "no new privileges";
    syscall(${prctl}, ${PR_SET_SECCOMP}, 2, $program) == 0 or die "filter";
    exec @ARGV;`;
  return ["/usr/bin/perl", "-e", script, file];
}
