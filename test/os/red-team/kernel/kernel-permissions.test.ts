/** Who may open what a command has of the host itself: its owner can change that, and no mount stops it. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { placeFor, USERS } from "../../support/sandbox-user.ts";
import { idOf } from "../../support/users.ts";

const READ_ONLY = ["--sandbox", "read-only"];

const permissionsOf = (place: string) => fs.statSync(place).mode & 0o7777;

describe.each(USERS)("writ run as %s", (user) => {
  it.each([
    { inside: "666", before: "620", behind: /^6[02]0$/ },
    { inside: "0", before: "600", behind: /^600$/ },
    // As another command on the same terminal may have left it, which began before and is not over.
    { inside: "666", before: "666", behind: /^6[02]0$/ },
  ])(
    "E7 leaves a terminal of $before to its owner behind a command that sets it to $inside",
    (modes) => {
      const place = placeFor(user);
      const change = `chmod ${modes.inside} /proc/self/fd/1; stat -Lc 'inside %a' /proc/self/fd/1`;
      fs.writeFileSync(path.join(place.workspace, "change"), change);
      const command = place.argv(["run", ...READ_ONLY, "--", "/bin/sh", "change"]).join(" ");
      const own = process.getuid?.() === 0 ? `chown ${idOf(user)} "$(tty)"; ` : "";
      const script = `${own}chmod ${modes.before} "$(tty)"; ${command}; stat -c 'behind %a' "$(tty)"`;
      const { stdout } = spawnSync("script", ["-qec", script, "/dev/null"], {
        cwd: place.workspace,
        env: { ...place.env, SHELL: "/bin/sh" },
        encoding: "utf8",
      });
      const told = stdout.match(/(inside|behind) \d+/g);
      // Messages come by a group of the host, and where that is one of the user's own they do not.
      const [inside, behind] = told?.map((one) => one.split(" ")[1]) ?? [];
      expect(inside).toBe(modes.inside);
      expect(behind).toMatch(modes.behind);
    },
  );

  it("E7 lets no group of the command's own write to a terminal that it was handed", () => {
    const place = placeFor(user);
    const change = 'chgrp "$(id -g)" /proc/self/fd/1 && chmod 620 /proc/self/fd/1 && echo changed';
    fs.writeFileSync(path.join(place.workspace, "change"), change);
    const command = place.argv(["run", ...READ_ONLY, "--", "/bin/sh", "change"]).join(" ");
    const own = process.getuid?.() === 0 ? `chown ${idOf(user)} "$(tty)"; ` : "";
    const script = `${own}chmod 620 "$(tty)"; ${command}; stat -c 'behind %A %g' "$(tty)"`;
    const { stdout } = spawnSync("script", ["-qec", script, "/dev/null"], {
      cwd: place.workspace,
      env: { ...place.env, SHELL: "/bin/sh" },
      encoding: "utf8",
    });
    expect(stdout).toContain("changed");
    const [, permissions, group] = /behind (\S+) (\d+)/.exec(stdout) ?? [];
    expect(permissions === "crw-------" || Number(group) !== idOf(user), stdout).toBe(true);
  });

  it.each(["true", "chmod 0 /proc/self/fd/0"])(
    "E7 leaves the way to new terminals to everybody behind a command that is handed the other side of one: %s",
    (change) => {
      const ptmx = "/dev/ptmx";
      const before = permissionsOf(ptmx);
      const master = fs.openSync(ptmx, fs.constants.O_RDWR | fs.constants.O_NOCTTY);
      onTestFinished(() => {
        if (permissionsOf(ptmx) !== before) fs.chmodSync(ptmx, before);
        fs.closeSync(master);
      });
      const place = placeFor(user);
      fs.writeFileSync(path.join(place.workspace, "change"), `${change}; echo ran`);
      const [program = "", ...args] = place.argv(["run", ...READ_ONLY, "--", "/bin/sh", "change"]);
      const { stdout } = spawnSync(program, args, {
        cwd: place.workspace,
        env: place.env,
        stdio: [master, "pipe", "pipe"],
        encoding: "utf8",
      });
      expect(stdout).toContain("ran");
      expect(permissionsOf(ptmx)).toBe(before);
    },
  );

  it.each([0, 1, 2])(
    "E7 leaves a pipe with a name as private as it was, handed as descriptor %d",
    (number) => {
      const place = placeFor(user);
      const pipe = path.join(place.outside, "pipe");
      spawnSync("mkfifo", ["-m", "600", pipe]);
      place.give();
      const script = `chmod 666 ${pipe}; chmod 666 /proc/self/fd/${number}; exit 7`;
      fs.writeFileSync(path.join(place.workspace, "change"), script);
      const [program = "", ...args] = place.argv(["run", ...READ_ONLY, "--", "/bin/sh", "change"]);
      // Opened for both: nobody need be at the other side.
      const fd = fs.openSync(pipe, "r+");
      onTestFinished(() => fs.closeSync(fd));
      const stdio = [0, 1, 2].map((at) => (at === number ? fd : ("ignore" as const)));
      const { status } = spawnSync(program, args, {
        cwd: place.workspace,
        env: place.env,
        stdio,
        timeout: 30_000,
      });
      expect(status).toBe(7);
      expect(permissionsOf(pipe)).toBe(0o600);
    },
  );

  it("A21 leaves the devices of the host as they were", () => {
    const device = "/dev/full";
    const before = permissionsOf(device);
    onTestFinished(() => {
      if (permissionsOf(device) !== before) fs.chmodSync(device, before);
    });
    const place = placeFor(user);
    const { stdout } = place.sh(`chmod 0600 ${device}; stat -c %a ${device}`, READ_ONLY);
    expect(stdout).toBe(user === "root" ? "600\n" : `${before.toString(8)}\n`);
    expect(permissionsOf(device)).toBe(before);
  });
});
