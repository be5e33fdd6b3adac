/** writ's own program and policy, where a command could reach them. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { attempts, layOut } from "../../support/later-attempts.ts";
import { type Place, placeFor, placeWithProgram, USERS } from "../../support/sandbox-user.ts";
import { numbered } from "../../support/users.ts";

const PROGRAM = [
  "bin/writ",
  "dist/bin/main.js",
  "dist/cli/main.js",
  "node_modules/.bin/node",
  "node_modules/zod/package.json",
  "package.json",
];

/** The program belongs to the user, as it does when it is installed in a project. */
function owned({ installed, workspace }: Place): string {
  const { uid, gid } = fs.statSync(workspace);
  spawnSync("chown", ["-R", `${uid}:${gid}`, path.dirname(installed)]);
  return installed;
}

const stampOf = (file: string) => {
  const { size, ctimeMs, ino } = fs.statSync(file);
  return `${size} ${ctimeMs} ${ino}`;
};

describe.each(USERS)("writ's own files, as %s", (user) => {
  it("B11 refuses to change its program inside a workspace, its folders and what it loads", () => {
    const place = placeWithProgram(user);
    const program = owned(place);
    const files = PROGRAM.map((name) => path.join(program, name));
    const before = files.map(stampOf);
    const tries = [
      ...files.flatMap((file) => [`echo x >> ${file}`, `rm ${file}`, `chmod 777 ${file}`]),
      `echo x > ${program}/dist/bin/new.js`,
      `mkdir ${program}/node_modules/evil`,
      `echo x > ${program}/node_modules/.bin/tool`,
      ...["dist", "bin", "node_modules"].map((name) => `mv ${program}/${name} ${program}/x`),
      `mv ${program} ${program}2`,
      `ln -sfn /tmp ${program}/dist`,
    ];
    const root = path.dirname(program);
    const script = `${attempts(tries)}\ntouch ${program}/control && echo control`;
    const flags = ["--sandbox", "workspace-write", "--add-dir", root];
    const { stdout } = place.sh(script, flags);
    fs.rmSync(path.join(program, "control"), { force: true });
    expect(stdout).toBe("control\n");
    expect(files.map(stampOf)).toEqual(before);
  });

  it.each(["dist", "bin", "node_modules/zod", "dist/bin/main.js"])(
    "B11 refuses to start under a policy that opens its own %s by name",
    (name) => {
      const place = placeFor(user);
      const opened = path.join(place.installed, name);
      const toml = `extends = ":workspace"\n[filesystem]\n${JSON.stringify(opened)} = "write"\n`;
      const file = path.join(place.outside, "p.toml");
      fs.writeFileSync(file, toml);
      const { status, stderr } = place.sh("touch ran", ["--profile", file]);
      expect(status).toBe(125);
      expect(stderr).toContain(opened);
      expect(fs.readdirSync(place.workspace)).toEqual([]);
    },
  );

  it("B11 B14 refuses to change the policy file it was started with, and its settings", () => {
    const place = placeFor(user);
    const profile = path.join(place.workspace, "writ.toml");
    const narrow = `default_permissions = "n"\n[permissions.n]\nextends = ":workspace"\n[permissions.n.filesystem.":workspace_roots"]\nsecret = "deny"\n`;
    layOut(place.workspace, { "writ.toml": narrow, secret: "hidden\n" });
    const home = place.env.WRIT_HOME ?? "";
    fs.mkdirSync(home, { recursive: true });
    fs.writeFileSync(path.join(home, "config.toml"), `default_permissions = ":workspace"\n`);
    const tries = [
      "echo > writ.toml",
      "rm writ.toml",
      "mv writ.toml w",
      "echo x > F && mv -f F writ.toml",
      "cat secret",
      `echo > ${home}/config.toml`,
      `cat ${home}/config.toml`,
      `ls ${home}`,
    ];
    const script = `${attempts(tries)}\nrm -f F; echo control > control && cat control`;
    expect(place.run(["run", "--", "/bin/sh", "-c", script]).stdout).toBe("control\n");
    expect(fs.readFileSync(profile, "utf8")).toBe(narrow);
    expect(fs.readFileSync(path.join(home, "config.toml"), "utf8")).toContain(":workspace");
  });

  it.each([
    ["the whole disk", `extends = ":workspace"\n[permissions.wide.filesystem]\n"/" = "write"`],
    ["the home", `extends = ":workspace"\n[permissions.wide.filesystem]\n"~" = "write"`],
    ["the network", `extends = ":workspace"\n[permissions.wide.network]\nenabled = true`],
    ["no sandbox at all", `extends = ":danger-full-access"`],
    ["one more root", `extends = ":workspace"\n[permissions.wide.workspace_roots]\n".." = true`],
    [
      "a protected name",
      `extends = ":workspace"\n[permissions.wide.filesystem.":workspace_roots"]\n".git" = "write"`,
    ],
    [
      "unix sockets",
      `extends = ":workspace"\n[permissions.wide.network]\nunix_socket_access = "host"`,
    ],
  ])("B14 refuses a project file that asks for %s", (_, table) => {
    const place = placeFor(user);
    const text = `default_permissions = "wide"\n[permissions.wide]\n${table}\n`;
    layOut(place.workspace, { "writ.toml": text });
    for (const flags of [[], ["--profile", "wide"]]) {
      const ran = place.sh("touch ran", flags);
      expect(ran).toMatchObject({ stdout: "" });
      expect(ran.status).toBeGreaterThan(0);
      expect(ran.stderr).toMatch(/writ\.toml|":danger-full-access", which is no parent/);
    }
    expect(fs.readdirSync(place.workspace)).toEqual(["writ.toml"]);
    expect(place.sh("echo control").stdout).toBe("control\n");
  });

  it.each(["read", "deny"])(
    'B14 refuses a project file that has a pattern where the user\'s says "%s" of what is missing',
    (access) => {
      const place = placeFor(user);
      const under = (id: string, rule: string) =>
        `default_permissions = "${id}"\n[permissions.${id}]\nextends = ":workspace"\n[permissions.${id}.filesystem.":workspace_roots"]\n${rule}\n`;
      const home = place.env.WRIT_HOME ?? "";
      fs.mkdirSync(home, { recursive: true });
      fs.writeFileSync(path.join(home, "config.toml"), under("mine", `"kept" = "${access}"`));
      const script = "mkdir kept; echo x > kept/made; echo control > control";
      const left = () => fs.readdirSync(place.workspace).toSorted();
      place.sh(script, []);
      expect(left()).toEqual(["control"]);
      layOut(place.workspace, { "writ.toml": under("theirs", '"kep[t]" = "deny"') });
      expect(place.sh(script, []).stderr).toContain(path.join(place.workspace, "kept"));
      expect(left()).toEqual(["control", "writ.toml"]);
    },
  );

  it("B14 keeps a project file in force while another command runs in a folder below it", async () => {
    const place = placeFor(user);
    const narrow = `default_permissions = "n"\n[permissions.n]\nextends = ":read-only"\n`;
    layOut(place.workspace, { "writ.toml": narrow, "sub/": "" });
    const home = place.env.WRIT_HOME ?? "";
    fs.mkdirSync(home, { recursive: true });
    fs.writeFileSync(path.join(home, "config.toml"), `default_permissions = ":workspace"\n`);
    expect(place.run(["run", "-C", "sub", "--", "touch", "made"]).status).not.toBe(0);
    const first = place.argv(["run", "-C", "sub", "--sandbox", "workspace-write", "--", "/bin/sh"]);
    const [program = "", ...args] = [...first, "-c", "touch started; sleep 600"];
    const child = spawn(program, args, { cwd: place.workspace, env: place.env, stdio: "ignore" });
    const started = path.join(place.workspace, "sub/started");
    while (!fs.existsSync(started) && child.exitCode === null) await sleep(20);
    const placeholder = fs.readFileSync(path.join(place.workspace, "sub/writ.toml"), "utf8");
    const second = place.run(["run", "-C", "sub", "--", "touch", "made"]);
    child.kill("SIGTERM");
    await once(child, "exit");
    expect(placeholder).toBe("");
    expect(second.status).not.toBe(0);
    expect(fs.readdirSync(path.join(place.workspace, "sub"))).toEqual(["started"]);
  });
});

// One of them has nothing kept: what all tests of a user share would be there already.
describe.each(numbered(USERS))("the folder of what writ keeps, as %s", (user) => {
  it("B11 cannot be made or changed by a command, whether it is there or not", () => {
    const place = placeFor(user);
    const kept = `/var/tmp/writ-${fs.statSync(place.workspace).uid}-kept`;
    const profile = path.join(place.outside, "p.toml");
    fs.writeFileSync(profile, `extends = ":workspace"\n[filesystem]\n"/var/tmp" = "write"\n`);
    const made = path.join(kept, `made-${process.pid}`);
    const tries = [`mkdir -p ${made}`, `mv ${kept} ${kept}2`, `chmod 755 ${kept}`];
    const script = `${attempts(tries)}\ntouch ${place.outside}/control && echo control`;
    expect(place.sh(script, ["--profile", profile])).toMatchObject({ stdout: "control\n" });
    expect(fs.existsSync(made)).toBe(false);
  });
});
