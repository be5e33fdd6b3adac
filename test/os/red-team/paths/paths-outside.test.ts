/** What lies beside the workspace, attacked by path, by link, by process and by number. */
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { onceFor } from "../../support/one-run.ts";
import { flagsOf, MODES, type Mode } from "../../support/sandbox-modes.ts";
import { type Place, placeFor, USERS } from "../../support/sandbox-user.ts";
import { type Attempts, perl, stateOf, whatWorks } from "./support/path-attempts.ts";
import {
  copyInKernel,
  linkOpened,
  makeImmutable,
  setAttribute,
  writeByHandle,
} from "./support/path-calls.ts";

const MARK = `writ-red-team-${process.pid}`;

interface Reach {
  /** The canary's number on the disk. */
  readonly handle: string;
  /** A process of the host that stands beside the canary and has it open. */
  readonly pid: number | undefined;
}

/** Every one of them would change what lies outside, or reads what only a process outside has. */
function attacksOn({ workspace, outside, env }: Place, { handle, pid }: Reach): Attempts {
  const canary = `${outside}/canary`;
  const aliases = {
    "A3 dots": `${workspace}/../outside/canary`,
    "A3 slashes": `${workspace}//.//..///outside//canary`,
    "A3 from /proc": `/proc/..${canary}`,
    "A3 from below": "sub/../../outside/canary",
    "A4 self": `/proc/self/root${canary}`,
    "A4 thread": `/proc/thread-self/root${canary}`,
    "A4 first": `/proc/1/root${canary}`,
    "A4 cwd": "/proc/self/cwd/../outside/canary",
    "A4 twice": `/proc/self/root/proc/self/root${canary}`,
    "A5 root": `/proc/${pid}/root${canary}`,
    "A5 cwd": `/proc/${pid}/cwd/canary`,
    "A5 descriptor": `/proc/${pid}/fd/0`,
    "A4 link": "link/canary",
  };
  return {
    "A1 new": `touch ${outside}/new`,
    "A1 write": `echo x > ${canary}`,
    "A1 remove": `unlink ${canary}`,
    "A1 rename": `mv ${canary} ${outside}/gone`,
    "A1 link": `ln -s / ${outside}/link`,
    "A1 home": `touch ${env.HOME}/new`,
    "A1 etc": `touch /etc/${MARK}`,
    "A1 root": `touch /${MARK}`,
    ...Object.fromEntries(
      Object.entries(aliases).map(([name, alias]) => [name, `echo x >> ${alias}`]),
    ),
    "A5 descriptors": `ls /proc/${pid}/fd/`,
    "A6 by number": writeByHandle(handle, workspace),
    "A6 by number from /": writeByHandle(handle, "/"),
    "A7 hard link": `ln ${canary} hard && echo x > hard`,
    "A7 link of a descriptor": linkOpened(canary, "hard2"),
    "A7 copy on write link": `cp --link ${canary} hard3`,
    "A21 mode": `chmod 777 ${canary}`,
    "A21 owner": `chown 65534 ${canary}; chgrp 65534 ${outside}`,
    "A21 attribute": setAttribute(canary),
    "A21 times": `touch -d 2001-01-01 ${canary}`,
    "A21 flag": makeImmutable(canary),
    "A22 truncate": `truncate -s 0 ${canary}`,
    "A22 by call": perl(`exit(truncate(q(${canary}), 0) ? 0 : 1)`),
    "A22 fallocate": `fallocate -l 100 ${canary}`,
    "A22 in the kernel": copyInKernel("/etc/passwd", canary),
  };
}

function reachOf({ outside }: Place, finished: (end: () => void) => void): Reach {
  const canary = path.join(outside, "canary");
  const opened = fs.openSync(canary, "r+");
  const host = spawn("sleep", ["60"], { cwd: outside, stdio: [opened, "ignore", "ignore"] });
  fs.closeSync(opened);
  finished(() => void host.kill());
  return { handle: handleOf(canary), pid: host.pid };
}

