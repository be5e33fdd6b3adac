/** What one file operation under a policy costs, with an intent that was seen before and with a new one. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { createLocalFiles } from "../src/exec/files/create-local-files.ts";
import type { AtPath } from "../src/exec/files/file-operations.ts";
import { parseAbsolutePath, uriOfNative } from "../src/policy/index.ts";
import { intentFor } from "./intent-for.ts";
import { readable } from "./measure.ts";

const ROUNDS = 1001;
const BYTES = new Uint8Array(1024);

/** Prints medians for files of 1 KiB under workspace-write. */
export async function filesBench(): Promise<void> {
  const base = mkdtempSync("/var/tmp/writ-bench-");
  try {
    await compare(base);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

async function compare(base: string): Promise<void> {
  const workspace = path.join(base, "ws");
  mkdirSync(path.join(workspace, "src"), { recursive: true });
  const files = createLocalFiles({
    env: { HOME: path.join(base, "home") },
    platform: process.platform,
    own: { hidden: [parseAbsolutePath(path.join(base, "home"))], readOnly: [] },
    records: parseAbsolutePath(path.join(base, "records")),
    tmpdir: undefined,
    homes: [],
    externalSandbox: "absent",
    bounds: { ceilings: [], roots: "any", waivers: "refused", hostNetwork: "refused" },
  });
  const seen = intentFor(workspace);
  const at = (sandbox: AtPath["sandbox"]): AtPath => ({
    path: uriOfNative(path.join(workspace, "src/file.ts")),
    links: "follow",
    sandbox,
    anchor: null,
  });
  const subjects: Record<string, () => Promise<unknown>> = {
    "write 1 KiB": () => files.writeFile(at(seen), BYTES),
    "read 1 KiB": () => files.readFile(at(seen)),
    "write 1 KiB, new intent": () => files.writeFile(at(intentFor(workspace)), BYTES),
    "read 1 KiB, new intent": () => files.readFile(at(intentFor(workspace))),
  };
  const samples = new Map<string, number[]>(Object.keys(subjects).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, run] of Object.entries(subjects)) {
      const start = process.hrtime.bigint();
      await run();
      samples.get(name)?.push(Number(process.hrtime.bigint() - start));
    }
  }
  for (const [name, times] of samples) {
    const median = times.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? Number.NaN;
    process.stdout.write(`${name.padEnd(34)} ${readable(median).padStart(10)}\n`);
  }
}
