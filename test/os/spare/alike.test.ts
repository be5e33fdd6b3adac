/** A command cannot tell whether its sandbox was built for it or ahead of it. */
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { keptReceipts } from "../exec-server/support/kept-receipts.ts";
import { USERS } from "../support/sandbox-user.ts";
import { spareLab } from "./support/spare-lab.ts";

/**
 * All that a process gets from whoever starts it. Numbers of pipes and mounts differ from run to run, and so
 * do signals that wait for its user (SigQ). The shell reads its own state: it blocks all signals while it starts
 * a program, which might see it so, and looks for its descriptors before it has pipes of its own. What was open in
 * whoever started the server is nothing in both, but closed only where Node did not start it.
 */
const LOOK = `
env -0 | sort -z | tr '\\0' '|'; echo
set -- /proc/$$/fd/*
for fd; do
  link=$(readlink "$fd" | sed 's/[0-9]\\{2,\\}/N/g')
  case "$fd $link" in */[0-9][0-9]*' /dev/null') ;; *) echo "$fd $link" ;; esac
done
IFS=
while read -r line; do
  case $line in Uid*|Gid*|Groups*|SigPnd*|SigBlk*|SigIgn*|SigCgt*|Shd*|Cap*|NoNewPrivs*|Seccomp*|Umask*|Cpus_allowed:*) echo "$line" ;; esac
done < /proc/$$/status
cut -d ' ' -f 4-6 /proc/$$/mountinfo
cut -d ' ' -f 1,5-8 /proc/$$/stat
cat /proc/$$/limits /proc/$$/oom_score_adj
tr '\\0' '|' < /proc/$$/cmdline; echo
readlink /proc/$$/cwd /proc/$$/exe; pwd; ls -la / | wc -l; cat`;

/** Both lines of each place where they differ, so that a failure shows what it was. */
function differences(ahead: string, fresh: string): (readonly (string | undefined)[])[] {
  const [lines, others] = [ahead.split("\n"), fresh.split("\n")];
  const places = Array.from({ length: Math.max(lines.length, others.length) }, (_, at) => at);
  return places.map((at) => [lines[at], others[at]] as const).filter(([a, b]) => a !== b);
}

describe.each(USERS)("as %s, a sandbox that was built ahead", (user) => {
  it("gives its command what a new one gives", async () => {
    const { run, spare } = await spareLab(user);
    const env = { PATH: "/usr/bin:/bin", ODD: "a 'b' \"c\" $(d)\n\\ é ", EMPTY: "", IFS: "x" };
    const look = { env, argv: ["/bin/sh", "-c", LOOK] };
    const fresh = await run("", look);
    await spare({ env });
    const ahead = await run("", look);
    expect(differences(ahead.stdout, fresh.stdout)).toEqual([]);
    expect(ahead).toMatchObject({ stderr: "", exitCode: 0 });
    expect(fresh.stdout).toContain("Seccomp:\t2");
  });

  it("hands arguments on as they are", async () => {
    const { lab, run, spare } = await spareLab(user);
    const words = [
      "",
      "'",
      "''",
      "a'b",
      '"',
      "\\",
      "$(touch made)",
      "`touch made`",
      "\n",
      " x\n\n",
    ];
    const bytes = Array.from({ length: 255 }, (_, code) => String.fromCodePoint(code + 1)).join("");
    const argv = ["/usr/bin/printf", "%s|", ...words, bytes, "é€😀", "-n", "--", "}"];
    await spare();
    const { stdout } = await run("", { argv });
    expect(stdout).toBe(
      argv
        .slice(2)
        .map((word) => `${word}|`)
        .join(""),
    );
    expect(readdirSync(lab.place.workspace)).not.toContain("made");
  });

  it("hands on a command line that is longer than a pipe", async () => {
    const { run, spare } = await spareLab(user);
    const long = "'x".repeat(60_000);
    await spare();
    const { stdout } = await run("", {
      argv: ["/usr/bin/printf", "%s", long],
      env: { LONG: long },
    });
    expect(stdout).toBe(long);
  });

  it.each([
    ["is not there", ["no-such-program"], 127],
    ["is not there by its path", ["/no/such/program", "x"], 127],
    ["cannot be executed", ["/etc/passwd"], 127],
  ])("tells of a program that %s as a new one does", async (_, argv, exitCode) => {
    const { lab, run, spare } = await spareLab(user);
    const fresh = await run("", { argv });
    await spare();
    const told = await run("", { argv });
    expect(fresh).toMatchObject({ exitCode });
    expect(told).toMatchObject({ exitCode, sandboxDenied: fresh.sandboxDenied });
    const [last, , first] = keptReceipts(lab.place);
    expect(first?.outcome).toMatchObject({ kind: "notStarted" });
    expect(last?.outcome).toEqual(first?.outcome);
  });

  it.each([126, 127, 2])("leaves an exit with %i to its command", async (code) => {
    const { inSpare } = await spareLab(user);
    expect(await inSpare(`exit ${code}`)).toMatchObject({ exitCode: code });
  });
});