/** As the kernel hands it out on the host. */
function handleOf(file: string): string {
  const [nr, bytes] = [process.arch === "arm64" ? 264 : 303, 'pack("Li", 64, 0) . "\\0" x 64'];
  const code = `my $h = ${bytes}; my $m = "\\0" x 8; syscall(${nr}, -100, my $p = $ARGV[0], $h, $m, 0); print unpack("H*", $h)`;
  return spawnSync("perl", ["-e", code, file], { encoding: "utf8" }).stdout;
}

/** Where the rest of the host would show a trace. */
const ELSEWHERE = ["/dev/shm", "/run", "/var/tmp", "/tmp", "/", "/etc"];

/** Folders in which programs leave something for others. */
const SHARED = Object.fromEntries(
  ["/dev/shm", "/run", "/var/tmp", "/run/lock"].map((folder) => [
    folder,
    `test -d ${folder} && touch ${folder}/${MARK}-shared && test -e ${folder}/${MARK}-shared`,
  ]),
);

const CONTROLS = { "control read": "cat file", "A2 write": "echo x > file && touch new" };

/** All of it in a mode; what worked of those given, and the state of the host before. */
const tried = onceFor((place, mode: Mode, finished) => {
  const flags = flagsOf(mode, place);
  fs.writeFileSync(path.join(place.outside, "canary"), "as it was");
  fs.writeFileSync(path.join(place.workspace, "file"), "");
  fs.mkdirSync(path.join(place.workspace, "sub"));
  fs.symlinkSync(place.outside, path.join(place.workspace, "link"));
  place.give();
  const before = stateOf(place.outside);
  const attacks = attacksOn(place, reachOf(place, finished));
  const worked = whatWorks(place, { ...attacks, ...CONTROLS, ...SHARED }, flags);
  const isShared = (name: string) => name in SHARED;
  return {
    place,
    before,
    beside: worked.filter((name) => !isShared(name)),
    shared: worked.filter(isShared),
  };
});

describe.each(USERS)("what lies beside the workspace, as %s", (user) => {
  it.each(MODES)("A1-A7 A21 A22 stays as it is in mode %s", (mode) => {
    const { place, before, beside } = tried(user, mode);
    expect(beside).toEqual(Object.keys(CONTROLS).slice(0, mode === "read-only" ? 1 : 2));
    expect(stateOf(place.outside)).toEqual(before);
    expect(fs.existsSync(path.join(place.workspace, "new"))).toBe(mode !== "read-only");
    for (const folder of ["/", "/etc"])
      expect(fs.existsSync(path.join(folder, MARK)), folder).toBe(false);
  });

  it.each(MODES)("A15 leaves nothing of shared memory and run-time folders in mode %s", (mode) => {
    expect(tried(user, mode).shared).toEqual(["/dev/shm"]);
    for (const folder of ELSEWHERE) {
      expect(fs.existsSync(path.join(folder, `${MARK}-shared`)), folder).toBe(false);
    }
  });

  it("A16 opens /tmp and $TMPDIR only where the policy does, and not where the command points it", () => {
    const place = placeFor(user);
    const excluded = { type: "workspaceWrite", excludeSlashTmp: true, excludeTmpdirEnvVar: true };
    const temporary = path.join(place.outside, "temporary");
    fs.mkdirSync(temporary);
    place.give();
    const closed = ["--sandbox-policy", JSON.stringify(excluded)];
    const tries = {
      tmp: `touch /tmp/${MARK}`,
      outside: `touch ${place.outside}/new`,
      "TMPDIR of the command": `TMPDIR=${place.outside} mktemp`,
      control: "touch here",
    };
    expect(whatWorks(place, tries, closed)).toEqual(["control"]);
    const open = whatWorks(place, { ...tries, tidy: `rm /tmp/${MARK}` }, [
      "--sandbox",
      "workspace-write",
    ]);
    expect(open).toEqual(["tmp", "control", "tidy"]);
    expect(fs.readdirSync(place.outside)).toEqual(["temporary"]);
    expect(fs.existsSync(path.join(os.tmpdir(), MARK))).toBe(false);
  });
});
