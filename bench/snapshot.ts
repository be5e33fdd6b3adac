/**
 * What starting from a snapshot adds to the boot of a sandbox, and to its commands.
 *
 * A plain sandbox of the same executor is measured in turn in the same run. The
 * layer has as many files as a handful of packages; no network is needed for it.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { createLocalExecutor, openReceiptStore } from "../src/exec/index.ts";
import { parseAbsolutePath, uriOfNative } from "../src/policy/index.ts";
import {
  createLocalProvider,
  createSnapshotSource,
  LocalSnapshots,
  openSnapshotStore,
  parseDependencies,
  type SnapshotSource,
  ThreadSession,
} from "../src/session/index.ts";
import { intentFor } from "./intent-for.ts";
import { medianOf, readable } from "./measure.ts";

const ROUNDS = 41;
const FILES = 5000;
const NEVER = new AbortController().signal;
const SCRIPT = `mkdir bin lib; i=0; while [ $i -lt ${FILES} ]; do echo x > lib/$i; i=$((i+1)); done`;

/** Prints medians, and each as a ratio to the plain one. */
export async function snapshotBench(): Promise<void> {
  const base = mkdtempSync("/var/tmp/writ-bench-");
  const [workspace, folder] = [path.join(base, "ws"), path.join(base, "home")];
  for (const one of [workspace, folder]) mkdirSync(one, { mode: 0o700 });
  const home = parseAbsolutePath(folder);
  const receipts = openReceiptStore(home);
  const env = { HOME: folder, PATH: "/usr/bin:/bin" };
  const executor = createLocalExecutor({
    host: {
      env,
      platform: process.platform,
      own: { hidden: [home], readOnly: [] },
      records: parseAbsolutePath(path.join(base, "records")),
      tmpdir: undefined,
      homes: [],
      externalSandbox: "absent",
      bounds: { ceilings: [], roots: "any", waivers: "refused", hostNetwork: "refused" },
    },
    receipts,
  });
  const store = openSnapshotStore(home);
  const snapshots = new LocalSnapshots({ executor, store, home, env });
  const provider = createLocalProvider({ executor, snapshots });
  const profile = parseDependencies({ postinstall: [["/bin/sh", "-c", SCRIPT]] }, "bench");
  if (profile === null) throw new Error("Cannot compare: the profile asks for nothing");
  const source = createSnapshotSource({ profile, provider, store });
  try {
    await source.resolve({ signal: NEVER });
    await compare((one) => sessionOn(provider, workspace, one), source);
  } finally {
    await executor.close();
    store.close();
    receipts.close();
    rmSync(base, { recursive: true, force: true });
  }
}

function sessionOn(
  provider: ReturnType<typeof createLocalProvider>,
  workspace: string,
  snapshots: SnapshotSource | undefined,
): ThreadSession {
  return new ThreadSession({
    ...{ provider, thread: "bench", snapshots, remembered: undefined },
    ...{ workspace: uriOfNative(workspace), intent: intentFor(workspace) },
    onReference: async () => {},
  });
}

type Open = (source: SnapshotSource | undefined) => ThreadSession;

async function compare(open: Open, source: SnapshotSource): Promise<void> {
  const samples = new Map<string, number[]>();
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, from] of [
      ["plain", undefined],
      ["from a snapshot", source],
    ] as const) {
      const session = open(from);
      await time(samples, `boot and first command, ${name}`, () => runTrue(session));
      await time(samples, `next command, ${name}`, () => runTrue(session));
      await session.dispose();
    }
  }
  const medians = [...samples].map(([name, times]) => ({ name, median: medianOf(times.slice(1)) }));
  medians.forEach(({ name, median }, index) => {
    const plain = medians[index % 2]?.median ?? Number.NaN;
    const ratio = (median / plain).toFixed(2);
    process.stdout.write(`${name.padEnd(42)} ${readable(median * 1e6)}  ${ratio} ×\n`);
  });
}

async function time(
  samples: Map<string, number[]>,
  name: string,
  run: () => Promise<void>,
): Promise<void> {
  const start = performance.now();
  await run();
  samples.set(name, [...(samples.get(name) ?? []), performance.now() - start]);
}

async function runTrue(session: ThreadSession): Promise<void> {
  const { exitCode } = await session.run({ by: "bench", signal: NEVER, argv: ["/bin/true"] });
  if (exitCode !== 0) throw new Error(`Cannot compare: "/bin/true" exited with ${exitCode}`);
}
