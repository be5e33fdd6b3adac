/**
 * What a session of `writ repl` costs: a trivial cell, the first call, and much output.
 *
 * The interpreter's own start, the bare bubblewrap call, and a plain write of the
 * same bytes are measured in turn in the same run.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { planTrue, timeBare } from "./bare-call.ts";
import { BenchClient } from "./mcp-client.ts";
import { medianOf, readable } from "./measure.ts";

const ROOT = path.resolve(import.meta.dirname, "..");
const CELLS = 301;
const STARTS = 21;
const OUTPUT_ROUNDS = 5;
const MEGABYTES = 100;

interface Subject {
  readonly language: string;
  readonly cell: string;
  /** The interpreter alone, doing the same. */
  readonly own: readonly [string, ...string[]];
}

const SUBJECTS: readonly Subject[] = [
  { language: "python", cell: "1+1", own: ["python3", "-c", "print(1+1)"] },
  { language: "node", cell: "1+1", own: [process.execPath, "-p", "1+1"] },
  { language: "bash", cell: "echo $((1+1))", own: ["bash", "-c", "echo $((1+1))"] },
  { language: "r", cell: "1+1", own: ["Rscript", "-e", "1+1"] },
];

/** Prints medians and ratios. */
export async function replBench(): Promise<void> {
  const base = mkdtempSync("/var/tmp/writ-bench-");
  try {
    for (const subject of SUBJECTS) await session(subject, base);
    await output(base);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** The interpreter itself: what stands before it on some machines has started long before a session prints. */
function findPython(): string {
  const asked = ["-c", "import sys; print(sys.executable)"];
  const { status, stdout } = spawnSync("python3", asked, { encoding: "utf8" });
  if (status !== 0) throw new Error("Cannot compare: python3 failed");
  return stdout.trim();
}

function open(language: string, base: string): BenchClient {
  const workspace = path.join(base, language);
  mkdirSync(workspace, { recursive: true });
  const writ = path.join(ROOT, "bin/writ");
  const how = ["--oversized-output", "files", "--sandbox", "workspace-write"];
  const env = { ...process.env, WRIT_HOME: path.join(base, "home") };
  return new BenchClient([writ, "repl", "--language", language, ...how], { cwd: workspace, env });
}

function run(client: BenchClient, input: string): Promise<string> {
  return client.request("tools/call", { name: "repl", arguments: { input } });
}

async function session({ language, cell, own }: Subject, base: string): Promise<void> {
  const client = open(language, base);
  await client.initialize();
  const plan = await planTrue(mkdtempSync(path.join(base, "beside-")));
  const samples = { first: [] as number[], own: [] as number[], bare: [] as number[] };
  for (let round = 0; round < STARTS; round += 1) {
    // Restarted, and started by the cell: the server itself is warm.
    await run(client, "\u0004");
    samples.first.push(await timed(() => run(client, cell)));
    samples.own.push(timeOwn(own));
    samples.bare.push(timeBare(plan));
  }
  const cells: number[] = [];
  for (let round = 0; round < CELLS; round += 1) cells.push(await timed(() => run(client, cell)));
  await client.close();
  const [first, alone, bare] = [samples.first, samples.own, samples.bare].map(medianOf);
  if (first === undefined || alone === undefined || bare === undefined) return;
  line(`${language}: a trivial cell`, ms(medianOf(cells)));
  const both = `the interpreter ${ms(alone)} + bubblewrap ${ms(bare)}`;
  line(
    `${language}: the first call`,
    `${ms(first)}, ${(first / (alone + bare)).toFixed(2)} × ${both}`,
  );
}

async function output(base: string): Promise<void> {
  const client = open("python", base);
  const python = findPython();
  await client.initialize();
  await run(client, "import sys");
  const before = memoryOf(client.pid);
  const [piped, plain]: [number[], number[]] = [[], []];
  const lines = `for _ in range(${MEGABYTES}): sys.stdout.write(("x" * 99 + "\\n") * 10486)`;
  for (let round = 0; round < OUTPUT_ROUNDS; round += 1) {
    piped.push(await timed(() => run(client, lines)));
    plain.push(
      timeOwn([python, "-c", `import sys\nsys.stdout = open("${base}/plain", "w")\n${lines}`]),
    );
  }
  const grown = memoryOf(client.pid) - before;
  await client.close();
  const [through, written] = [medianOf(piped), medianOf(plain)];
  const ratio = (through / written).toFixed(2);
  line(`${MEGABYTES} MB of output`, `${ms(through)}, ${ratio} × writing a file (${ms(written)})`);
  line("memory of the server, more at its peak", `${grown} MB`);
}

/** The most that was resident, in megabytes, as the kernel counts it. */
function memoryOf(pid: number): number {
  const [, kilobytes = "0"] =
    /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

function timeOwn([command, ...args]: readonly [string, ...string[]]): number {
  const start = performance.now();
  const { status } = spawnSync(command, args, { stdio: "ignore" });
  if (status !== 0) throw new Error(`Cannot compare: ${command} failed`);
  return performance.now() - start;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function line(name: string, figure: string): void {
  process.stdout.write(`${name.padEnd(40)} ${figure}\n`);
}

function ms(value: number): string {
  return readable(value * 1e6);
}
