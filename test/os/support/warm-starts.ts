/**
 * The code that the program keeps of itself between two starts (decision 26), for homes that are new.
 *
 * Every test has a home of its own, so that each would compile all of the program anew, which takes
 * longer than what most of them try. Kept is what was called until the end: so these do what tests do most.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, linkSync, mkdirSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { asUser, ORDINARY, type SandboxUser, USERS } from "./users.ts";

interface Start {
  readonly args: readonly string[];
  /** What it is told. */
  readonly lines: readonly (string | object)[];
  /** What it prints when it has done all of that; left out for one that ends by itself. */
  readonly last?: string;
}

const homeOf = (installed: string, user: SandboxUser) =>
  path.join(path.dirname(installed), `home-${user}`);

/** Starts what most tests start, as every user. */
export async function warmStarts(installed: string): Promise<void> {
  await Promise.all(USERS.map((user) => warmStartsOf(installed, user)));
}

/** One after the other: a file is kept once, by the first that loads it. */
async function warmStartsOf(installed: string, user: SandboxUser): Promise<void> {
  const home = homeOf(installed, user);
  const [workspace, own] = [path.join(home, "ws"), path.join(home, "own")];
  for (const folder of [home, workspace, own]) {
    // Whatever the umask says: nothing is kept where somebody else may write.
    mkdirSync(folder, { mode: 0o700 });
    if (process.getuid?.() === 0 && user === "ordinary") chownSync(folder, ORDINARY, ORDINARY);
  }
  for (const { args, lines, last } of startsIn(workspace)) {
    const [program = "", ...rest] = [...asUser(user), path.join(installed, "bin/writ"), ...args];
    const env = { PATH: "/usr/bin:/bin", HOME: home, WRIT_HOME: own };
    const child = spawn(program, rest, { cwd: workspace, env, ...AT_MOST });
    child.stdin.on("error", () => {});
    child.stderr.resume();
    for (const line of lines) {
      child.stdin.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`);
    }
    const closed = once(child, "close");
    // What it does not do after all is for the tests to find.
    const late = sleep(PATIENCE_MS, undefined, { ref: false });
    await Promise.race([closed, late, printed(child, last)]);
    child.stdin.end();
    await closed;
  }
}

const PATIENCE_MS = 10_000;
const AT_MOST = { timeout: 60_000, killSignal: "SIGKILL" } as const;

function printed({ stdout }: ChildProcessWithoutNullStreams, last?: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let all = "";
  stdout.setEncoding("utf8").on("data", (text) => {
    all += text;
    if (last !== undefined && all.includes(last)) resolve();
  });
  return promise;
}

const DENIED = "touch ../denied; touch allowed; echo done";

const symbol = (kind: string, access: string) => ({
  path: { type: "special", value: { kind } },
  access,
});
const WORKSPACE_WRITE = {
  permissions: {
    type: "managed",
    file_system: {
      type: "restricted",
      entries: [symbol("root", "read"), symbol("project_roots", "write")],
    },
    network: "restricted",
  },
  windowsSandboxLevel: "disabled",
};

function startsIn(workspace: string): readonly Start[] {
  const place = { cwd: `file://${workspace}`, env: {}, tty: false };
  const start = { processId: "p", argv: ["/bin/sh", "-c", DENIED], ...place };
  const sandbox = { ...WORKSPACE_WRITE, cwd: place.cwd, workspaceRoots: [place.cwd] };
  const at = { path: `file://${workspace}/file`, sandbox };
  const hello = { clientInfo: { name: "test", version: "1" }, capabilities: {} };
  const code = { name: "repl", arguments: { input: "print(6 * 7)\n" } };
  const state = { permissionProfile: WORKSPACE_WRITE.permissions, sandboxCwd: place.cwd };
  const run = (...flags: string[]) => ({
    args: ["run", ...flags, "--", ...start.argv],
    lines: [],
    last: "done",
  });
  return [
    run("--sandbox-state-json", JSON.stringify(state), "--receipt", `${workspace}/../receipt.json`),
    run("--profile", ":workspace"),
    {
      args: ["chat"],
      lines: [
        "/policy workspace-write",
        DENIED,
        "write file text",
        "read file",
        "/receipts",
        "/quit",
      ],
    },
    {
      args: ["exec-server", "--listen", "stdio"],
      lines: [
        { id: 1, method: "initialize", params: { clientName: "test" } },
        { method: "initialized" },
        { id: 2, method: "fs/writeFile", params: { ...at, dataBase64: "" } },
        { id: 3, method: "fs/readFile", params: at },
        { id: 4, method: "process/start", params: { ...start, sandbox } },
      ],
      last: "process/closed",
    },
    {
      args: ["repl", "--language", "python", "--sandbox", "workspace-write"],
      lines: [
        { id: 1, method: "initialize", params: { ...hello, protocolVersion: "2025-06-18" } },
        { method: "notifications/initialized" },
        { id: 2, method: "tools/call", params: code },
      ].map((message) => ({ jsonrpc: "2.0", ...message })),
      last: "42",
    },
    { args: ["app-server"], lines: [{ id: 1, method: "initialize", params: hello }], last: "id" },
    { args: ["receipts"], lines: [] },
  ];
}

/** Gives a new home what was kept. A program that nobody started before has nothing. */
export function warmHome(home: string, installed: string, user: SandboxUser): void {
  const kept = path.join(homeOf(installed, user), "own/cache");
  if (!existsSync(kept)) return;
  mkdirSync(home, { mode: 0o700 });
  link(kept, path.join(home, path.basename(kept)));
}

/** The folders anew, the files as they are: to start a program for it takes longer. */
function link(from: string, to: string): void {
  const { uid, gid } = statSync(from);
  mkdirSync(to, { mode: 0o700 });
  chownSync(to, uid, gid);
  for (const one of readdirSync(from, { withFileTypes: true })) {
    const [old, fresh] = [path.join(from, one.name), path.join(to, one.name)];
    if (one.isDirectory()) link(old, fresh);
    else linkSync(old, fresh);
  }
}
