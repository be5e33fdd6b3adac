/** What goes wrong before a command runs: one sentence, one status, and nothing ran. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Place, placeFor, type Ran, USERS } from "../support/sandbox-user.ts";

const POLICY = ["--sandbox", "workspace-write"];
const TOUCH = ["--", "/bin/sh", "-c", "touch ran"];

/** Through a shell of the user, which can close descriptors and remove folders first. */
function shell({ argv, workspace, env }: Place, script: string, args: readonly string[]): Ran {
  const [program = "", ...rest] = argv([]);
  const user = [program, ...rest].slice(0, -1);
  const [first = "/bin/sh", ...words] = [...user, "/bin/sh", "-c", script, ...argv([]).slice(-1)];
  const options = { cwd: workspace, env, encoding: "utf8", timeout: 30_000 } as const;
  return spawnSync(first, [...words, ...args], options);
}

/** One sentence of writ's, and none of Node's. */
const SENTENCE = /^writ: [A-Z][^\n]+\n$/;

describe.each(USERS)("writ run as %s", (user) => {
  it.each([
    ["a receipt in no folder", ["--receipt", "/nonexistent/r"], /no folder "\/nonexistent"/],
    ["a receipt on a folder", ["--receipt", "."], /it is a folder, expected a file/],
  ])("refuses %s", (_, flags, message) => {
    const place = placeFor(user);
    const ran = place.run(["run", ...POLICY, ...flags, ...TOUCH]);
    expect(ran).toMatchObject({ status: 125, stdout: "" });
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr).toMatch(SENTENCE);
    expect(readdirSync(place.workspace)).toEqual([]);
  });

  it.each([
    ["a path that is too long", ["-C", "/a".repeat(3000)], /at most 4096/],
    ["-C on a file", ["-C", "/etc/passwd"], /it is a file, expected a folder/],
    ["-C on nothing", ["-C", "/nonexistent"], /no such folder/],
    ["a name that is too long", ["-C", `/${"a".repeat(300)}`], /too long/],
    ["no folder at all", ["-C", ""], /expected a folder/],
    ["a flag that does not exist", ["--reciept", "r"], /--reciept/],
    ["a time that is none", ["--timeout", "soon"], /expected seconds/],
  ])("points to the help on %s", (_, flags, message) => {
    const place = placeFor(user);
    const ran = place.run(["run", ...POLICY, ...flags, ...TOUCH]);
    expect(ran).toMatchObject({ status: 2, stdout: "" });
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr).toMatch(/^writ: [^\n]+\nRun: writ run --help\n$/);
    expect(readdirSync(place.workspace)).toEqual([]);
  });

  it("gives 127 where there is no such program, and where it cannot be executed", () => {
    const place = placeFor(user);
    writeFileSync(path.join(place.workspace, "text"), "no program");
    for (const flags of [[], ["--tty"], ["--receipt", "../outside/r"]]) {
      for (const program of ["no-such-program", "/no/such/program"]) {
        const ran = place.run(["run", ...POLICY, ...flags, "--", program]);
        expect(ran.status).toBe(127);
        expect(ran.stderr + ran.stdout).toContain(program);
      }
    }
    const ran = place.run(["run", ...POLICY, "--", "./text"]);
    expect(ran.status).toBe(127);
    expect(ran.stderr).toContain('writ: Cannot start "./text": the sandbox has no such program');
    const receipt = JSON.parse(readFileSync(path.join(place.outside, "r"), "utf8"));
    expect(receipt.outcome.kind).toBe("notStarted");
    const waived = place.run(["run", "--sandbox", "danger-full-access", "--", "no-such-program"]);
    expect(waived.status).toBe(127);
    expect(waived.stderr).toContain("there is no such program");
  });

  it("refuses an empty command, too many arguments and ones that are too long", () => {
    const place = placeFor(user);
    const run = (...command: string[]) => place.run(["run", ...POLICY, "--", ...command]);
    const cases = [
      [run(""), /expected a program/],
      [run("/bin/true", ...Array.from({ length: 9100 }, () => "x")), /9100 arguments, expected/],
      [run(`/${"a".repeat(9000)}`), /no such program/],
    ] as const;
    expect(cases.map(([{ status }]) => status)).toEqual([2, 125, 127]);
    for (const [{ stderr }, message] of cases) expect(stderr).toMatch(message);
    const most = Array.from({ length: 8000 }, () => "x");
    expect(run("/bin/true", ...most).status).toBe(0);
  });

  it("refuses a current folder that is gone", () => {
    const place = placeFor(user);
    const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"';
    const ran = shell(place, script, ["run", ...POLICY, ...TOUCH]);
    expect(ran.status).toBe(125);
    expect(ran.stderr).toContain("writ: Cannot find the current folder: it is gone");
    expect(ran.stderr).not.toContain("node:");
  });

  it.each([
    ["stdin", "<&-"],
    ["stdout", ">&-"],
    ["stderr", "2>&-"],
    ["all three", "<&- >&- 2>&-"],
  ])("runs with %s closed, and hands on nothing in their place", (_, closed) => {
    const place = placeFor(user);
    const script = "cat; ls -l /proc/self/fd > fds; exit 3";
    const args = ["run", ...POLICY, "--", "/bin/sh", "-c", script];
    expect(shell(place, `exec "$0" "$@" ${closed}`, args).status).toBe(3);
    const fds = readFileSync(path.join(place.workspace, "fds"), "utf8");
    const targets = [...fds.matchAll(/(\d+) -> (.*)/g)].map(([, , to]) => to);
    const strange = targets.filter(
      (to) => !/^(\/dev\/null|\/proc\/.*|pipe:.*|.*\/fds)$/.test(to ?? ""),
    );
    expect(strange.filter((to) => !to?.startsWith("socket:"))).toEqual([]);
  });

  it("lets the command finish on an input that cannot be read, says so and leaves nothing", () => {
    const place = placeFor(user);
    const args = ["run", ...POLICY, "--", "/bin/sh", "-c", "cat; sleep 0.5; touch ran"];
    const ran = shell(place, 'exec "$0" "$@" 0> ../outside/in', args);
    expect(ran.stderr).toMatch(/^writ: Cannot read the input of the command: EBADF\b.*\n$/);
    expect(ran.status).toBe(0);
    expect(readdirSync(place.workspace)).toEqual(["ran"]);
  });

  it.each([
    ["as it is", []],
    ["watched by writ", ["--receipt", "../outside/r"]],
  ])("does not call it done where the output found no room: %s", (_, flags) => {
    const place = placeFor(user);
    const args = ["run", ...POLICY, ...flags, "--", "echo", "lost"];
    const ran = shell(place, 'exec "$0" "$@" > /dev/full', args);
    expect(ran.status).toBe(1);
    expect(ran.stderr).toMatch(/^writ: Cannot write the output of the command: ENOSPC\b.*\n$/);
  });

  it.each([
    ["as it is", [], "yes", '"$0" "$@" | head -1'],
    [
      "watched by writ",
      ["--receipt", "../outside/r"],
      "yes >&2",
      '"$0" "$@" 2>&1 >/dev/null | head -1',
    ],
  ])(
    "lets the command notice that the reader of a stream has left: %s",
    (_, flags, yes, script) => {
      const place = placeFor(user);
      const command = ["/bin/sh", "-c", `${yes}; echo $? > status`];
      const { stdout } = shell(place, script, ["run", ...POLICY, ...flags, "--", ...command]);
      expect(stdout).toBe("y\n");
      expect(readFileSync(path.join(place.workspace, "status"), "utf8")).toMatch(/^(141|1)\n$/);
      expect(readdirSync(place.workspace)).toEqual(["status"]);
    },
  );

  it("refuses a link in the place of the receipt, and neither follows nor replaces it", () => {
    const place = placeFor(user);
    const canary = path.join(place.outside, "canary");
    const receipt = path.join(place.outside, "receipt");
    writeFileSync(canary, "before");
    symlinkSync(canary, receipt);
    const ran = place.run(["run", ...POLICY, "--receipt", receipt, ...TOUCH]);
    expect(ran).toMatchObject({ status: 125, stdout: "" });
    expect(ran.stderr).toMatch(/it is a link, expected a file/);
    expect(readFileSync(canary, "utf8")).toBe("before");
    expect(lstatSync(receipt).isSymbolicLink()).toBe(true);
    expect(readdirSync(place.workspace)).toEqual([]);
  });

  it.each([
    ["a file", (place: Place) => path.join(place.outside, "file")],
    ["below a file", (place: Place) => path.join(place.outside, "file/below")],
    ["where nothing can be made", () => "/proc/writ"],
  ])("refuses a WRIT_HOME that is %s", (_, homeOf) => {
    const place = placeFor(user);
    writeFileSync(path.join(place.outside, "file"), "");
    const env = { ...place.env, WRIT_HOME: homeOf(place) };
    const ran = shell({ ...place, env }, 'exec "$0" "$@"', ["run", ...POLICY, ...TOUCH]);
    expect(ran).toMatchObject({ status: 125, stdout: "" });
    expect(ran.stderr).toMatch(SENTENCE);
    expect(ran.stderr).toContain("Set WRIT_HOME to one that you can write");
    expect(existsSync(path.join(place.workspace, "ran"))).toBe(false);
  });
});

describe("writ run as an ordinary user", () => {
  it("refuses folders it may not look into or write to, each with a sentence", () => {
    const place = placeFor("ordinary");
    const closed = path.join(place.outside, "closed");
    const script = `mkdir ${closed} && cd ${closed} && chmod 000 . && "$0" "$@"; status=$?; chmod 700 ${closed}; exit $status`;
    mkdirSync(place.env.WRIT_HOME ?? "", { recursive: true });
    chmodSync(place.outside, 0o777);
    const inside = shell(place, script, ["run", ...POLICY, "--", "/bin/true"]);
    expect(inside.status).toBe(2);
    expect(inside.stderr).toMatch(/^writ: Cannot read ".*\/closed\/writ.toml": EACCES/m);
    expect(inside.stderr).not.toMatch(/node:|at .*\.js/);
    const receipt = shell(place, 'exec "$0" "$@"', [
      "run",
      ...POLICY,
      "--receipt",
      "/etc/r",
      ...TOUCH,
    ]);
    expect(receipt.status).toBe(125);
    expect(receipt.stderr).toContain('"/etc" cannot be written');
    expect(existsSync(path.join(place.workspace, "ran"))).toBe(false);
  });
});
