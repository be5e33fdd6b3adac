/** Folders above what a pattern denies, which a command moves, several of them before anything ends it. */
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { layOut } from "../../support/later-attempts.ts";
import { profileFlags } from "../../support/sandbox-modes.ts";
import { type Place, placeFor, USERS } from "../../support/sandbox-user.ts";

const SECRET = "s3cr3t-canary";

function hidden(place: Place, rules: string, more = ""): string[] {
  const toml = `extends = ":workspace"\n[filesystem.":workspace_roots"]\n${rules}\n${more}`;
  return profileFlags(place.outside, "hidden", toml);
}

describe.each(USERS)("folders of what patterns deny, as %s", (user) => {
  it("C3 carries nothing away by two moves, of which each stays within another pattern", () => {
    const place = placeFor(user);
    layOut(place.workspace, { "a/b/c/m": SECRET, "free/f": "free" });
    const flags = hidden(place, `"a/**/m" = "deny"\n"**/b/c/m" = "deny"`);
    const moves = "rename(q(a/b/c), q(a/b/d)); rename(q(a), q(z)); rename(q(free), q(moved-free))";
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
});
