/** Lets the real Codex work for a scripted model, with our exec-server as the machine it works on. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { SandboxMode } from "../../../src/policy/index.ts";
import type { Receipt } from "../../../src/sandbox/index.ts";
import { CODEX, codexEnv, labFolder } from "./codex.ts";
import { scriptedModel, type Turn } from "./scripted-model.ts";
import { type Cuts, type WireTap, wireTap } from "./wire-tap.ts";

export const WRIT = path.resolve(import.meta.dirname, "../../../bin/writ");

export interface Place {
  readonly home: string;
  readonly workspace: string;
  /** Beside the workspace. */
  readonly outside: string;
}

export interface Task {
  readonly mode: SandboxMode;
  readonly turns: readonly Turn[];
  readonly place?: Place;
  /** Further flags of the server. */
  readonly flags?: readonly string[];
  /** `environments.toml` for a server at `url`; the variable of Codex otherwise. */
  readonly environments?: (url: string, place: Place) => string;
  readonly cuts?: Cuts;
}

export interface Done {
  readonly place: Place;
  readonly status: number | null;
  /** What the model was told of each of its calls, in order. */
  readonly outputs: readonly string[];
  readonly tap: WireTap;
  /** What the server has on record, the first one first. */
  readonly receipts: readonly Receipt[];
}

/** A workspace, what lies beside it, and a home for both programs. */
export function layOut(): Place {
  const folder = labFolder();
  const [workspace, outside] = [path.join(folder, "ws"), path.join(folder, "outside")];
  for (const one of [workspace, outside, path.join(workspace, ".git")]) mkdirSync(one);
  return { home: path.join(folder, "home"), workspace, outside };
}

/** Runs one task to its end. */
export async function driveCodex(task: Task): Promise<Done> {
  const { place = layOut(), flags = [] } = task;
  const server = spawn(WRIT, ["exec-server", "--listen", "ws://127.0.0.1:0", ...flags], {
    cwd: place.workspace,
    env: writEnv(place),
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => end(server));
  const tap = await wireTap(await addressOf(server), task.cuts);
  const model = await scriptedModel(task.turns);
  const env = configure(place, model.url, task.environments?.(tap.url, place) ?? tap.url);
  const args = ["exec", "--skip-git-repo-check", "--sandbox", task.mode];
  const status = await runCodex([...args, "-C", place.workspace, "work"], place, env);
  return { place, status, outputs: model.outputs(), tap, receipts: receiptsIn(place) };
}

/** The variables of our server: as little as it needs. */
export function writEnv({ home }: Place): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: home, WRIT_HOME: path.join(home, ".writ") };
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("Cannot connect: the server has no output");
  for await (const line of createInterface({ input: stdout })) return line;
  throw new Error("Cannot connect: the server printed no address");
}

/** The tables of `config.toml` that make Codex ask a model at `url`, below `settings`. */
export function modelConfig(url: string, settings = ""): string {
  return `model = "gpt-5.5"
model_provider = "scripted"
${settings}
[model_providers.scripted]
name = "scripted"
base_url = "${url}"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`;
}

/** Tells Codex which model to ask and, by a table or an address, where to work. */
function configure({ home }: Place, model: string, where: string): Record<string, string> {
  writeFileSync(path.join(home, "config.toml"), modelConfig(model));
  if (where.startsWith("ws://")) return { ...codexEnv(home), CODEX_EXEC_SERVER_URL: where };
  writeFileSync(path.join(home, "environments.toml"), where);
  return codexEnv(home);
}

/** Runs Codex to its end, in the workspace. */
export async function runCodex(
  args: readonly string[],
  { workspace }: Place,
  env: Record<string, string>,
): Promise<number | null> {
  const child = spawn(CODEX, args, { env, cwd: workspace, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => end(child));
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const [status] = await once(child, "exit");
  if (status !== 0) process.stderr.write((await said).join("\n"));
  return status;
}

function receiptsIn(place: Place): Receipt[] {
  const args = ["receipts", "--json", "--limit", "1000"];
  const json = execFileSync(WRIT, args, { env: writEnv(place), encoding: "utf8", stdio: "pipe" });
  return JSON.parse(json).toReversed();
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
