/** `writ snapshot build`: what the first tool of a thread would do, done ahead and shown. */
import { loadCeilings, loadConfig, REQUIREMENTS } from "../../config/index.ts";
import { openLocalMachine } from "../../exec/index.ts";
import { parseAbsolutePath } from "../../policy/index.ts";
import { visibleLine } from "../../sandbox/index.ts";
import {
  BuildError,
  createLocalProvider,
  LocalSnapshots,
  openSnapshotStore,
  type ResolvedSnapshot,
  resolveSnapshot,
  SessionError,
  type SnapshotProgress,
  SYSTEM_CLOCK,
} from "../../session/index.ts";
import { type CliWorld, type FlagValues, UsageError } from "../command.ts";
import { stopSignal } from "../exec/stop-signal.ts";
import { ownHome } from "../policy/bind-flags.ts";
import { exitStatusOf } from "./exit-status-of.ts";
import { dependenciesIn } from "./open-dependencies.ts";

/** Prints the id; the answer is the exit status. */
export async function buildSnapshot({ force }: FlagValues, world: CliWorld): Promise<number> {
  const home = parseAbsolutePath(ownHome(world));
  // No project speaks for what is installed.
  const places = { writHome: home, folder: "/", requirements: REQUIREMENTS };
  const config = await loadConfig({ ...places, hostname: world.hostname });
  const profile = dependenciesIn(config);
  if (profile === null) throw nothingToBuild(config.user.file);
  const ceilings = await loadCeilings(home);
  const { executor } = openLocalMachine({ home, ceilings, waivers: "refused" });
  const stop = new AbortController();
  // A session's clock keeps no process alive, and while another one builds nothing else does.
  const awake = setInterval(() => {}, AWAKE_MS);
  void stopSignal().then(() => stop.abort());
  try {
    const store = openSnapshotStore(home);
    const support = new LocalSnapshots({ executor, store, home, env: world.env });
    const { name: provider } = createLocalProvider({ executor });
    const place = { profile, provider, support, store, clock: SYSTEM_CLOCK };
    return await exitStatusOf(world, async () => {
      const resolved = await resolveSnapshot(place, {
        replace: force ? "force" : undefined,
        signal: stop.signal,
        onProgress: (progress) => show(progress, world),
      }).catch((error: unknown) => {
        throw error instanceof BuildError ? asShown(error, world) : error;
      });
      world.out(lineOf(resolved));
      return 0;
    });
  } finally {
    clearInterval(awake);
    await executor.close();
  }
}

function nothingToBuild(file: string): UsageError {
  return new UsageError(
    `Cannot build a snapshot: "${file}" asks for nothing, expected packages or commands in [dependencies]`,
  );
}

function lineOf({
  snapshot: { id, dependencies, profileHash },
  outcome,
  reason,
}: ResolvedSnapshot) {
  const how = outcome === "built" ? `built (${reason})` : "was there";
  const count = `${dependencies.length} dependencies`;
  return `${id}  ${how}, ${count}, profile ${profileHash.slice(0, 12)}\n`;
}

/** For a person who waits; nobody else is told. */
function show(progress: SnapshotProgress, { isWatched, err }: CliWorld): void {
  if (isWatched) err(`${visibleLine(wordsOf(progress), 80)}\n`);
}

function wordsOf(progress: SnapshotProgress): string {
  switch (progress.phase) {
    case "waiting":
      return "another process builds it, waiting for that";
    case "building":
      return `building, since it is ${WHY[progress.reason]}`;
    case "step":
      return `${progress.number}/${progress.of} ${progress.name}`;
    case "built":
      return "built";
  }
}

const WHY = {
  missing: "not there",
  stale: "too old",
  forced: "asked for",
  gone: "gone",
} as const;

/** What the commands of the build said last, each line marked so that nobody takes it for ours. */
function asShown(error: BuildError, { err }: CliWorld): SessionError {
  for (const line of error.printed.split("\n").slice(-MOST_LINES)) {
    if (line !== "") err(`  ${visibleLine(line)}\n`);
  }
  return new SessionError(error.code, error.sentence, { cause: error });
}

const MOST_LINES = 20;
const AWAKE_MS = 60_000;
