/**
 * What a session adds: a turn that needs no sandbox, the first command, the next ones, and being idle.
 *
 * The bare bubblewrap call, the bare boot of what a session boots, and a fresh
 * sandboxed command of the same executor are measured in turn in the same run;
 * the ratios are to these.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  createLocalExecutor,
  type ExecHost,
  type Executor,
  openReceiptStore,
} from "../src/exec/index.ts";
import { parseAbsolutePath, uriOfNative } from "../src/policy/index.ts";
import { createLocalProvider, ThreadSession } from "../src/session/index.ts";
import { byLibc, byNode, timeBareBoot } from "./bare-boot.ts";
import { planTrue, timeBare } from "./bare-call.ts";
import { intentFor } from "./intent-for.ts";
import { medianOf, readable } from "./measure.ts";

const ROUNDS = 41;
/** After each command: what is built ahead of the next one is no part of what is measured next. */
const SETTLE_MS = 100;
const TURNS = 1001;
const IDLE_SESSIONS = 40;

/** Prints medians and ratios; memory as the kernel counts it. */
export async function sessionBench(): Promise<void> {
  const base = mkdtempSync("/var/tmp/writ-bench-");
  const [busy, alone] = [placeIn(path.join(base, "busy")), placeIn(path.join(base, "alone"))];
  try {
    await turns(busy);
    await commands(busy, alone);
    await idle(busy);
  } finally {
    for (const place of [busy, alone]) await place.close();
    rmSync(base, { recursive: true, force: true });
  }
}

/** An executor and the one folder that is worked on with it. */
interface Place {
  readonly host: ExecHost;
  readonly executor: Executor;
  readonly workspace: string;
  close(): Promise<void>;
}

function placeIn(base: string): Place {
  const [workspace, home] = [path.join(base, "ws"), path.join(base, "home")];
  for (const folder of [workspace, home]) mkdirSync(folder, { recursive: true });
  const receipts = openReceiptStore(parseAbsolutePath(home));
  const host = hostIn(base, home);
  const executor = createLocalExecutor({ host, receipts });
  const close = async () => {
    await executor.close();
    receipts.close();
  };
  return { host, executor, workspace, close };
}

function hostIn(base: string, home: string): ExecHost {
  return {
    env: { HOME: home, PATH: "/usr/bin:/bin" },
    platform: process.platform,
    own: { hidden: [parseAbsolutePath(home)], readOnly: [] },
    records: parseAbsolutePath(path.join(base, "records")),
    tmpdir: undefined,
    homes: [],
    externalSandbox: "absent",
    bounds: { ceilings: [], roots: "any", waivers: "refused", hostNetwork: "refused" },
  };
}

const NEVER = new AbortController().signal;

function sessionOn({ executor, workspace }: Place): ThreadSession {
  return new ThreadSession({
    provider: createLocalProvider({ executor }),
    thread: "bench",
    workspace: uriOfNative(workspace),
    intent: intentFor(workspace),
    remembered: undefined,
    onReference: async () => {},
  });
}

async function turns(place: Place): Promise<void> {
  const samples: number[] = [];
  const before = children().length;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const start = performance.now();
    const session = sessionOn(place);
    await session.release();
    samples.push(performance.now() - start);
  }
  const started = children().length - before;
  line("a turn without a tool", `${readable(medianOf(samples) * 1e6)}, ${started} processes`);
}

/** In one place a session is always open; in the other each is the only one. */
async function commands(busy: Place, alone: Place): Promise<void> {
  const { workspace } = busy;
  const reused = sessionOn(busy);
  const samples: Record<string, number[]> = {};
  const time = async (name: string, run: () => Promise<unknown> | unknown) => {
    const start = performance.now();
    const took = await run();
    samples[name] ??= [];
    samples[name].push(typeof took === "number" ? took : performance.now() - start);
    await sleep(SETTLE_MS);
  };
  for (let round = 0; round <= ROUNDS; round += 1) {
    await time("bare bubblewrap, same mounts", async () => timeBare(await planTrue(workspace)));
    await time("bare boot of a session", () => timeBareBoot(busy.host, workspace, byNode));
    await time("  started without a fork", () => timeBareBoot(busy.host, workspace, byLibc));
    await time("fresh sandboxed command", () => runFresh(busy, newFolder(workspace)));
    await time("command in a reused session", () => runTrue(reused));
    for (const [what, place] of [
      ["first command of one more session", busy],
      ["first command of the only session", alone],
    ] as const) {
      const session = sessionOn(place);
      await time(what, () => runTrue(session));
      await session.dispose();
    }
  }
  await reused.dispose();
  const medians = Object.entries(samples).map(([name, times]) => [name, medianOf(times.slice(1))]);
  const bases = medians.slice(0, 4).map(([, median]) => Number(median));
  for (const [name, median] of medians) {
    const ratios = bases.map((one) => (Number(median) / one).toFixed(2));
    line(String(name), `${readable(Number(median) * 1e6)}  ${ratios.join(" ×  ")} ×`);
  }
}

async function runTrue(session: ThreadSession): Promise<void> {
  const { exitCode } = await session.run({ by: "bench", signal: NEVER, argv: ["/bin/true"] });
  if (exitCode !== 0) throw new Error(`Cannot compare: "/bin/true" exited with ${exitCode}`);
}

let started = 0;

/** Nothing that was built for the last command can be of use there. */
function newFolder(workspace: string): string {
  const folder = path.join(workspace, `folder-${started}`);
  mkdirSync(folder);
  return folder;
}

async function runFresh({ executor, workspace }: Place, cwd: string): Promise<void> {
  started += 1;
  const running = await executor.start({
    processId: `bench-${started}`,
    argv: ["/bin/true"],
    arg0: null,
    cwd: uriOfNative(cwd),
    envPolicy: null,
    env: { PATH: "/usr/bin:/bin" },
    terminal: null,
    pipeStdin: false,
    sandbox: intentFor(workspace),
    anchor: null,
    ids: {},
  });
  for await (const event of running.events) if (event.kind === "closed") break;
}

/** What this process grows by, and what the processes weigh that stay for a session. */
async function idle(place: Place): Promise<void> {
  global.gc?.();
  const before = process.memoryUsage().rss;
  const known = new Set(children());
  const sessions = Array.from({ length: IDLE_SESSIONS }, () => sessionOn(place));
  for (const session of sessions) await runTrue(session);
  const grown = Math.max(0, process.memoryUsage().rss - before);
  const held = children().filter((pid) => !known.has(pid));
  const weight = [...held, ...held.flatMap(childrenOf)].reduce((sum, pid) => sum + shareOf(pid), 0);
  for (const session of sessions) await session.dispose();
  const each = (grown + weight) / IDLE_SESSIONS / 1024 / 1024;
  line("an idle session", `${each.toFixed(2)} MB`);
}

function children(): number[] {
  return childrenOf(process.pid);
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8")
        .split(" ")
        .filter(Boolean)
        .map(Number),
    );
  } catch {
    return [];
  }
}

/** Its share of the memory that it has with others. */
function shareOf(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return 1024 * Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0);
}

function line(name: string, text: string): void {
  process.stdout.write(`${name.padEnd(34)} ${text}\n`);
}
