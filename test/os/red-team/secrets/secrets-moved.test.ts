/** Folders above what a pattern denies, which a command moves, several of them before anything ends it. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { made, startRun } from "../../launch/live-run.ts";
import { number } from "../../support/kernel-attempts.ts";
import { layOut } from "../../support/later-attempts.ts";
import { profileFlags } from "../../support/sandbox-modes.ts";
import { type Place, placeFor, USERS } from "../../support/sandbox-user.ts";

const SECRET = "s3cr3t-canary";

function hidden(place: Place, rules: string, more = ""): string[] {
  const toml = `extends = ":workspace"\n[filesystem.":workspace_roots"]\n${rules}\n${more}`;
  return profileFlags(place.outside, "hidden", toml);
}

/** Waits until somebody has read the folder, and does something to it at once. */
const onceRead = (folder: string, then: string) => `perl -MFcntl -e '
  my ($fd, $folder) = (syscall(${number(294, 26)}, 0), "${folder}");
  syscall(${number(254, 27)}, $fd, $folder, 0x10);
  open(my $told, "<&=", $fd); open(my $ready, ">", "ready"); close($ready);
  sysread($told, my $news, 4096);
  ${then}; sleep 10;'`;

/** A command beside another one, without touching the folders of either before it starts. It may be refused for the move. */
function beside({ argv, workspace, env }: Place, flags: readonly string[], script: string) {
  const [program = "", ...rest] = argv(["run", ...flags, "--", "/bin/sh", "-c", script]);
  return spawnSync(program, rest, { cwd: workspace, env, encoding: "utf8", timeout: 60_000 });
}

describe.each(USERS)("folders of what patterns deny, as %s", (user) => {
  it("C3 carries nothing away by two moves, of which each stays within another pattern", () => {
    const place = placeFor(user);
    layOut(place.workspace, { "a/b/c/m": SECRET, "free/f": "free" });
    const flags = hidden(place, `"a/**/m" = "deny"\n"**/b/c/m" = "deny"`);
    // The free one first: whoever moves a match is ended, and perhaps before it comes to anything else.
    const moves = "rename(q(free), q(moved-free)); rename(q(a/b/c), q(a/b/d)); rename(q(a), q(z))";
    place.sh(`perl -e '${moves}'`, flags);
    const { stdout } = place.sh("cat */*/*/m; cat moved-free/f", flags);
    expect(stdout).toBe("free");
  });

  it("C3 moves no socket of the host away from what hides it, in a folder that a pattern keeps in place", async () => {
    const place = placeFor(user);
    layOut(place.workspace, { "a/k/x.key": SECRET });
    const server = net.createServer((one) => one.end("reached"));
    onTestFinished(() => void server.close());
    await new Promise<void>((done) => {
      server.listen(path.join(place.workspace, "a/k/sock"), done);
    });
    const sockets = `[network]\nunix_socket_access = "private"\n`;
    const flags = hidden(place, `"**/k/*.key" = "deny"`, sockets);
    expect(place.sh("mv a z 2>/dev/null; echo ran", flags).stdout).toBe("ran\n");
    expect(fs.readdirSync(place.workspace)).toEqual(["a"]);
  });

  it("keeps no folder in place for a pattern that spans a workspace which is named by a link", () => {
    const place = placeFor(user);
    const names = Array.from({ length: 70 }, (_, one) => `p/${one}/src/conf/.env`);
    layOut(place.workspace, Object.fromEntries(names.map((name) => [name, SECRET])));
    layOut(place.workspace, { "conf/x.key": SECRET });
    const alias = path.join(place.outside, "alias");
    fs.symlinkSync(place.workspace, alias);
    const rules = `"**/.env" = "deny"\n"conf/*.key" = "deny"`;
    const flags = [...hidden(place, rules), "-C", alias];
    const script = "cat p/1/src/conf/.env conf/x.key; mv conf moved; cat */x.key; echo ran";
    const { status, stdout, stderr } = place.sh(script, flags);
    expect({ status, stdout }, stderr).toEqual({ status: 0, stdout: "ran\n" });
    expect(fs.readdirSync(place.workspace).sort()).toEqual(["conf", "p"]);
  });

  it("C3 hides what a command moves between the look for it and the watch on it", async () => {
    const place = placeFor(user);
    layOut(place.workspace, { "a/k/x.key": SECRET });
    const flags = hidden(place, `"**/*.key" = "deny"`);
    const another = `rename(q(a/k), q(z)); mkdir(q(a/k)); sysopen(my $new, q(a/k/x.key), O_CREAT)`;
    const mover = startRun(place, onceRead("a/k", another), flags);
    await made(place, "ready");
    const script = "cat z/x.key; ls z; echo ran";
    expect(beside(place, flags, script).stdout).not.toContain(SECRET);
    expect(await mover.ended).toBe(137);
    expect(place.sh(script, flags).stdout).toBe("x.key\nran\n");
    expect(fs.readFileSync(path.join(place.workspace, "z/x.key"), "utf8")).toBe(SECRET);
  });

  it("C3 hides what a command moves from where the look will come to where it has been", async () => {
    const place = placeFor(user);
    const names = Array.from({ length: 500 }, (_, one) => `p/${one}/f`);
    layOut(place.workspace, Object.fromEntries(names.map((name) => [name, ""])));
    layOut(place.workspace, { "a/f": "", "z/1/2/3/4/5/6/k/x.key": SECRET });
    const flags = hidden(place, `"**/*.key" = "deny"`);
    const mover = startRun(place, onceRead("a", "rename(q(z/1/2/3/4/5/6/k), q(a/k))"), flags);
    await made(place, "ready");
    const script = "cat a/k/x.key; ls a/k; echo ran";
    expect(beside(place, flags, script).stdout).not.toContain(SECRET);
    expect(await mover.ended).toBe(137);
    expect(place.sh(script, flags).stdout).toBe("x.key\nran\n");
    expect(fs.readFileSync(path.join(place.workspace, "a/k/x.key"), "utf8")).toBe(SECRET);
  });

  it("starts where what is made for a sandbox matches as well", () => {
    const place = placeFor(user);
    const flags = hidden(place, `"**/.git" = "deny"\n"**/new" = "deny"\n"new/in/it" = "deny"`);
    const { status, stdout } = place.sh("touch .git/x new/x; echo ran", flags);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "ran\n" });
    expect(fs.readdirSync(place.workspace)).toEqual([]);
  });
});
