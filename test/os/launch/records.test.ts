/** The place where runs are on record is full, or somebody else's: nothing runs without it. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { placeFor, USERS } from "../support/sandbox-user.ts";

/** Only root can put something in the place of the records, in a mount namespace of its own. */
const ABLE = USERS.filter((user) => user === "root");
const RECORDS = "/var/tmp/writ-0";

/** Runs writ where the folder of the records is what `prepare` makes of it. */
function runWith(prepare: string) {
  const place = placeFor("root");
  const args = ["run", "--sandbox", "workspace-write", "--", "/bin/sh", "-c", "touch ran"];
  // Nobody outside sees these records, so nothing in a folder of all may be held by them.
  const script = `mkdir -p ${RECORDS}; mount -t tmpfs none /tmp; ${prepare}; exec "$0" "$@"`;
  const words = ["-m", "/bin/sh", "-c", script, ...place.argv(args)];
  const options = { cwd: place.workspace, env: place.env, encoding: "utf8" } as const;
  const { status, stderr } = spawnSync("/usr/bin/unshare", words, { ...options, timeout: 30_000 });
  return { status, stderr, left: readdirSync(place.workspace) };
}

/** Without the folders of all: what another user needs there stays on record. */
const ALONE = JSON.stringify({
  ...{ type: "workspaceWrite", writableRoots: [], networkAccess: false },
  ...{ excludeSlashTmp: true, excludeTmpdirEnvVar: true },
});

/** Runs a command in a workspace on the same small disk as the records, and tells what is left there then. */
function runOnDisk(options: string, script: string) {
  const place = placeFor("root");
  const args = ["run", "--sandbox-policy", ALONE, "--", "/bin/sh", "-c", script];
  const prepare = [
    `mkdir -p ${RECORDS}; mount -t tmpfs none /tmp; mount -t tmpfs -o ${options} none "$PWD"`,
    'cd "$PWD"; mkdir -m 755 ws records',
    `mount --bind records ${RECORDS}; mount --bind ws "$PWD"`,
    'cd "$PWD"; "$0" "$@"; echo "status $?"',
    `ls -A . ${RECORDS}`,
  ];
  const words = ["-m", "/bin/sh", "-c", prepare.join("\n"), ...place.argv(args)];
  const { workspace: cwd, env } = place;
  return spawnSync("/usr/bin/unshare", words, { cwd, env, encoding: "utf8" });
}

describe.each(USERS)("the records of %s", (user) => {
  it("are for everybody to read, and for nobody else to write", () => {
    const { sh, workspace } = placeFor(user);
    expect(sh("true").status).toBe(0);
    const { uid } = statSync(workspace);
    const { mode, uid: owner } = statSync(`/var/tmp/writ-${uid}`);
    expect({ mode: (mode & 0o7777).toString(8), owner }).toEqual({ mode: "755", owner: uid });
  });
});

describe.each(USERS)("records of others, for %s", (user) => {
  it.each(["000", "444", "111"])("stop nobody where they are closed by mode %s", (mode) => {
    // As if it were of a user with this number.
    const folder = `/var/tmp/writ-8${String(process.pid).padStart(15, "0")}`;
    mkdirSync(folder);
    onTestFinished(() => {
      chmodSync(folder, 0o700);
      rmSync(folder, { recursive: true });
    });
    writeFileSync(path.join(folder, "held-1.json"), "[");
    chmodSync(folder, Number.parseInt(mode, 8));
    expect(placeFor(user).sh("echo ran")).toEqual(
      expect.objectContaining({ status: 0, stdout: "ran\n", stderr: "" }),
    );
  });
});

describe.each(ABLE)("the records, for %s", () => {
  const mount = (options: string) => `mount -t tmpfs -o ${options} none ${RECORDS}`;

  it("can lie anywhere they can be written", () => {
    expect(runWith(mount("size=64k,mode=755"))).toEqual({ status: 0, stderr: "", left: ["ran"] });
  });

  it.each([
    ["full", `${mount("size=4k,mode=755")}; head -c 4096 /dev/zero > ${RECORDS}/full`],
    ["out of names", mount("size=64k,mode=755,nr_inodes=1")],
    ["read-only", mount("size=64k,mode=755,ro")],
    ["somebody else's", mount("size=64k,mode=755,uid=65534")],
    ["open to everybody", mount("size=64k,mode=777")],
  ])("stop every command when they are %s, with one sentence and nothing left", (_, prepare) => {
    const { status, stderr, left } = runWith(prepare);
    expect({ status, left }).toEqual({ status: 125, left: [] });
    expect(stderr).toMatch(new RegExp(`^writ: Cannot [^\\n]*"${RECORDS}"[^\\n]*\\n$`));
  });

  it("say how a command ended that has filled their disk, and keep nothing of it", () => {
    const fill = "cat /dev/zero >fill; while echo x >>small; do :; done; echo full";
    const { stdout, stderr } = runOnDisk("size=256k,mode=755", `(${fill}) 2>/dev/null; exit 3`);
    expect(stderr).not.toContain("writ: ");
    expect(stdout).toBe(`full\nstatus 3\n.:\nfill\nsmall\n\n${RECORDS}:\n`);
  });
});
