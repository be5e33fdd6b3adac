/** Which variables reach the command, and that none of them reaches whoever starts it. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Place, placeFor, USERS } from "../support/sandbox-user.ts";
import { made, processesIn, startRun } from "./live-run.ts";

const SECRET = "s3cret-of-the-user";

function configure({ env }: Place, toml: string): void {
  mkdirSync(env.WRIT_HOME ?? "", { recursive: true });
  writeFileSync(path.join(env.WRIT_HOME ?? "", "config.toml"), toml);
}

function variables(stdout: string): Record<string, string> {
  return Object.fromEntries(
    stdout
      .trim()
      .split("\n")
      .map((line) => line.split(/=(.*)/s)),
  );
}

describe.each(USERS)("the environment of a command as %s", (user) => {
  it("is a short list of names, and says that the network is off", () => {
    const { sh, env } = placeFor(user);
    const offline = variables(sh("env").stdout);
    expect(offline).toMatchObject({ HOME: env.HOME, CODEX_SANDBOX_NETWORK_DISABLED: "1" });
    expect(offline.WRIT_HOME).toBeUndefined();
    const online = variables(sh("env", ["--sandbox", "workspace-write", "--network"]).stdout);
    expect(online).toHaveProperty("PATH");
    expect(online).not.toHaveProperty("CODEX_SANDBOX_NETWORK_DISABLED");
  });

  it.each([
    ["all", 'inherit = "all"\nexclude = ["home"]', { WRIT_HOME: true, HOME: false, PATH: true }],
    ["none", 'inherit = "none"\ninclude = ["Home"]', { WRIT_HOME: false, HOME: true, TERM: false }],
    ["set", '[environment.set]\nA = "b\\n c=d"', { WRIT_HOME: false, A: true, HOME: true }],
  ])("is what the user's file says: %s", (_, toml, expected) => {
    const place = placeFor(user);
    configure(place, `[environment]\n${toml}`);
    const found = variables(
      place.run(["run", "--sandbox", "read-only", "--", "/usr/bin/env"]).stdout,
    );
    const names = Object.keys(expected);
    expect(Object.fromEntries(names.map((name) => [name, name in found]))).toEqual(expected);
  });

  it("is not for a project to choose", () => {
    const place = placeFor(user);
    writeFileSync(path.join(place.workspace, "writ.toml"), '[environment]\ninherit = "all"');
    const { status, stderr } = place.sh("touch ran");
    expect(status).toBe(2);
    expect(stderr).toContain("a project must not choose variables");
    expect(readdirSync(place.workspace)).toEqual(["writ.toml"]);
  });

  it("loads nothing into the launcher, and everything into the command", () => {
    const place = placeFor(user);
    const log = path.join(place.workspace, "loaded");
    configure(
      place,
      `[environment.set]
LD_DEBUG = "files"
LD_DEBUG_OUTPUT = "${log}"
LD_PRELOAD = "/nonexistent/canary.so"
LD_LIBRARY_PATH = "${place.workspace}"
PATH = "${place.workspace}:/usr/bin:/bin"
NODE_OPTIONS = "--require /nonexistent/canary.js"`,
    );
    for (const flags of [[], ["--tty"]]) {
      const { status, stdout, stderr } = place.sh("exit 3", [
        "--sandbox",
        "workspace-write",
        ...flags,
      ]);
      expect(status).toBe(3);
      expect((stdout + stderr).match(/canary\.so/g)?.length).toBe(flags.length + 1);
    }
    const logs = readdirSync(place.workspace).filter((name) => name.startsWith("loaded."));
    const programs = logs.flatMap((name) => {
      const text = readFileSync(path.join(place.workspace, name), "utf8");
      return [...text.matchAll(/initialize program: (\S+)/g)].map(([, program]) => program ?? "");
    });
    expect(programs).toContain("/bin/sh");
    expect(programs.filter((program) => !/^(\/bin\/sh|\/usr\/bin\/setsid)$/.test(program))).toEqual(
      [],
    );
  });

  it("is in no command line, and not in the environment of the launcher", async () => {
    const place = placeFor(user);
    configure(place, `[environment.set]\nTOKEN = "${SECRET}"`);
    startRun(place, 'echo "$TOKEN" > writing; mv writing started; sleep 60');
    await made(place, "started");
    expect(readFileSync(path.join(place.workspace, "started"), "utf8")).toBe(`${SECRET}\n`);
    const launchers = processesIn(place).filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("/usr/bin/bwrap"),
    );
    expect(launchers.length).toBeGreaterThan(0);
    for (const pid of launchers) {
      expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).not.toContain(SECRET);
      expect(environmentOf(pid)).not.toContain(SECRET);
    }
  });
});

/** The first process of a sandbox lets nobody look. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}
