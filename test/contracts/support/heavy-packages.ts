/** Which large packages a command of the built program loads, itself or in a file they were put into. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT } from "./repository.ts";
import { scratchFolder } from "./run-program.ts";

/** What a command under a policy has no use for. */
const HEAVY =
  /^(ws|jose|yaml|koffi|@ai-sdk\/.+|@modelcontextprotocol\/.+|@lydell\/.+|@vercel\/.+)$/;

/** The status of a command line that never gets as far as its work. */
const BAD_INPUT = 2;

const TRACE = path.join(import.meta.dirname, "trace-loads.cjs");

/** Starts the command without input, ends it once it says that it waits, and gives what it loaded. */
export async function heavyPackages(args: readonly string[]): Promise<string[]> {
  const scratch = scratchFolder();
  try {
    const loads = path.join(scratch, "loads");
    await startWith(args, scratch, loads);
    const files = readFileSync(loads, "utf8")
      .split("\n")
      .filter(isCode)
      .map((url) => fileURLToPath(url));
    return [...new Set(files.flatMap(packagesIn))].filter((name) => HEAVY.test(name)).sort();
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

async function startWith(args: readonly string[], scratch: string, loads: string): Promise<void> {
  const workspace = path.join(scratch, "workspace");
  mkdirSync(workspace);
  const home = path.join(scratch, "home");
  const child = spawn(path.join(ROOT, "bin/writ"), args, {
    cwd: workspace,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      WRIT_HOME: home,
      LOADS_FILE: loads,
      NODE_OPTIONS: `--require=${TRACE}`,
    },
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 50_000,
  });
  endOnceListening(child);
  const [status] = await once(child, "close");
  if (status === BAD_INPUT) throw new Error(`Cannot trace: there is no "writ ${args.join(" ")}"`);
}

/** A server says where it listens once it has loaded all that it needs for that. */
function endOnceListening(child: ChildProcess): void {
  child.stdout?.on("data", (text) => /^ws:/.test(String(text)) && child.kill("SIGTERM"));
}

function isCode(url: string): boolean {
  return /^file:.*\.([cm]?js|node)$/.test(url);
}

/** A package by its folder, or by the marks that the bundler leaves in a file. */
function packagesIn(file: string): string[] {
  const marks = existsSync(file) && file.includes("/dist/bin/") ? readFileSync(file, "utf8") : "";
  const places = [
    file,
    ...marks.split("\n").filter((line) => /^\s*\/\/ .*node_modules\//.test(line)),
  ];
  return places.flatMap((place) => /.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)/.exec(place)?.[1] ?? []);
}
