/** Starts an exec-server, ours or that of Codex, and speaks to it with as little of our code as possible. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import {
  policyForMode,
  profileOfPolicy,
  uriOfNative,
  writeExecContext,
} from "../src/policy/index.ts";

const ROOT = path.resolve(import.meta.dirname, "..");
const LISTEN = ["exec-server", "--listen", "ws://127.0.0.1:0"];

export interface RunningServer {
  readonly name: string;
  readonly url: string;
  /** A folder that only this one works in: each makes placeholders in its workspace. */
  readonly workspace: string;
  /** A line of `/proc/PID/status`, in bytes: `VmRSS`, or `VmHWM` for the most there ever was. */
  memory(line: "VmRSS" | "VmHWM"): number;
  stop(): Promise<void>;
}

/** Ours, as it is built. */
export function startOurs(base: string): Promise<RunningServer> {
  return start("writ", path.join(ROOT, "bin/writ"), base);
}

/** That of Codex; nothing where the interop tests have not installed it. */
export async function startCodexServer(base: string): Promise<RunningServer | undefined> {
  const lab = path.join(ROOT, ".cache/interop/node_modules");
  // The program itself: what npm puts before it would be measured in its place.
  const [program] = globSync("@openai/codex-*/vendor/*/bin/codex", { cwd: lab });
  return program === undefined ? undefined : start("codex", path.join(lab, program), base);
}

async function start(name: string, program: string, base: string): Promise<RunningServer> {
  const [home, workspace] = [path.join(base, name, "home"), path.join(base, name, "ws")];
  for (const folder of [home, workspace]) mkdirSync(folder, { recursive: true });
  const env = { PATH: process.env.PATH ?? "", HOME: home, WRIT_HOME: home, CODEX_HOME: home };
  const child = spawn(program, LISTEN, {
    cwd: workspace,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [url] = await once(createInterface({ input: child.stdout }), "line");
  return {
    name,
    url: String(url),
    workspace,
    memory: (line) => memoryOf(child.pid ?? 0, line),
    stop: () => stop(child),
  };
}

function memoryOf(pid: number, line: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${line}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill("SIGTERM");
  await once(child, "exit");
}

/** A workspace-write intent as it travels. */
export function workspaceWrite(workspace: string): object {
  const root = uriOfNative(workspace);
  const profile = profileOfPolicy(policyForMode("workspace-write"));
  const settings = { windowsSandboxLevel: "disabled" } as const;
  return writeExecContext({ profile, cwd: root, workspaceRoots: [root], settings }, "refuse");
}
