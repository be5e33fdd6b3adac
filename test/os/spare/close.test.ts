/** A program that runs commands by an executor of its own, with nothing else that would keep it alive. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { placeFor, type SandboxUser, USERS } from "../support/sandbox-user.ts";
import { asUser } from "../support/users.ts";

/** Prints what happened to it; `pause` is how long it waits after its command. */
function runProgram(user: SandboxUser, pause: number, last: string) {
  const { workspace, installed, env, give } = placeFor(user);
  const program = path.join(path.dirname(workspace), "program.mjs");
  fs.writeFileSync(
    program,
    `import { setTimeout as sleep } from "node:timers/promises";
import { openLocalMachine } from "${installed}/dist/exec/index.js";
import { policyForMode, profileOfPolicy, uriOfNative } from "${installed}/dist/policy/index.js";
const home = ${JSON.stringify(env.WRIT_HOME)};
const { executor } = openLocalMachine({ home, ceilings: [], waivers: "refused" });
const cwd = uriOfNative(${JSON.stringify(workspace)});
const profile = profileOfPolicy(policyForMode("workspace-write"));
const settings = { windowsSandboxLevel: "disabled" };
let started = 0;
async function run(...argv) {
  started += 1;
  const sandbox = { kind: "enforce", context: { profile, cwd, workspaceRoots: [cwd], settings } };
  const running = await executor.start({ processId: "p" + started, argv, arg0: null, cwd, envPolicy: null,
    env: { PATH: "/usr/bin:/bin" }, terminal: null, pipeStdin: false, sandbox, anchor: null, ids: {} });
  for await (const event of running.events) if (event.kind === "closed") break;
}
await run("true");
await sleep(${pause});
${last}
console.log("went on");
`,
  );
  give();
  const node = path.join(installed, "node_modules/.bin/node");
  const [first = "", ...rest] = [...asUser(user), node, program];
  const { status, stdout, stderr } = spawnSync(first, rest, {
    cwd: workspace,
    env,
    encoding: "utf8",
  });
  return { status, stdout, stderr, left: fs.readdirSync(workspace) };
}

describe.each(USERS)("as %s, a program whose executor has built a sandbox ahead", (user) => {
  it.each([0, 26, 35, 100, 300])(
    "goes on after it has closed the executor, %i ms after a command",
    (pause) => {
      expect(runProgram(user, pause, "await executor.close();")).toEqual({
        status: 0,
        stdout: "went on\n",
        stderr: "",
        left: [],
      });
    },
  );

  it.each([26, 35, 100])("goes on after its next command, %i ms after the first", (pause) => {
    const last = 'await run("true"); await executor.close();';
    expect(runProgram(user, pause, last)).toMatchObject({
      status: 0,
      stdout: "went on\n",
      left: [],
    });
  });

  it("leaves nothing of it when the next command cannot be put on record", () => {
    const last = `const { DatabaseSync } = await import("node:sqlite");
const { readFileSync, readdirSync } = await import("node:fs");
const launchers = () => readFileSync("/proc/self/task/" + process.pid + "/children", "utf8").split(" ")
  .filter((pid) => pid && readFileSync("/proc/" + pid + "/comm", "utf8") === "bwrap\\n").length;
while (launchers() === 0) await sleep(10);
console.log(launchers(), "ahead");
const other = new DatabaseSync(home + "/receipts.sqlite");
for (const { name } of other.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()) {
  if (!name.startsWith("sqlite_")) other.exec("DROP TABLE " + name);
}
other.close();
await run("touch", "made").then(() => console.log("ran"), (error) => console.log("refused", error.name));
for (let looks = 0; launchers() > 0 && looks < 3000; looks += 1) await sleep(10);
console.log(launchers(), "left");`;
    const { stdout, left } = runProgram(user, 0, last);
    expect(stdout).toMatch(/^1 ahead\nrefused \w+\n0 left\nwent on\n$/);
    expect(left).toEqual([]);
  });

  it("ends by itself, and leaves nothing", () => {
    expect(runProgram(user, 100, "")).toMatchObject({ status: 0, stdout: "went on\n", left: [] });
  });
});
