/** What decides the next run must not be written by this one, by whatever way it is reached. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { profileFlags } from "../../support/sandbox-modes.ts";
import { type Place, placeFor, placeWithProgram, USERS } from "../../support/sandbox-user.ts";

const WIDE = 'default_permissions = ":danger-full-access"';

/** Runs with settings somewhere else. */
function runWith(place: Place, home: string, args: readonly string[]) {
  const [program = "", ...rest] = place.argv(["run", ...args]);
  const env = { ...place.env, WRIT_HOME: home };
  return spawnSync(program, rest, { cwd: place.workspace, env, encoding: "utf8" });
}

describe.each(USERS)("the settings of %s", (user) => {
  it("are refused behind a link that the command could replace", () => {
    const place = placeFor(user);
    mkdirSync(path.join(place.outside, "w"));
    symlinkSync(place.outside, path.join(place.workspace, "settings"));
    place.give();
    const home = path.join(place.workspace, "settings/w");
    const { status, stderr } = runWith(place, home, ["--sandbox", "workspace-write", "--", "true"]);
    expect(status).toBe(125);
    expect(stderr).toContain("which the command may change");
  });

  it("cannot be written where a link leads from them into the workspace", () => {
    const place = placeFor(user);
    const file = path.join(place.workspace, "config.toml");
    mkdirSync(String(place.env.WRIT_HOME), { recursive: true });
    writeFileSync(file, "");
    symlinkSync(file, path.join(String(place.env.WRIT_HOME), "config.toml"));
    const script = `echo '${WIDE}' > config.toml && echo wrote; mv config.toml c2 && echo moved; touch control && echo control`;
    expect(place.sh(script).stdout).toBe("control\n");
  });

  it("H4 a profile in the workspace cannot be rewritten by the command that runs under it", () => {
    const place = placeFor(user);
    const flags = profileFlags(place.workspace, "p", 'extends = ":workspace"');
    const script =
      "echo x >> p.toml && echo wrote; rm p.toml && echo removed; touch control && echo control";
    expect(place.sh(script, flags).stdout).toBe("control\n");
  });

  it("a terminal's native part cannot be written where it lies beside the program", () => {
    const place = placeWithProgram(user);
    const parts = path.join(place.installed, "node_modules/@lydell");
    expect(existsSync(parts)).toBe(true);
    const policy = JSON.stringify({ type: "workspaceWrite", writableRoots: [place.installed] });
    const script = `touch ${parts}/x && echo wrote; mv ${parts} ${parts}2 && echo moved; touch control && echo control`;
    expect(place.sh(script, ["--sandbox-policy", policy]).stdout).toBe("control\n");
  });

  it("hides what a link leads to whose name is not UTF-8, by refusing the rule", () => {
    const place = placeFor(user);
    const target = Buffer.concat([Buffer.from(`${place.outside}/sec`), Buffer.from([0xff])]);
    writeFileSync(target, "SECRET");
    symlinkSync(target, path.join(place.outside, "link"));
    const flags = profileFlags(
      place.outside,
      "d",
      `extends = ":workspace"\n[filesystem]\n"${place.outside}/link" = "deny"`,
    );
    const { status, stdout } = place.sh(`cat ${place.outside}/link`, flags);
    expect({ status, stdout }).toEqual({ status: 125, stdout: "" });
  });

  it("keep a repository whose pointer names the writable root itself from being used", () => {
    const place = placeFor(user);
    writeFileSync(path.join(place.workspace, ".git"), "gitdir: .\n");
    expect(place.sh("mkdir hooks")).toMatchObject({ status: 125 });
    expect(existsSync(path.join(place.workspace, "hooks"))).toBe(false);
  });

  it("are not read by a program that a command name poses as options to", () => {
    const place = placeFor(user);
    const { status, stdout } = place.run([
      "run",
      "--sandbox",
      "workspace-write",
      "--tty",
      "--",
      "--version",
    ]);
    expect(status).toBe(127);
    expect(stdout).not.toContain("util-linux");
  });

  it("leave a device alone that a receipt is asked for at", () => {
    const place = placeFor(user);
    const { status } = place.run([
      "run",
      "--sandbox",
      "read-only",
      "--receipt",
      "/dev/null",
      "--",
      "true",
    ]);
    expect(status).toBe(125);
  });
});
