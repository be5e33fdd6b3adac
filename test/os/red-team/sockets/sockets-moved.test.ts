/** F1: sockets of the host that are covered, in folders that commands or the host move, open and close. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { placeApart } from "../../support/place-apart.ts";
import { profileFlags } from "../../support/sandbox-modes.ts";
import { type Place, USERS } from "../../support/sandbox-user.ts";
import { SENDER } from "../../support/socket-listener.ts";
import { ORDINARY } from "../../support/users.ts";

const PROFILE = `extends = ":workspace"\n[network]\nunix_socket_access = "private"\n`;

const flagsFor = (place: Place) => profileFlags(place.outside, "private", PROFILE);

/** A script, and what it says when it has tried to send to these names of the workspace. */
function attempt(place: Place, script: string, ...names: string[]): string {
  const words = names.map((name) => `${name.replaceAll("/", "-")}=${name}`).join(" ");
  const sends = `perl -e '${SENDER}' inside ${words}; echo control`;
  return place.sh(`${script}\n${sends}`, flagsFor(place)).stdout;
}

describe.each(USERS)("private sockets, for %s", (user) => {
  it("F1 reach none whose folder a command before moved away", async () => {
    const place = await placeApart(user);
    mkdirSync(path.join(place.workspace, "in/dir"), { recursive: true });
    const listener = await place.listen({ moved: path.join(place.workspace, "in/dir/sock") });
    const moves = "mv in/dir in/away; mv in away; mv in/dir/sock in/sock";
    expect(attempt(place, moves, "in/dir/sock")).toContain("control");
    expect(attempt(place, "ls -d in/dir", "in/away/sock", "away/dir/sock", "in/sock")).toContain(
      "in/dir\n",
    );
    expect(await listener.heard()).toEqual([]);
  });

  it("F1 reach none whose folder a command before closed", async () => {
    const place = await placeApart(user);
    const folder = path.join(place.workspace, "dir");
    mkdirSync(folder);
    const listener = await place.listen({ closed: path.join(folder, "sock") });
    place.sh("chmod 0 dir; sleep 1", flagsFor(place));
    expect(statSync(folder).mode & 0o777).toBe(0);
    expect(attempt(place, "chmod 755 dir", "dir/sock")).toContain("control");
    chmodSync(folder, 0o755);
    expect(await listener.heard()).toEqual([]);
  });

  it("F1 reach none of the workspace where a folder above it is closed", async () => {
    const place = await placeApart(user);
    const above = path.dirname(place.workspace);
    const listener = await place.listen({ inside: path.join(place.workspace, "sock") });
    place.give();
    const [program = "", ...args] = place.argv([
      ...["run", ...flagsFor(place), "--"],
      ...["perl", "-e", SENDER, "inside", "inside=sock"],
    ]);
    const child = spawn(
      "/bin/sh",
      ["-c", 'chmod "$0" ..; exec "$@"', mode(user), program, ...args],
      {
        cwd: place.workspace,
        env: place.env,
      },
    );
    await once(child, "close");
    chmodSync(above, 0o755);
    expect(await listener.heard()).toEqual([]);
  });

  it("F1 end with the command when a protected folder that one lies in is removed", async () => {
    const place = await placeApart(user);
    const git = path.join(place.workspace, ".git");
    mkdirSync(git);
    await place.listen({ git: path.join(git, "daemon.ipc") });
    place.give();
    chmodSync(git, 0o700);
    if (user === "root") chownSync(git, ORDINARY, ORDINARY);
    const child = start(place, "touch started; sleep 5; mkdir .git; echo > .git/config");
    await expect.poll(() => existsSync(path.join(place.workspace, "started"))).toBe(true);
    rmSync(git, { recursive: true });
    expect(await once(child, "exit")).toEqual([137, null]);
    expect(existsSync(git)).toBe(false);
  });
});

function start(place: Place, script: string): ChildProcess {
  const command = ["/bin/sh", "-c", script];
  const [program = "", ...args] = place.argv(["run", ...flagsFor(place), "--", ...command]);
  return spawn(program, args, { cwd: place.workspace, env: place.env, stdio: "ignore" });
}

/** Root's own commands cannot enter what its owner may not. */
function mode(user: string): string {
  return user === "root" ? "600" : "711";
}
