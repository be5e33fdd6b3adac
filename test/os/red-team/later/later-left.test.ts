/** What a command may leave in a workspace because work needs it: allowed, and told in the receipt. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { attempts, layOut, told, treeOf } from "../../support/later-attempts.ts";
import { placeFor, USERS } from "../../support/sandbox-user.ts";

type ToldOf = ReturnType<typeof told>;

function leftIn(workspace: string, { receipt }: ToldOf): string[] {
  const { leftBehind } = receipt;
  if (leftBehind.kind !== "lookedFor") return ["nobody looked"];
  const own = leftBehind.files.filter((one) => one.path.startsWith(`${workspace}/`));
  return own.map((one) => path.relative(workspace, one.path)).toSorted();
}

const PERSISTENCE = [
  ".bashrc",
  ".bash_profile",
  ".zshrc",
  ".profile",
  ".config/fish/config.fish",
  ".ssh/authorized_keys",
  ".config/systemd/user/x.service",
  ".config/autostart/x.desktop",
  "Library/LaunchAgents/x.plist",
  ".local/bin/git",
];

const SYSTEM = [
  "/etc/cron.d/x",
  "/var/spool/cron/crontabs/x",
  "/etc/profile.d/x.sh",
  "/etc/ld.so.preload",
  "/etc/systemd/system/x.service",
  "/usr/local/bin/x",
];

describe.each(USERS)("what is left behind, as %s", (user) => {
  it("B5 reports a new nested repository with a hook, and the hook of an old one", () => {
    const place = placeFor(user);
    layOut(place.workspace, { "old/.git/config": "[core]\n", "old/.git/hooks/x": "" });
    const ran = told(
      place,
      "mkdir -p sub/deep/.git/hooks && echo evil > sub/deep/.git/hooks/post-checkout && echo evil > old/.git/hooks/pre-commit",
    );
    expect(ran.status).toBe(0);
    expect(leftIn(place.workspace, ran)).toEqual(["old/.git", "sub/deep/.git"]);
  });

  it("C3 reports what it made under a name that a pattern denies, and not what was hidden", () => {
    const place = placeFor(user);
    const { workspace } = place;
    layOut(workspace, { "old.key": "secret", "sub/x": "" });
    const profile = path.join(place.outside, "profile.toml");
    const rules = '"**/*.key" = "deny"\n"**/.env*" = "deny"';
    const toml = `extends = ":workspace"\n[filesystem.":workspace_roots"]\n${rules}\n`;
    fs.writeFileSync(profile, toml);
    // As somebody who edits what is hidden while the command runs.
    fs.linkSync(path.join(workspace, "old.key"), path.join(workspace, "same"));
    const script = "cat old.key; echo x >> same; echo x > sub/new.key; echo x > plain";
    const ran = told(place, script, { flags: ["--profile", profile] });
    expect(ran.stdout).toBe("");
    expect(fs.readFileSync(path.join(workspace, "old.key"), "utf8")).toBe("secretx\n");
    expect(leftIn(workspace, ran)).toEqual(["sub/new.key"]);
  });

  it("B5 gives a receipt also where the command closed what it made", () => {
    const place = placeFor(user);
    const ran = told(
      place,
      "echo x > .npmrc; mkdir closed; ln -s x loop; mv loop x; chmod 0 closed",
    );
    fs.chmodSync(path.join(place.workspace, "closed"), 0o700);
    expect(leftIn(place.workspace, ran)).toEqual([".npmrc"]);
  });

  it.each([
    ["too deep for it", "d=1/2/3/4/5/6", "", []],
    ["closed to this user", "d=shut/in", "chmod 0 shut", ["shut/in/.git"]],
  ])("B5 does not claim to have seen all where a repository is %s", (_, at, close, seen) => {
    const place = placeFor(user);
    const ran = told(place, `${at}; mkdir -p $d/.git/hooks && echo x > $d/.git/hooks/x; ${close}`);
    expect(ran.status).toBe(0);
    expect(fs.readdirSync(place.workspace)).toHaveLength(1);
    const { leftBehind } = ran.receipt;
    // Nothing is closed to root.
    const names = user === "root" ? seen : [];
    expect(leftIn(place.workspace, ran)).toEqual(names);
    expect(leftBehind).toMatchObject({ kind: "lookedFor" });
    if (names.length === 0) expect(leftBehind).toMatchObject({ complete: false });
  });

  it("B5 refuses all of it where the workspace is only read, and reports nothing", () => {
    const place = placeFor(user);
    const script = `${attempts(["mkdir -p sub/.git", "echo x > .npmrc"])}\necho control`;
    const ran = told(place, script, { flags: ["--sandbox", "read-only"] });
    expect(ran.stdout).toBe("control\n");
    expect(leftIn(place.workspace, ran)).toEqual([]);
    expect(fs.readdirSync(place.workspace)).toEqual([]);
  });

  it("B8 B9 refuses to write what shells, services and logins run, in the home and the system", () => {
    const place = placeFor(user);
    const home = place.env.HOME ?? "";
    layOut(home, { ".bashrc": "# mine\n", ".ssh/authorized_keys": "key\n" });
    const before = treeOf(home).filter((line) => !line.startsWith(".writ"));
    const files = [...PERSISTENCE.map((name) => path.join(home, name)), ...SYSTEM];
    const tries = files.flatMap((file) => [
      `echo evil >> ${file}`,
      `mkdir -p ${path.dirname(file)} && echo evil > ${file}`,
    ]);
    const { stdout } = place.sh(`${attempts([...tries, "echo x | crontab -"])}\necho control > c`);
    expect(stdout).toBe("");
    expect(fs.readdirSync(place.workspace)).toEqual(["c"]);
    expect(treeOf(home).filter((line) => !line.startsWith(".writ"))).toEqual(before);
    expect(SYSTEM.filter((file) => /evil/.test(textOf(file)))).toEqual([]);
  });

  it("B8 B12 B13 reports shell files, settings of package managers and instructions in the workspace", () => {
    const place = placeFor(user);
    const files = [
      ...[".bashrc", ".zshrc", ".profile"],
      ...[".npmrc", ".yarnrc.yml", ".pnpmfile.cjs", "pip.conf", "package.json"],
      "venv/lib/python3/site-packages/x.pth",
      ...["AGENTS.md", "CLAUDE.md", "sub/AGENTS.md", "sub/.mcp.json", "sub/.envrc"],
      ...["sub/.devcontainer/devcontainer.json", ".husky/pre-commit", ".cursor/mcp.json"],
    ];
    const script = files.map((file) => `mkdir -p ${path.dirname(file)} && echo x > ${file}`);
    const ran = told(place, `${script.join(" && ")} && echo x > src.ts`);
    expect(ran.status).toBe(0);
    const left = files.map((file) =>
      file.replace(/^((?:sub\/)?\.(devcontainer|husky|cursor))\/.*/, "$1"),
    );
    expect(leftIn(place.workspace, ran)).toEqual(left.toSorted());
  });

  it("B13 refuses to write skills and settings of agents", () => {
    const place = placeFor(user);
    const tries = [
      "mkdir -p .agents/skills/x && echo x > .agents/skills/x/SKILL.md",
      "mkdir -p .claude/skills/x",
      "mkdir -p .codex/skills/x",
    ];
    const ran = told(place, `${attempts(tries)}\necho x > control`);
    expect(ran.stdout).toBe("");
    expect(leftIn(place.workspace, ran)).toEqual([]);
    expect(fs.readdirSync(place.workspace)).toEqual(["control"]);
  });

  it("B10 reports a program in a folder of PATH that lies in the workspace, and refuses it elsewhere", () => {
    const place = placeFor(user);
    layOut(place.workspace, { "bin/": "", "node_modules/.bin/": "" });
    const elsewhere = path.join(place.outside, "bin");
    fs.mkdirSync(elsewhere);
    const plant = (folder: string) => `echo evil > ${folder}/git && chmod +x ${folder}/git`;
    const script = attempts([plant(elsewhere), plant("bin"), plant("node_modules/.bin")]);
    const env = { PATH: `${place.workspace}/bin:${elsewhere}:/usr/bin:/bin` };
    const ran = told(place, script, { env });
    expect(ran.stdout.split("\n").map((line) => line.split(" ")[4])).toEqual([
      "bin/git",
      "node_modules/.bin/git",
      undefined,
    ]);
    expect(leftIn(place.workspace, ran)).toEqual(["bin/git", "node_modules/.bin/git"]);
    expect(fs.readdirSync(elsewhere)).toEqual([]);
  });

  it("B5 says that it did not look at everything where the command made too much to look at", () => {
    const place = placeFor(user);
    const script = `perl -e 'mkdir("d$_") for 1..2500' && mkdir -p a/b/c/.git`;
    const ran = told(place, script);
    expect(ran.receipt.leftBehind).toMatchObject({ kind: "lookedFor", complete: false });
  });
});

function textOf(file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
