/** Signals to writ, to what it started, and through the library. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { placeFor, USERS } from "../support/sandbox-user.ts";
import { childrenOf, made, processesIn, startRun, until } from "./live-run.ts";

/** Leaves its session and its parents, and goes on writing. */
const ORPHAN =
  "(setsid sh -c '(while :; do echo x >> beat; sleep 0.005; done) &' &) ; touch started";

describe.each(USERS)("writ run as %s", (user) => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGQUIT", 131],
  ] as const)("ends everything on %s, says so, and gives %i", async (signal, status) => {
    const place = placeFor(user);
    const run = startRun(place, `${ORPHAN}; sleep 60`);
    for (const name of ["beat", "started"]) await made(place, name);
    run.child.kill(signal);
    expect(await run.ended).toBe(status);
    expect(run.printed.err).toBe(`writ: the command was ended by ${signal}\n`);
    await until(() => processesIn(place).length === 0);
    expect(await isQuiet(path.join(place.workspace, "beat"))).toBe(true);
    expect(readdirSync(place.workspace).toSorted()).toEqual(["beat", "started"]);
  });

  it("goes on after it was stopped for a while, and loses nothing", async () => {
    const place = placeFor(user);
    const run = startRun(place, "touch started; seq 1 20000; exit 4");
    await made(place, "started");
    run.child.kill("SIGSTOP");
    await sleep(100);
    run.child.kill("SIGCONT");
    expect(await run.ended).toBe(4);
    expect(run.printed.out.endsWith("\n20000\n")).toBe(true);
  });

  it("takes everything down when its launcher alone is killed", async () => {
    const place = placeFor(user);
    const run = startRun(place, `${ORPHAN}; sleep 60`);
    for (const name of ["beat", "started"]) await made(place, name);
    const [launcher] = childrenOf(run.child.pid ?? 0);
    process.kill(launcher ?? 0, "SIGKILL");
    expect(await run.ended).toBe(137);
    expect(run.printed.err).toBe("writ: the command was ended by SIGKILL\n");
    await until(() => processesIn(place).length === 0);
    expect(await isQuiet(path.join(place.workspace, "beat"))).toBe(true);
    expect(readdirSync(place.workspace).toSorted()).toEqual(["beat", "started"]);
  });

  it("gives the status of a command that a signal of its own ended", () => {
    const { sh } = placeFor(user);
    expect(["TERM", "INT", "SEGV"].map((name) => sh(`kill -${name} $$`).status)).toEqual([
      143, 130, 139,
    ]);
    const waived = ["--sandbox", "danger-full-access"];
    expect(sh("kill -TERM $$", waived).status).toBe(143);
  });
});

/** Uses the library as a program would: prints what the trap said, how it ended, and who is left. */
const LIBRARY = (installed: string, workspace: string) => `
  const { planOnHost, probeHostRoots, startPlan } = await import("${installed}/dist/sandbox/index.js");
  const policy = await import("${installed}/dist/policy/index.js");
  const env = { PATH: "/usr/bin:/bin" };
  const cwd = "${workspace}";
  const roots = probeHostRoots({ cwd, workspaceRoots: [cwd], env, platform: "linux", externalSandbox: "absent" });
  // Nobody else sees its records, so it holds nothing in a folder of all.
  const mode = { ...policy.policyForMode("workspace-write"), excludeSlashTmp: true, excludeTmpdirEnvVar: true };
  const profile = policy.bindProfile(policy.profileOfPolicy(mode), roots);
  const run = async (script, act) => {
    const command = ["/bin/sh", "-c", script];
    const plan = await planOnHost({ command, cwd, env, profile, terminal: "none" }, { hidden: [], readOnly: [] });
    const running = await startPlan(plan, { records: cwd + "-records", streams: "pipe" });
    let out = "";
    let acted = false;
    running.stdout.on("data", (chunk) => {
      out += chunk;
      if (!acted && out.includes("ready")) acted = act(running) !== false;
    });
    running.stderr.resume();
    const outcome = await running.outcome;
    console.log(JSON.stringify({ out, outcome }));
  };
  await run("trap 'echo trapped; exit 9' TERM; echo ready; while :; do sleep 0.02; done", (one) => one.signal("SIGTERM", "command"));
  await run("${ORPHAN.replaceAll('"', '\\"')}; while ! test -s beat; do sleep 0.01; done; trap '' TERM INT HUP; echo ready; while :; do sleep 0.02; done", (one) => one.end("enough"));
  console.log(JSON.stringify(await startAndLook()));
  async function startAndLook() {
    const command = ["/bin/sh", "-c", "exit 0"];
    const plan = await planOnHost({ command, cwd, env, profile, terminal: "none" }, { hidden: [], readOnly: [] });
    const running = await startPlan(plan, { records: cwd + "-records", streams: "pipe" });
    await running.outcome;
    return { late: running.signal("SIGTERM", "command") };
  }
`;

describe.each(USERS)("the library as %s", (user) => {
  it("signals the command itself, and ends all it started", async () => {
    const place = placeFor(user);
    const { installed, workspace } = place;
    const node = path.join(installed, "node_modules/.bin/node");
    const script = path.join(place.outside, "use.mjs");
    writeFileSync(script, LIBRARY(installed, workspace));
    const words = place.argv([]).slice(0, -1);
    const [program = "", ...args] = [...words, node, script];
    spawnSync("chmod", ["777", path.dirname(workspace)]);
    const { stdout, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: 30_000 });
    expect(stderr).toBe("");
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toEqual([
      { out: "ready\ntrapped\n", outcome: { kind: "exited", code: 9 } },
      { out: "ready\n", outcome: { kind: "ended", reason: "enough" } },
      { late: false },
    ]);
    expect(existsSync(path.join(workspace, "beat"))).toBe(true);
    expect(await isQuiet(path.join(workspace, "beat"))).toBe(true);
    expect(readdirSync(`${workspace}-records`)).toEqual([]);
  });
});

/** No more is written to it: whoever writes does so two hundred times a second. */
async function isQuiet(file: string): Promise<boolean> {
  if (!existsSync(file)) return true;
  const before = statSync(file).size;
  await sleep(100);
  return statSync(file).size === before;
}
