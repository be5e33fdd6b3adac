/**
 * What an exec-server costs over a WebSocket: starts, output, files, and being idle.
 *
 * Ours, that of Codex where the interop tests have installed it, and what lies
 * under both are measured in turn in one run.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { uriOfNative } from "../src/policy/index.ts";
import { planTrue, timeBare } from "./bare-call.ts";
import { ExecClient } from "./exec-client.ts";
import { type RunningServer, startCodexServer, startOurs, workspaceWrite } from "./exec-server.ts";
import { medianOf, readable } from "./measure.ts";

const START_ROUNDS = 41;
/** After each start: what a server still does behind one is no part of what is measured next. */
const SETTLE_MS = 150;
/** So many that a server which has just begun is not what is measured. */
const FILE_ROUNDS = 301;
/** The same calls again, so many of one server before the other has its turn. */
const FILES_IN_A_ROW = { rounds: 41, row: 20 };
const OUTPUT_ROUNDS = 5;
const OUTPUT_BYTES = 2 ** 30;
/** Few, of which each has a part in what the first connections need; and many. */
const IDLE_SESSIONS = [400, 2000];

interface Subject {
  readonly server: RunningServer;
  readonly client: ExecClient;
}

type Tasks = Readonly<Record<string, () => unknown>>;
type Work = (servers: readonly RunningServer[]) => Promise<void>;

