/** Every status that the built program ends with, and that docs/cli.md has a row for it. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { placeFor, USERS } from "../support/sandbox-user.ts";

const PAGE = path.resolve(import.meta.dirname, "../../../docs/cli.md");
const READ_ONLY = ["run", "--sandbox", "read-only"];
const sh = (script: string, ...flags: string[]) => [
  ...READ_ONLY,
  ...flags,
  "--",
  "sh",
  "-c",
  script,
];

/** What was asked, the status, and what is said about it on standard error. */
const CASES: readonly [string, readonly string[], number, RegExp][] = [
  ["a command that succeeds", sh("true"), 0, /^$/],
  ["a command that fails", sh("exit 7"), 7, /^$/],
  ["a command that is denied something", sh("touch x"), 1, /Read-only file system/],
  ["a command that ends by a signal", sh("kill -TERM $$"), 143, /^$/],
  ["a limit", sh("sleep 60", "--timeout", "1"), 124, /beyond the limit "wallTimeMs" of 1000/],
  ["no such program", [...READ_ONLY, "--", "nosuch"], 127, /Cannot start "nosuch"/],
  ["a file that is no program", [...READ_ONLY, "--", "/etc/passwd"], 127, /cannot be executed/],
  ["no policy", ["run", "--", "true"], 2, /Cannot choose a policy: none was given, expected /],
  ["no command", READ_ONLY, 2, /no command was given, expected one after --/],
  ["an option that there is not", [...READ_ONLY, "--frob"], 2, /there is no such option/],
  ["nothing at all", [], 2, /usage: writ COMMAND/],
  [
    "an executor that nobody can reach",
    [...READ_ONLY, "--on", "ws://127.0.0.1:1", "--", "true"],
    125,
    /Cannot reach the executor: .*ECONNREFUSED/,
  ],
  ["no such receipt", ["receipts", "show", "nosuch"], 1, /no such receipt is kept/],
  ["no such snapshot", ["snapshot", "remove", "nosuch"], 1, /there is no such snapshot/],
  [
    "a place where an exec-server cannot listen",
    ["exec-server", "--listen", "unix:///nonexistent/socket"],
    1,
    /^writ: Cannot listen on "\/nonexistent\/socket": .*\n$/,
  ],
  [
    "a place where an app-server cannot listen",
    ["app-server", "--listen", "unix:///nonexistent/socket"],
    1,
    /^writ: Cannot listen on "\/nonexistent\/socket": .*\n$/,
  ],
  ["keys that are not there", ["exec-server", "--trust", "nosuch"], 1, /^writ: [^\n]+\n$/],
  [
    "a profile that is not there",
    ["chat", "--permissions", "nosuch"],
    2,
    /^writ: Cannot use profile/,
  ],
  [
    "a model that is not there",
    ["chat", "--model", "nosuch"],
    2,
    /^writ: Cannot ask "writ\/nosuch": there is no such model here, expected "writ\/offline"/,
  ],
  ["a server that is not there", ["chat", "--remote", "ws://127.0.0.1:1"], 1, /Cannot connect to /],
];

describe.each(USERS)("the exit status, as %s", (user) => {
  it.each(CASES)("after %s: %j gives %i", (_, args, status, said) => {
    const ran = placeFor(user).run(args);
    expect(ran.stderr).toMatch(said);
    expect(ran.status).toBe(status);
  });

  it.each([
    ["run", "run --sandbox read-only -- sh -c 'echo ran' x"],
    ["explain", "explain --sandbox read-only"],
  ])("after %s with a word that is not UTF-8 is 2: no other word is taken for it", (_, words) => {
    const place = placeFor(user);
    place.give();
    const program = place.argv([]).map((word) => `'${word}'`);
    const script = `exec ${program.join(" ")} ${words} "$(printf 'a\\377')"`;
    const { workspace: cwd, env } = place;
    const ran = spawnSync("/bin/sh", ["-c", script], { cwd, env, encoding: "utf8" });
    expect(ran.stderr).toBe(
      'writ: Cannot use "a\uFFFD": it is not UTF-8, expected words that are\nRun: writ --help\n',
    );
    expect({ out: ran.stdout, status: ran.status }).toEqual({ out: "", status: 2 });
  });

  it.each(["chat --sandbox workspace-write", "app-server"])(
    "after %s in a folder whose name is not UTF-8 is 2: no other folder is taken for it",
    (words) => {
      const place = placeFor(user);
      place.give();
      const program = place.argv([]).map((word) => `'${word}'`);
      const folders = `mkdir -m 777 "$(printf 'd\\351')" "$(printf 'd\\357\\277\\275')"`;
      const script = `${folders}; cd "$(printf 'd\\351')"; exec ${program.join(" ")} ${words}`;
      const { workspace: cwd, env } = place;
      const ran = spawnSync("/bin/sh", ["-c", script], {
        ...{ cwd, env, encoding: "utf8", input: "touch wrong.txt\n" },
      });
      expect(ran.stderr).toContain(`d\uFFFD": its name is not UTF-8, expected one that is`);
      expect({ out: ran.stdout, status: ran.status }).toEqual({ out: "", status: 2 });
      const left = readdirSync(Buffer.from(cwd), { encoding: "buffer" }).flatMap((name) =>
        readdirSync(Buffer.concat([Buffer.from(`${cwd}/`), name])),
      );
      expect(left).toEqual([]);
    },
  );

  it("takes the sign that stands for what is not UTF-8 as it is", () => {
    const ran = placeFor(user).run([...READ_ONLY, "--", "echo", "a\uFFFD"]);
    expect({ out: ran.stdout, status: ran.status }).toEqual({ out: "a\uFFFD\n", status: 0 });
  });

  it("after ^C is 130, as of any command that a signal ended", async () => {
    const place = placeFor(user);
    place.give();
    const [program = "", ...args] = place.argv(sh("echo runs; sleep 60"));
    const child = spawn(program, args, { cwd: place.workspace, env: place.env });
    const over = once(child, "exit");
    await once(child.stdout, "data");
    child.kill("SIGINT");
    expect(await over).toEqual([130, null]);
  });
});

describe("docs/cli.md", () => {
  it("has a row for each of them, and no row for what nothing gives", () => {
    const rows = [...readFileSync(PAGE, "utf8").matchAll(/^\| `(\d+)` \|/gm)].map(([, n]) =>
      Number(n),
    );
    const ours = CASES.map(([, , status]) => status).filter((status) => ![7, 143].includes(status));
    expect(rows.sort()).toEqual([...new Set([...ours, 130])].sort());
  });
});
