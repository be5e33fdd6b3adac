/** Files that a command must not read, by every way to them that a shell knows. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { attempts, layOut, treeOf } from "../../support/later-attempts.ts";
import { flagsOf, MODES, profileFlags } from "../../support/sandbox-modes.ts";
import { type Place, placeFor, USERS } from "../../support/sandbox-user.ts";

const SECRET = "s3cr3t-canary";
const HOME_SECRETS = [
  ".ssh/id_ed25519",
  ".aws/credentials",
  ".config/gh/hosts.yml",
  ".mozilla/firefox/x/logins.json",
  ".netrc",
];

const homeOf = ({ env }: Place) => env.HOME ?? "";

function hidden(place: Place, rules: string): string[] {
  const toml = `extends = ":workspace"\n[filesystem.":workspace_roots"]\n${rules}\n`;
  return profileFlags(place.outside, "hidden", toml);
}

describe.each(USERS)("secrets in files, as %s", (user) => {
  it.each(["restricted-read", "workspace-write"] as const)(
    "C1 hides credentials of the home: by restricted reads, or by name in %s",
    (mode) => {
      const place = placeFor(user);
      const home = homeOf(place);
      layOut(home, Object.fromEntries(HOME_SECRETS.map((name) => [name, SECRET])));
      layOut(place.workspace, { shown: "shown" });
      const rules = [".ssh", ".aws", ".config", ".mozilla", ".netrc"].map(
        (name) => `"~/${name}" = "deny"`,
      );
      const toml = `extends = ":workspace"\n[filesystem]\n${rules.join("\n")}\n`;
      const flags =
        mode === "restricted-read"
          ? flagsOf(mode, place)
          : profileFlags(place.outside, "home", toml);
      const reads = HOME_SECRETS.flatMap((name) => [
        `cat ${home}/${name}`,
        `cat /proc/self/root${home}/${name}`,
        `cp -r ${path.dirname(path.join(home, name))} copy`,
      ]);
      const { stdout } = place.sh(`${reads.join("; ")}; cat shown`, flags);
      expect(stdout).toBe("shown");
      // A copy of what was covered is closed as that was, but for root.
      spawnSync("chmod", ["-R", "u+rX", place.workspace]);
      expect(treeOf(place.workspace).join()).not.toContain(SECRET);
    },
  );

  it.each(MODES)(
    "C2 hides writ's own folder in %s, and keeps its records from being written",
    (mode) => {
      const place = placeFor(user);
      const own = place.env.WRIT_HOME ?? "";
      layOut(own, { token: SECRET, "threads/db": SECRET });
      fs.writeFileSync(path.join(place.workspace, "shown"), "shown\n");
      const records = `/var/tmp/writ-${fs.statSync(place.workspace).uid}`;
      const tries = [
        `cat ${own}/token`,
        `ls ${own}`,
        `cat ${own}/cache/*`,
        `cd ${own}`,
        `cat /proc/self/root${own}/threads/db`,
        `touch ${own}/x`,
        `touch ${records}/x`,
        `rm -r ${records}`,
        `mv ${records} ${records}-moved`,
        `ln ${records}/lock lock`,
        `for f in ${records}/*; do echo x >> $f && exit 0; done; exit 1`,
      ];
      const { stdout } = place.sh(`${attempts(tries)}\ncat shown`, flagsOf(mode, place));
      expect(stdout).toBe("shown\n");
      expect([fs.existsSync(records), fs.existsSync(`${records}/x`)]).toEqual([true, false]);
      expect(fs.readFileSync(path.join(own, "token"), "utf8")).toBe(SECRET);
    },
  );

  it("C2 keeps its records from being written where the policy opens the folder around them", () => {
    const place = placeFor(user);
    const records = `/var/tmp/writ-${fs.statSync(place.workspace).uid}`;
    const base = path.dirname(place.workspace);
    const toml = `extends = ":workspace"\n[filesystem]\n"/var/tmp" = "write"\n`;
    const tries = [`touch ${records}/x`, `mv ${records} ${records}-moved`, `rm -r ${records}`];
    const script = `${attempts(tries)}\ntouch ${base}/control && echo control`;
    const { stdout, stderr } = place.sh(script, profileFlags(place.outside, "open", toml));
    expect(stdout, stderr).toBe("control\n");
    expect([fs.existsSync(records), fs.existsSync(`${records}/x`)]).toEqual([true, false]);
  });

  it.each(["its own name", "a link of the project", "a link of the host"])(
    "C2 refuses to start where a project's policy opens writ's own folder by %s",
    (way) => {
      const place = placeFor(user);
      const own = place.env.WRIT_HOME ?? "";
      layOut(own, { token: SECRET });
      const folder = way === "a link of the host" ? place.outside : place.workspace;
      const alias = way === "its own name" ? own : path.join(folder, "alias");
      if (alias !== own) fs.symlinkSync(own, alias);
      const table = `extends = ":workspace"\n[permissions.p.filesystem]\n"${alias}/token" = "read"`;
      const text = `default_permissions = "p"\n[permissions.p]\n${table}\n`;
      fs.writeFileSync(path.join(place.workspace, "writ.toml"), text);
      const ran = place.sh(`cat ${own}/token ${alias}/token`, []);
      expect(ran).toMatchObject({ status: 125, stdout: "" });
    },
  );

  it("C3 C4 hides what a pattern denies, also through links, descriptors and copies", () => {
    const place = placeFor(user);
    layOut(place.workspace, { ".env": SECRET, "a/b/.env": SECRET, "a/b/free": "free" });
    const ways = [
      "cat .env",
      "cat ./a/../.env",
      "cat /proc/self/cwd/.env",
      `cat /proc/self/root${place.workspace}/.env`,
      `cat /proc/thread-self/root${place.workspace}/a/b/.env`,
      "ln -s .env sym && cat sym",
      "ln .env hard && cat hard",
      "ln -L sym hard2 && cat hard2",
      "exec 3< .env && cat /proc/self/fd/3",
      "cp .env copied",
      "cp -r a copied-a && cat copied-a/b/.env",
      "tar cf - . | tar xOf - ./.env",
      "dd if=.env",
      "perl -e 'open F, q(.env) or exit 1; print <F>'",
      "mv .env shown; cat shown",
      "rm .env",
    ];
    const lines = ways.map((way) => `( ${way} ) 2>/dev/null`).join("\n");
    const { stdout } = place.sh(
      `{ ${lines}\n} | grep -a canary; cat */*/free`,
      hidden(place, `"**/.env" = "deny"`),
    );
    expect(stdout).toBe("freefree");
    const kept = treeOf(place.workspace).filter((line) => line.includes(SECRET));
    expect(kept.map((line) => line.split(" ")[0])).toEqual([".env", "a/b/.env"]);
  });

  it("C3 ends a command that moves the folder of what a pattern hides, and it saw nothing", () => {
    const place = placeFor(user);
    layOut(place.workspace, { "a/b/.env": SECRET });
    const script = "echo control; mv a moved; while :; do cat moved/b/.env 2>/dev/null; done";
    const { stdout, status, stderr } = place.sh(script, hidden(place, `"**/.env" = "deny"`));
    expect({ stdout, status }).toEqual({ stdout: "control\n", status: 137 });
    expect(stderr).toContain("a/b/.env");
  });

  it.each([
    ["conf/*.key", "rename(q(conf), q(moved))"],
    ["*/k/*.key", "rename(q(conf/k), q(conf/moved)); rename(q(conf), q(moved))"],
    ["conf/**/*.key", "rename(q(conf/k), q(moved)); rename(q(conf), q(moved))"],
    ["**/k/*", "rename(q(conf/k), q(moved)); rename(q(conf/k), q(conf/moved))"],
  ])("C3 moves nothing to where %s does not reach, also for the next command", (pattern, moves) => {
    const place = placeFor(user);
    layOut(place.workspace, { "conf/a.key": SECRET, "conf/k/b.key": SECRET, "free/f": "free" });
    // What the pattern leaves open is no part of this.
    if (!pattern.startsWith("conf/")) fs.rmSync(path.join(place.workspace, "conf/a.key"));
    if (pattern === "conf/*.key") fs.rmSync(path.join(place.workspace, "conf/k/b.key"));
    const flags = hidden(place, `"${pattern}" = "deny"`);
    const control = "rename(q(free), q(moved-free))";
    expect(place.sh(`perl -e '${moves}; ${control}'; echo ran`, flags).stdout).toBe("ran\n");
    const { stdout } = place.sh("cat moved/* moved/*/* conf/moved/*; cat moved-free/f", flags);
    expect(stdout).toBe("free");
    expect(fs.readdirSync(place.workspace).sort()).toEqual(["conf", "moved-free"]);
  });

  it("C3 moves nothing away that is denied by name, though a pattern hides the folder around it", () => {
    const place = placeFor(user);
    layOut(place.workspace, { "in/folder/hidden/secret": SECRET });
    const rules = ["in/folder/hidden/secret", "in/**/hidden"].map((one) => `"${one}" = "deny"`);
    const flags = hidden(place, rules.join("\n"));
    place.sh(`perl -e 'rename(q(in/folder), q(moved)); rename(q(in), q(moved))'`, flags);
    const { stdout } = place.sh("cat moved/hidden/secret; cat moved/*/hidden/secret; pwd", flags);
    expect(stdout).toBe(`${place.workspace}\n`);
    expect(fs.readdirSync(place.workspace)).toEqual(["in"]);
  });

  it("C3 says why nothing starts in a folder that a denied link leads to, whoever planted that", () => {
    const place = placeFor(user);
    const flags = hidden(place, `"**/.env" = "deny"`);
    expect(place.sh("ln -s . .env", flags).status).toBe(0);
    const { status, stdout, stderr } = place.sh("echo ran", flags);
    expect({ status, stdout }).toEqual({ status: 125, stdout: "" });
    const start = `writ: Cannot start in "${place.workspace}": `;
    expect(stderr).toMatch(new RegExp(`^${start}.*\\.env.* matches a link to .*\\n$`));
  });

  it("C4 hides a denied file and a denied folder behind links that were there before", () => {
    const place = placeFor(user);
    layOut(place.outside, { "keys/k": SECRET, key: SECRET });
    fs.symlinkSync(path.join(place.outside, "keys"), path.join(place.workspace, "folder"));
    fs.symlinkSync(path.join(place.outside, "key"), path.join(place.workspace, "file"));
    fs.symlinkSync(path.join(place.outside, "open"), path.join(place.workspace, "free"));
    fs.writeFileSync(path.join(place.outside, "open"), "free");
    const deny = ["keys", "key"].map((name) => `"${place.outside}/${name}" = "deny"`);
    const toml = `extends = ":workspace"\n[filesystem]\n${deny.join("\n")}\n`;
    const script = "cat folder/k; cat file; ls folder; cat free";
    const { stdout } = place.sh(script, profileFlags(place.outside, "links", toml));
    expect(stdout).toBe("free");
  });

  it.each<[string, Record<string, string>, string]>([
    ["that the pattern names", { secrets: "keys" }, "secrets/**"],
    ["on the way of the pattern", { docs: "keys" }, "docs/*"],
    ["that matches", { "a.env": "keys/k" }, "**/*.env"],
    ["inside what another one leads to", { far: "more" }, "far/*.env"],
  ])(
    "C4 refuses a pattern for what a link %s leads to, and the command may remove it",
    (_, links, pattern) => {
      const place = placeFor(user);
      layOut(place.workspace, { "keys/k": SECRET, "more/x": "" });
      fs.symlinkSync("../keys/k", path.join(place.workspace, "more/in.env"));
      for (const [name, to] of Object.entries(links)) {
        fs.symlinkSync(to, path.join(place.workspace, name));
      }
      const flags = hidden(place, `"${pattern}" = "deny"`);
      const { status, stdout, stderr } = place.sh("rm -f secrets docs a.env far; echo ran", flags);
      expect({ status, stdout }).toEqual({ status: 125, stdout: "" });
      expect(stderr).toMatch(/ only because the link ".*" leads there/);
      expect(place.sh("cat keys/k", flags)).toMatchObject({ status: 125, stdout: "" });
      const both = hidden(place, `"${pattern}" = "deny"\nkeys = "deny"`);
      place.sh("rm -f secrets docs a.env far more/in.env", both);
      expect(place.sh("cat keys/k; echo ran", both).stdout).toBe("ran\n");
      expect(fs.readdirSync(place.workspace).sort()).toEqual(["keys", "more"]);
    },
  );

  it("C4 hides what a pattern finds behind a link that no command may remove", () => {
    const place = placeFor(user);
    layOut(place.outside, { "keys/k": SECRET, open: "free" });
    fs.symlinkSync(path.join(place.outside, "keys/k"), path.join(place.outside, "a.env"));
    const toml = `extends = ":workspace"\n[filesystem]\n"${place.outside}/*.env" = "deny"\n`;
    const flags = profileFlags(place.outside, "links", toml);
    const script = `rm ${place.outside}/a.env; cat ${place.outside}/keys/k; cat ${place.outside}/open`;
    for (const _ of ["first", "again"]) {
      expect(place.sh(script, flags).stdout).toBe("free");
    }
  });

  it("C5 tells no name in a denied folder, and not whether one exists", () => {
    const place = placeFor(user);
    layOut(place.workspace, { "s/name-canary": "", "s/sub/deep-canary": "", "t/in/open": "" });
    layOut(place.workspace, { "t/name-canary": "" });
    const flags = hidden(place, `s = "deny"\nt = "deny"\n"t/in" = "read"`);
    const script = `ls -laR s t; find s t; echo s/* t/*; cat /proc/self/mountinfo
      for f in s/name-canary s/absent t/name-canary t/absent; do stat $f 2>&1 | sed "s/'.*'//"; done`;
    const { stdout } = place.sh(`{ ${script}\n} 2>/dev/null; ls t/in`, flags);
    expect(stdout).not.toContain("canary");
    const [first, second, third, fourth] = stdout.split("\n").filter((line) => /^stat:/.test(line));
    expect(first).toMatch(/denied|No such/);
    expect([second, fourth]).toEqual([first, third]);
    expect(stdout).toMatch(/^open$/m);
  });

  it("C6 refuses a grant that is a link to a denied target where the command may turn the link", () => {
    const place = placeFor(user);
    layOut(place.workspace, { "s/key": SECRET });
    fs.symlinkSync("s/key", path.join(place.workspace, "alias"));
    const ran = place.sh("cat alias", hidden(place, `s = "deny"\nalias = "read"`));
    expect(ran).toMatchObject({ status: 125, stdout: "" });
  });

  it("C6 opens nothing denied through a grant that is a link in a place of the host", () => {
    const place = placeFor(user);
    layOut(place.outside, { "s/key": SECRET, "s/other": SECRET });
    fs.symlinkSync("s/key", path.join(place.outside, "alias"));
    const rules = `"${place.outside}/s" = "deny"\n"${place.outside}/alias" = "read"`;
    const toml = `extends = ":workspace"\n[filesystem]\n${rules}\n`;
    const script = `cat ${place.outside}/alias ${place.outside}/s/key ${place.outside}/s/other`;
    const ran = place.sh(script, profileFlags(place.outside, "alias", toml));
    expect(ran).toMatchObject({ status: 125, stdout: "" });
    expect(ran.stderr).toContain("alias");
  });

  it("C6 reopens what a grant names inside a denied folder itself, and a link to what is open", () => {
    const place = placeFor(user);
    layOut(place.outside, { "s/key": "named\n", "s/other": SECRET, open: "open\n" });
    fs.symlinkSync("open", path.join(place.outside, "alias"));
    const rules = ["s = deny", "s/key = read", "alias = read"].map((rule) =>
      rule.replace(/(.*) = (.*)/, `"${place.outside}/$1" = "$2"`),
    );
    const toml = `extends = ":workspace"\n[filesystem]\n${rules.join("\n")}\n`;
    const script = `cat ${place.outside}/alias ${place.outside}/s/key ${place.outside}/s/other`;
    const { stdout } = place.sh(script, profileFlags(place.outside, "named", toml));
    expect(stdout).toBe("open\nnamed\n");
  });
});
