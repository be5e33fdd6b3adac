/**
 * What it costs to find the files that a deny pattern hides, against ripgrep on the same tree.
 *
 * A hundred thousand files in two thousand folders, all in the kernel's cache. All
 * are measured in turn in one run; ripgrep reads on all cores and its start is
 * part of its figure, as it would be for a sandbox that calls it. Its line is left
 * out where it is not installed.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { WALK_BOUNDS } from "../src/sandbox/files/globs/glob-budget.ts";
import { GlobCache } from "../src/sandbox/files/globs/glob-cache.ts";
import { SETTLE_MS } from "../src/sandbox/files/globs/glob-stamps.ts";
import { medianOf, readable } from "./measure.ts";

const ROUNDS = 25;
const [PACKAGES, MODULES, FILES] = [20, 100, 50];

type Subjects = Readonly<Record<string, () => unknown>>;

/** Prints medians and their ratio to the first line. */
export async function globsBench(): Promise<void> {
  const base = mkdtempSync("/var/tmp/writ-bench-");
  try {
    growTree(base);
    // A younger tree is read again each time; see the rule in glob-stamps.ts.
    await sleep(SETTLE_MS + 100);
    await compare(base);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

function growTree(base: string): void {
  for (let module = 0; module < PACKAGES * MODULES; module += 1) {
    const folder = path.join(base, `package-${module % PACKAGES}`, `module-${module}`);
    mkdirSync(folder, { recursive: true });
    for (let file = 0; file < FILES; file += 1) {
      writeFileSync(path.join(folder, `part-${module * FILES + file}.ts`), "");
    }
    if (module % 50 === 0) writeFileSync(path.join(folder, "local.env"), "");
  }
}

async function compare(base: string): Promise<void> {
  const globs = [{ pattern: `${base}/**/*.env`, rule: "the pattern" }];
  const warm = new GlobCache();
  warm.expand(globs, WALK_BOUNDS);
  const subjects: Subjects = {
    ...(hasRipgrep() && {
      ripgrep: () => ripgrep(base, []),
      "ripgrep on one thread": () => ripgrep(base, ["--threads", "1"]),
    }),
    "first look": () => new GlobCache().expand(globs, WALK_BOUNDS).length,
    "first look, aside": async () => (await new GlobCache().expandAside(globs, WALK_BOUNDS)).length,
    "without a cache": () => new GlobCache({ places: 0 }).expand(globs, WALK_BOUNDS).length,
    "look again": () => warm.expand(globs, WALK_BOUNDS).length,
  };
  const samples = new Map<string, number[]>(Object.keys(subjects).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) await measureRound(subjects, samples);
  print(samples);
}

async function measureRound(subjects: Subjects, samples: ReadonlyMap<string, number[]>) {
  for (const [name, run] of Object.entries(subjects)) {
    const start = performance.now();
    const found = await run();
    samples.get(name)?.push(performance.now() - start);
    const expected = (PACKAGES * MODULES) / 50;
    if (found !== expected) {
      throw new Error(`Cannot compare: "${name}" found ${found} files, expected ${expected}`);
    }
  }
}

function hasRipgrep(): boolean {
  return spawnSync("rg", ["--version"], { stdio: "ignore" }).status === 0;
}

/** How many files it finds. */
function ripgrep(base: string, more: readonly string[]): number {
  const flags = ["--files", "--hidden", "--no-ignore", "--null", "--glob", "**/*.env", ...more];
  const { stdout } = spawnSync("rg", [...flags, "--", base], { encoding: "utf8" });
  return stdout.split("\0").length - 1;
}

function print(samples: ReadonlyMap<string, readonly number[]>): void {
  const first = medianOf([...samples.values()][0] ?? []);
  for (const [name, values] of samples) {
    const median = medianOf(values);
    const ratio = (median / first).toFixed(2);
    process.stdout.write(
      `${`globs: ${name}`.padEnd(34)} ${readable(median * 1e6).padStart(10)} ${ratio.padStart(7)} ×\n`,
    );
  }
}
