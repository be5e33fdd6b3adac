/** What a command may only read stays everybody's to open, at once. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { placeFor, USERS } from "../../support/sandbox-user.ts";

/** Takes each file for itself, as a file server does, and says what came of it; a lock is the control. */
const TAKE = `
  use Fcntl qw(:DEFAULT :flock);
  $| = 1; $SIG{IO} = "IGNORE";
  my @open;
  for (@ARGV) {
    sysopen(my $file, $_, O_RDONLY) or die "$_: $!";
    push @open, $file;
    for my $kind (1, 0) { print fcntl($file, 1024, $kind) ? "taken\\n" : "refused\\n" }
    print flock($file, LOCK_SH | LOCK_NB) ? "locked\\n" : "not locked\\n";
  }
  print "ready\\n";
  sleep 60;
`;

describe.each(USERS)("as %s, a command", (user) => {
  it("makes nobody wait who opens a file that it can only read", async () => {
    const place = placeFor(user);
    const file = path.join(place.outside, "file");
    const project = path.join(place.workspace, "writ.toml");
    fs.writeFileSync(file, "text");
    fs.writeFileSync(project, 'default_permissions = ":read-only"\n');
    place.give();
    const command = ["/usr/bin/perl", "-e", TAKE, file, project];
    const args = place.argv(["run", "--sandbox", "read-only", "--", ...command]);
    const child = spawn(args[0] ?? "", args.slice(1), { cwd: place.workspace, env: place.env });
    onTestFinished(() => void child.kill());
    let printed = "";
    child.stdout.on("data", (chunk) => {
      printed += chunk;
    });
    await expect.poll(() => printed).toContain("ready");
    const flags = fs.constants.O_RDWR | fs.constants.O_NONBLOCK;
    for (const one of [file, project]) fs.closeSync(fs.openSync(one, flags));
    expect(printed).toBe(`${"refused\nrefused\nlocked\n".repeat(2)}ready\n`);
    child.kill();
    await once(child, "close");
  });
});
