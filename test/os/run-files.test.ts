/** What a command can do with files, tried on the kernel, with a control that must succeed. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { placeFor, placeWithProgram, USERS } from "./support/sandbox-user.ts";

const PROTECTED = [
  ".git",
  ".agents",
  ".codex",
  ".aws",
  ".writ",
  ".claude",
  ".vscode",
  ".idea",
  ".devcontainer",
];

describe.each(USERS)("writ run as %s", (user) => {
  it("lets a read-only command read and not write", () => {
    const { sh, workspace } = placeFor(user);
    writeFileSync(path.join(workspace, "f"), "text");
    const { stdout } = sh("cat f; touch g 2>/dev/null || echo refused", ["--sandbox", "read-only"]);
    expect(stdout).toBe("textrefused\n");
    expect(readdirSync(workspace)).toEqual(["f"]);
  });

  it("lets a workspace command write in the workspace and nowhere beside it", () => {
    const { sh, workspace, outside } = placeFor(user);
    const { status } = sh(
      `touch in && ! touch ${outside}/out 2>/dev/null && ! touch /etc/writ-x 2>/dev/null`,
    );
    expect(status).toBe(0);
    expect(readdirSync(workspace)).toEqual(["in"]);
    expect(readdirSync(outside)).toEqual([]);
  });

  it("does not reach beside the workspace through /proc", () => {
    const { sh, outside } = placeFor(user);
    sh(`touch ok; touch /proc/self/root${outside}/out /proc/1/root${outside}/out 2>/dev/null`);
    expect(readdirSync(outside)).toEqual([]);
  });

  it("keeps protected names from being made, and leaves nothing of its own behind", () => {
    const { sh, workspace } = placeFor(user);
    const script = PROTECTED.map(
      (name) => `mkdir -p ${name}/x 2>/dev/null && echo made ${name}`,
    ).join("; ");
    const { stdout } = sh(`${script}; echo x > .envrc; echo x > .mcp.json; touch control`);
    expect(stdout).toBe("");
    expect(readdirSync(workspace)).toEqual(["control"]);
  });

  it("keeps existing protected names from being written, renamed and replaced", () => {
    const { sh, workspace } = placeFor(user);
    mkdirSync(path.join(workspace, ".git/hooks"), { recursive: true });
    writeFileSync(path.join(workspace, ".git/config"), "before");
    const { stdout } = sh(
      "echo x > .git/hooks/pre-commit; echo x > .git/config; mv .git g2; rm -rf .git; mkdir -p sub/.git && touch sub/.git/ok && echo control",
    );
    expect(stdout).toBe("control\n");
    expect(readFileSync(path.join(workspace, ".git/config"), "utf8")).toBe("before");
    expect(readdirSync(path.join(workspace, ".git/hooks"))).toEqual([]);
    expect(existsSync(path.join(workspace, "g2"))).toBe(false);
  });

  it("pins the folders above a protected path, so that none can be moved away", () => {
    const { sh, workspace } = placeFor(user);
    mkdirSync(path.join(workspace, "a/b/keep"), { recursive: true });
    const toml = path.join(workspace, "p.toml");
    writeFileSync(
      toml,
      `extends = ":workspace"\n[filesystem.":workspace_roots"]\n"a/b/keep" = "read"`,
    );
    const { stdout } = sh(
      "mv a a2 2>/dev/null && echo moved; mv a/b a/b2 2>/dev/null && echo moved; touch a/b/keep/x 2>/dev/null && echo wrote; touch a/b/free && echo control",
      ["--profile", toml],
    );
    expect(stdout).toBe("control\n");
    expect(readdirSync(path.join(workspace, "a/b")).toSorted()).toEqual(["free", "keep"]);
  });

  it("hides a denied folder and reopens a read and a write inside it", () => {
    const { sh, workspace } = placeFor(user);
    for (const name of ["s/in", "s/out"])
      mkdirSync(path.join(workspace, name), { recursive: true });
    writeFileSync(path.join(workspace, "s/key"), "secret");
    writeFileSync(path.join(workspace, "s/in/f"), "shown");
    const toml = path.join(workspace, "p.toml");
    writeFileSync(
      toml,
      `extends = ":workspace"\n[filesystem.":workspace_roots"]\ns = "deny"\n"s/in" = "read"\n"s/out" = "write"`,
    );
    const { stdout } = sh(
      "cat s/key; ls s; cat s/in/f; touch s/in/x; echo kept > s/out/f; touch s/new; cat s/out/f",
      ["--profile", toml],
    );
    expect(stdout).toBe("shownkept\n");
    expect(readdirSync(path.join(workspace, "s")).toSorted()).toEqual(["in", "key", "out"]);
    expect(readFileSync(path.join(workspace, "s/out/f"), "utf8")).toBe("kept\n");
  });

  it("hides a denied file", () => {
    const { sh, workspace } = placeFor(user);
    writeFileSync(path.join(workspace, "key"), "secret");
    const toml = path.join(workspace, "p.toml");
    writeFileSync(toml, `extends = ":workspace"\n[filesystem.":workspace_roots"]\nkey = "deny"`);
    const { stdout } = sh("cat key; echo x > key; mv key k2; rm -f key; echo control", [
      "--profile",
      toml,
    ]);
    expect(stdout).toBe("control\n");
    expect(readFileSync(path.join(workspace, "key"), "utf8")).toBe("secret");
  });

  it("shows nothing but what restricted reads name, and no scratch space in its place", () => {
    const { sh, workspace, outside } = placeFor(user);
    writeFileSync(path.join(outside, "f"), "hidden");
    writeFileSync(path.join(workspace, "f"), "shown");
    const access = { type: "restricted", readableRoots: [workspace] };
    const policy = JSON.stringify({ type: "readOnly", access });
    const { stdout } = sh(
      `cat f; cat ${outside}/f 2>/dev/null; touch /x 2>/dev/null && echo scratch; ls /home /root 2>/dev/null; true`,
      ["--sandbox-policy", policy],
    );
    expect(stdout).toBe("shown");
  });

  it("refuses a protected name that is a link the command could turn elsewhere", () => {
    const { sh, workspace } = placeFor(user);
    mkdirSync(path.join(workspace, "real"));
    symlinkSync("real", path.join(workspace, ".git"));
    const { status, stderr } = sh("touch ran");
    expect(status).toBe(125);
    expect(stderr).toContain(path.join(workspace, ".git"));
    expect(existsSync(path.join(workspace, "ran"))).toBe(false);
  });

  it("refuses to start in a folder that the policy hides", () => {
    const { sh, workspace } = placeFor(user);
    const toml = path.join(workspace, "p.toml");
    writeFileSync(toml, `extends = ":read-only"\n[filesystem]\n"${workspace}" = "deny"`);
    expect(sh("true", ["--profile", toml])).toMatchObject({ status: 125 });
  });

  it.each([
    [":read-only", "what links lead to"],
    [":workspace", "what links within it lead to"],
  ])("hides what a pattern denies under %s at every depth, folders and %s included", (base) => {
    const { sh, workspace, outside } = placeFor(user);
    mkdirSync(path.join(workspace, "a/b/x.env"), { recursive: true });
    writeFileSync(path.join(outside, "real.txt"), "linked");
    writeFileSync(path.join(outside, "deep.env"), "linked");
    for (const name of ["top.env", "a/one.env", "a/b/x.env/in"]) {
      writeFileSync(path.join(workspace, name), "secret");
    }
    symlinkSync("..", path.join(workspace, "a/loop"));
    symlinkSync("b/x.env", path.join(workspace, "a/within.env"));
    // A command that may remove them would uncover what they lead to.
    if (base === ":read-only") {
      symlinkSync(path.join(outside, "real.txt"), path.join(workspace, "alias.env"));
      symlinkSync(outside, path.join(workspace, "dir"));
    }
    writeFileSync(path.join(workspace, "a/free"), "free");
    const toml = path.join(outside, "p.toml");
    writeFileSync(
      toml,
      `extends = "${base}"\n[filesystem.":workspace_roots"]\n"**/*.env" = "deny"`,
    );
    const { stdout } = sh(
      "cat top.env a/one.env a/b/x.env/in a/within.env/in alias.env dir/deep.env dir/real.txt a/loop/top.env 2>/dev/null; cat a/free",
      ["--profile", toml],
    );
    expect(stdout).toBe("free");
  });

  it("hides what an entry and a pattern deny together", () => {
    const { sh, workspace } = placeFor(user);
    mkdirSync(path.join(workspace, "secrets"));
    for (const name of [".env", "secrets/k"]) writeFileSync(path.join(workspace, name), "secret");
    const toml = path.join(workspace, "p.toml");
    const rules = `"secrets" = "deny"\n".env" = "deny"\n"**/secrets" = "deny"\n"**/*.env" = "deny"`;
    writeFileSync(toml, `extends = ":workspace"\n[filesystem.":workspace_roots"]\n${rules}`);
    const { stdout } = sh("cat secrets/k .env; echo over > .env; rm -r secrets; echo control", [
      "--profile",
      toml,
    ]);
    expect(stdout).toBe("control\n");
    expect(readFileSync(path.join(workspace, ".env"), "utf8")).toBe("secret");
  });

  it("refuses a pattern over a name that it could not hide", () => {
    const { sh, workspace } = placeFor(user);
    writeFileSync(
      Buffer.concat([Buffer.from(`${workspace}/d`), Buffer.from([0xfe]), Buffer.from(".env")]),
      "",
    );
    const toml = path.join(workspace, "p.toml");
    writeFileSync(
      toml,
      `extends = ":workspace"\n[filesystem.":workspace_roots"]\n"**/*.env" = "deny"`,
    );
    expect(sh("touch ran", ["--profile", toml])).toMatchObject({ status: 125 });
  });

  it("hides writ's own settings, whatever the policy opens around them", () => {
    const { sh, env, workspace } = placeFor(user);
    const base = path.dirname(workspace);
    const policy = JSON.stringify({ type: "workspaceWrite", writableRoots: [base] });
    const home = env.WRIT_HOME ?? "";
    const script = `ls ${home} && echo listed; touch ${home}/x && echo wrote; mv ${home} ${home}2 && echo moved
      mv ${path.dirname(home)} ${base}/h2 && echo moved; touch ${base}/control && echo control`;
    const { stdout } = sh(script, ["--sandbox-policy", policy]);
    expect(stdout).toBe("control\n");
    expect(existsSync(path.join(home, "x"))).toBe(false);
  });

  it("refuses a policy that opens writ's own settings by name", () => {
    const { sh, env, workspace } = placeFor(user);
    const policy = JSON.stringify({ type: "workspaceWrite", writableRoots: [env.WRIT_HOME] });
    expect(sh("touch ran", ["--sandbox-policy", policy])).toMatchObject({ status: 125 });
    expect(existsSync(path.join(workspace, "ran"))).toBe(false);
  });

  it("keeps its own program from being written when the workspace holds it", () => {
    const { sh, installed } = placeWithProgram(user);
    const script = `echo x >> ${installed}/bin/writ && echo wrote; echo x > ${installed}/dist/new && echo wrote
      mv ${installed}/dist ${installed}/old && echo moved; touch ${installed}/control && echo control`;
    const policy = JSON.stringify({ type: "workspaceWrite", writableRoots: [installed] });
    const { stdout } = sh(script, ["--sandbox-policy", policy]);
    const owner = process.getuid?.() === 0 ? "root" : "ordinary";
    expect(stdout).toBe(user === owner ? "control\n" : "");
  });

  it("refuses a rule that would put the host's /proc in the place of the command's own", () => {
    const { sh, workspace } = placeFor(user);
    const toml = path.join(workspace, "p.toml");
    writeFileSync(
      toml,
      `[filesystem]\n":minimal" = "read"\n"${workspace}" = "read"\n"/proc" = "read"`,
    );
    expect(sh("ls /proc", ["--profile", toml])).toMatchObject({ status: 125 });
  });

  it("refuses a pattern that matches more than a plan can hide", () => {
    const { sh, workspace } = placeFor(user);
    for (let index = 0; index < 300; index += 1)
      writeFileSync(path.join(workspace, `${index}.env`), "");
    const toml = path.join(workspace, "p.toml");
    writeFileSync(
      toml,
      `extends = ":workspace"\n[filesystem.":workspace_roots"]\n"*.env" = "deny"`,
    );
    const { status, stderr } = sh("touch ran", ["--profile", toml]);
    expect(status).toBe(125);
    expect(stderr).toContain("*.env");
  });

  it("refuses network rules, which nothing here enforces yet", () => {
    const { sh, workspace } = placeFor(user);
    const toml = path.join(workspace, "p.toml");
    for (const rule of [`[network]\nenabled = true\nmode = "limited"`]) {
      writeFileSync(toml, `extends = ":workspace"\n${rule}`);
      expect(sh("touch ran", ["--profile", toml])).toMatchObject({ status: 125 });
    }
    expect(existsSync(path.join(workspace, "ran"))).toBe(false);
  });
});
