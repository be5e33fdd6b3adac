/** A command with a terminal of its own, started from one and from a pipe. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { profileFlags } from "../support/sandbox-modes.ts";
import { type Place, placeFor, USERS } from "../support/sandbox-user.ts";
import { until } from "./live-run.ts";
import { inTerminal } from "./outer-terminal.ts";

const TTY = ["run", "--tty", "--sandbox", "workspace-write", "--"];

function piped({ argv, workspace, env }: Place, args: readonly string[], input: string) {
  const [program = "", ...rest] = argv(args);
  const options = { cwd: workspace, env, input, encoding: "utf8", timeout: 30_000 } as const;
  return spawnSync(program, rest, options);
}

describe.each(USERS)("writ run --tty as %s", (user) => {
  it("gives 24 by 80 where there is no terminal to take the size from", () => {
    const place = placeFor(user);
    const { stdout, status } = piped(place, [...TTY, "sh", "-c", "stty size; exit 5"], "");
    expect({ stdout, status }).toEqual({ stdout: "24 80\r\n", status: 5 });
  });

  it("takes over the size it is started with, and every change of it", async () => {
    const session = inTerminal(placeFor(user), [
      ...TTY,
      "sh",
      "-c",
      "trap 'echo changed $(stty size)' WINCH; stty size; while :; do sleep 0.05; done",
    ]);
    await session.shows(/^30 100\r\n/);
    session.resize(44, 11);
    await session.shows(/changed 11 44\r\n/);
  });

  it("gives a shell job control: stop, list, continue", async () => {
    const session = inTerminal(placeFor(user), [...TTY, "sh", "-i"]);
    await session.shows(/[#$] $/);
    session.type("sleep 7171\r");
    await session.shows(/sleep 7171\r\n/);
    await until(() => isInForeground(["sleep", "7171"]));
    session.type("\x1a");
    await session.shows(/Stopped/);
    session.type("jobs; fg\r");
    await session.shows(/Stopped.*sleep 7171[\s\S]*sleep 7171\r\n/);
    await until(() => isInForeground(["sleep", "7171"]));
    session.type("\x03");
    await session.shows(/[#$] /);
    session.type("exit 6\r");
    expect(await session.ended()).toBe(6);
    expect(session.text()).not.toContain("no job control");
  });

  it("hands ^C to a command that handles it, and goes on", async () => {
    const session = inTerminal(placeFor(user), [
      ...TTY,
      "sh",
      "-c",
      "trap 'echo caught; on=1' INT; echo ready; until [ $on ]; do sleep 0.1; done; read line; echo got $line; exit 3",
    ]);
    await session.shows(/ready\r\n/);
    session.type("\x03");
    await session.shows(/caught\r\n/);
    session.type("more\r");
    await session.shows(/got more\r\n/);
    expect(await session.ended()).toBe(3);
  });

  it("ends a command that does not handle ^C, and that alone", async () => {
    // A shell that is about to start a program may lose the signal; one that becomes it does not.
    const session = inTerminal(placeFor(user), [...TTY, "sh", "-c", "echo ready; exec sleep 60"]);
    await session.shows(/ready\r\n/);
    session.type("\x03");
    expect(await session.ended()).toBe(130);
  });

  it("hands on the end of what is typed, from a terminal and from a pipe", async () => {
    const place = placeFor(user);
    const session = inTerminal(place, [...TTY, "cat"]);
    session.type("one\r");
    await session.shows(/one\r\none\r\n/);
    session.type("\x04");
    expect(await session.ended()).toBe(0);
    expect(piped(place, [...TTY, "cat"], "two\n")).toMatchObject({ stdout: "two\r\ntwo\r\n" });
    const half = piped(place, [...TTY, "sh", "-c", "stty -echo; cat"], "half");
    expect(half.stdout.replace(/^half/, "")).toContain("half");
    expect(half.status).toBe(0);
  });

  it("hands on all that was printed before the end", () => {
    const place = placeFor(user);
    const { stdout, status } = piped(place, [...TTY, "seq", "1", "60000"], "");
    expect(status).toBe(0);
    expect(stdout.split("\r\n").slice(-2)).toEqual(["60000", ""]);
    expect(stdout.split("\r\n")).toHaveLength(60_001);
  });

  it("filters system calls as without one, and hands on no descriptor", () => {
    const place = placeFor(user);
    const script = `
      grep Seccomp: /proc/self/status | tr -d '\\t'
      perl -e 'my $c = "x"; print ioctl(STDIN, 0x5412, $c) ? "typed\\n" : "refused\\n"'
      ls -l /proc/self/fd | sed -n 's/.* \\([0-9]*\\) -> /\\1 /p'
      test -t 0 && test -t 1 && test -t 2 && echo terminal`;
    const { stdout } = piped(place, [...TTY, "sh", "-c", script], "");
    const lines = stdout.trim().split("\r\n");
    expect(lines).toContain("Seccomp:2");
    expect(lines).toContain("refused");
    expect(lines).toContain("terminal");
    const others = lines.filter((line) => /^([3-9]|\d\d+) /.test(line));
    expect(others.filter((line) => !/^\d+ (\/proc\/|\/dev\/null)/.test(line))).toEqual([]);
  });

  it.each(["SIGTERM", "SIGHUP"] as const)(
    "leaves the terminal as it was when %s ends writ",
    async (signal) => {
      const place = placeFor(user);
      const words = place.argv([...TTY, "sh", "-c", "echo ready; sleep 60"]);
      const writ = words.map((word) => `'${word}'`).join(" ");
      const around = {
        ...place,
        argv: () => ["/bin/sh", "-c", AROUND, "sh", `echo pid $$; exec ${writ}`],
      };
      const session = inTerminal(around, []);
      const pid = /pid (\d+)/.exec(await session.shows(/pid \d+\r\n/))?.[1];
      await session.shows(/ready\r\n/);
      process.kill(Number(pid), signal);
      const after = await session.shows(/settings [^\r]+\r\n/);
      expect(after).toContain(" icanon ");
      expect(after).toContain(" echo ");
      expect(await session.ended()).toBe(signal === "SIGTERM" ? 143 : 129);
    },
  );

  it("shows what the terminal needs and nothing beside it, where the policy shows none of it", () => {
    const place = placeFor(user);
    const shown = ["/usr/lib", "/usr/lib64", "/usr/bin/dash", "/usr/bin/ls", "/usr/bin/tty"];
    const reads = shown.map((file) => `"${file}" = "read"`);
    const toml = ["[filesystem]", ...reads, '":workspace_roots" = "write"'].join("\n");
    const flags = profileFlags(place.outside, "narrow", toml);
    const receipt = path.join(place.outside, "receipt.json");
    const script = "/usr/bin/tty -s && /usr/bin/ls /usr/bin";
    const command = ["/usr/bin/dash", "-c", script];
    const ran = place.run(["run", "--tty", "--receipt", receipt, ...flags, "--", ...command]);
    expect({ status: ran.status, names: ran.stdout.split(/\s+/) }).toEqual({
      status: 0,
      names: ["dash", "ls", "setsid", "tty", ""],
    });
    const { enforced } = JSON.parse(readFileSync(receipt, "utf8"));
    expect(enforced.launchFiles).toContain("/usr/bin/setsid");
  });

  it("is refused under a policy that hides the program it needs", () => {
    const place = placeFor(user);
    const toml = `extends = ":workspace"\n[filesystem]\n"/usr/bin/setsid" = "deny"`;
    const hidden = profileFlags(place.outside, "hidden", toml);
    const args = ["--", "/bin/sh", "-c", "touch ran"];
    const { status, stderr } = place.run(["run", "--tty", ...hidden, ...args]);
    expect(status).toBe(125);
    expect(stderr).toMatch(/^writ: Cannot give the command a terminal: .*setsid.*\n$/);
    expect(readdirSync(place.workspace)).toEqual([]);
    expect(place.run(["run", ...hidden, ...args]).status).toBe(0);
  });
});

/** Whether a command runs, and gets what is typed: its group is the one that its terminal is for. */
function isInForeground(words: readonly string[]): boolean {
  return readdirSync("/proc").some((pid) => {
    if (textOf(`/proc/${pid}/cmdline`) !== `${words.join("\0")}\0`) return false;
    const stat = textOf(`/proc/${pid}/stat`);
    // See proc_pid_stat(5); the name stands in brackets and may have any characters.
    const [state, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state !== "T" && group === foreground;
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Stays in the terminal's foreground, says who writ is, and shows what the terminal is like afterwards. */
const AROUND = `sh -c "$1"; status=$?; echo settings $(stty -a | tr ';' ' '); exit $status`;