/** Prints medians and ratios; memory as the kernel counts it. */
export async function execBench(): Promise<void> {
  const base = mkdtempSync("/var/tmp/writ-bench-");
  try {
    // A server that has had thousands of sessions is not one that others are measured with.
    await withServers(base, idle);
    await withServers(base, async (servers) => {
      const subjects = await Promise.all(servers.map(connect));
      await starts(subjects, base);
      await files(subjects);
      await output(subjects);
      for (const { client } of subjects) client.close();
    });
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

async function withServers(base: string, work: Work): Promise<void> {
  const servers = [await startOurs(base), await startCodexServer(base)].filter(isThere);
  try {
    await work(servers);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

function isThere(server: RunningServer | undefined): server is RunningServer {
  return server !== undefined;
}

async function connect(server: RunningServer): Promise<Subject> {
  return { server, client: await ExecClient.connect(server.url) };
}

/** Before anything was run: what a server weighs, and each session that only is there. */
async function idle(servers: readonly RunningServer[]): Promise<void> {
  for (const server of servers) {
    const before = server.memory("VmRSS");
    line(`idle, ${server.name}`, megabytes(before));
    const clients: ExecClient[] = [];
    for (const most of IDLE_SESSIONS) {
      while (clients.length < most) clients.push(await ExecClient.connect(server.url));
      const each = (server.memory("VmRSS") - before) / most;
      line(`  each of ${most} sessions`, `${(each / 1024).toFixed(0)} KB`);
    }
    for (const client of clients) client.close();
  }
}

async function starts(subjects: readonly Subject[], base: string): Promise<void> {
  const workspace = path.join(base, "bare");
  mkdirSync(workspace);
  const named = (what: string, sandboxFor: SandboxFor, folderIn = sameFolder): Tasks =>
    Object.fromEntries(
      subjects.map(({ server, client }) => [
        `${what}, ${server.name}`,
        () => runTrue(client, folderIn(server.workspace), sandboxFor(server.workspace)),
      ]),
    );
  const bubblewrap = {
    "bare bubblewrap, same mounts": async () => timeBare(await planTrue(workspace)),
  };
  const how = { rounds: START_ROUNDS, settleMs: SETTLE_MS };
  const confined = {
    ...named("workspace-write", workspaceWrite),
    ...named("  in another folder", workspaceWrite, newFolder),
  };
  await compare({ ...bubblewrap, ...confined }, how);
  const spawned = { "child_process.spawn": () => spawnTrue(workspace) };
  await compare({ ...spawned, ...named("waived", () => null) }, how);
}

type SandboxFor = (folder: string) => object | null;

const sameFolder = (workspace: string) => workspace;
let folders = 0;

/** Nothing that was built for the last command can be of use there. */
function newFolder(workspace: string): string {
  folders += 1;
  const folder = path.join(workspace, `folder-${folders}`);
  mkdirSync(folder);
  return folder;
}

async function runTrue(client: ExecClient, cwd: string, sandbox: object | null): Promise<void> {
  const { exitCode } = await client.run({ argv: ["/bin/true"], cwd, sandbox });
  if (exitCode !== 0) throw new Error(`Cannot compare: "/bin/true" exited with ${exitCode}`);
}

async function spawnTrue(cwd: string): Promise<void> {
  await once(spawn("/bin/true", { cwd, env: {} }), "close");
}

async function files(subjects: readonly Subject[]): Promise<void> {
  const dataBase64 = Buffer.alloc(1024, "x").toString("base64");
  const named = (method: string, more: object): Tasks =>
    Object.fromEntries(
      subjects.map(({ server: { name, workspace }, client }) => {
        const sandbox = workspaceWrite(workspace);
        const params = { path: uriOfNative(path.join(workspace, "file")), sandbox, ...more };
        return [`${method} of 1 KiB, ${name}`, () => client.call(method, params)];
      }),
    );
  for (const tasks of [named("fs/writeFile", { dataBase64 }), named("fs/readFile", {})]) {
    await compare(tasks, { rounds: FILE_ROUNDS });
    line(`${FILES_IN_A_ROW.row} in a row:`, "");
    await compare(tasks, FILES_IN_A_ROW);
  }
}

/** All of it from one process, in turn; the most memory that the server ever had is that of this. */
async function output(subjects: readonly Subject[]): Promise<void> {
  const rates = new Map<Subject, number[]>(subjects.map((one) => [one, []]));
  for (let round = 0; round < OUTPUT_ROUNDS; round += 1) {
    for (const [subject, samples] of rates) samples.push(await outputRate(subject));
  }
  for (const [{ server }, samples] of rates) {
    const [least = 0, most = 0] = [Math.min(...samples), Math.max(...samples)];
    line(
      `1 GiB of output, ${server.name}`,
      `${medianOf(samples).toFixed(0)} MB/s (${least.toFixed(0)}–${most.toFixed(0)}), at most ${megabytes(server.memory("VmHWM"))}`,
    );
  }
}

/** In MB a second. */
async function outputRate({ server, client }: Subject): Promise<number> {
  const argv = ["/usr/bin/head", "-c", String(OUTPUT_BYTES), "/dev/zero"];
  const begin = performance.now();
  const { bytes } = await client.run({ argv, cwd: server.workspace, sandbox: null });
  if (bytes !== OUTPUT_BYTES) throw new Error(`Cannot compare: ${bytes} bytes came`);
  return OUTPUT_BYTES / (performance.now() - begin) / 1000;
}

interface Rounds {
  readonly rounds: number;
  /** How often each is measured before the next has its turn. */
  readonly row?: number;
  readonly settleMs?: number;
}

/** In turn, after one round that does not count; ratios are to the first. */
async function compare(tasks: Tasks, how: Rounds): Promise<void> {
  const samples = new Map<string, number[]>(Object.keys(tasks).map((name) => [name, []]));
  for (let round = 0; round <= how.rounds; round += 1) {
    for (const [name, run] of Object.entries(tasks)) {
      const took = await inARow(run, how);
      if (round > 0) samples.get(name)?.push(...took);
    }
  }
  const first = medianOf([...samples.values()][0] ?? []);
  for (const [name, values] of samples) {
    const median = medianOf(values);
    const ratio = `${(median / first).toFixed(2)} ×`;
    line(name, `${readable(median * 1e6).padStart(10)} ${ratio.padStart(9)}`);
  }
}

async function inARow(run: () => unknown, { row = 1, settleMs = 0 }: Rounds): Promise<number[]> {
  const took: number[] = [];
  while (took.length < row) took.push(await timeOf(run));
  if (settleMs > 0) await sleep(settleMs);
  return took;
}

/** Milliseconds, unless the task says itself how long it took. */
async function timeOf(run: () => unknown): Promise<number> {
  const begin = performance.now();
  const took = await run();
  return typeof took === "number" ? took : performance.now() - begin;
}

function line(name: string, text: string): void {
  process.stdout.write(`${name.padEnd(34)} ${text}\n`);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
