/** What the user's file says that sandboxes have installed, ready to be built and found on this machine. */
import type { ThreadDependencies } from "../../agent/index.ts";
import type { Config } from "../../config/index.ts";
import type { Executor } from "../../exec/index.ts";
import type { AbsolutePath } from "../../policy/index.ts";
import {
  type DependencyProfile,
  LocalSnapshots,
  openSnapshotStore,
  parseDependencies,
} from "../../session/index.ts";
import type { CliWorld } from "../command.ts";

export interface DependencyPlace {
  /** Writ's own folder. */
  readonly home: AbsolutePath;
  /** Of this machine. */
  readonly executor: Executor;
  readonly world: CliWorld;
}

/** The profile of the file; null where it asks for nothing. Throws where it cannot be meant. */
export function dependenciesIn({ dependencies, user }: Config): DependencyProfile | null {
  return parseDependencies(dependencies, `${user.file}.dependencies`);
}

/** Nothing where the file asks for nothing. Builds nothing yet. */
export function openDependencies(
  config: Config,
  { home, executor, world }: DependencyPlace,
): ThreadDependencies | undefined {
  const profile = dependenciesIn(config);
  if (profile === null) return undefined;
  const store = openSnapshotStore(home);
  const own = new LocalSnapshots({ executor, store, home, env: world.env });
  return {
    ...{ profile, store },
    snapshotsOf: (one) => (one === executor ? own : undefined),
    onPhase: (phase) => {
      if (world.isWatched && phase !== "step") world.err(`writ: ${PHASES[phase]}\n`);
    },
  };
}

/** For a person whose first tool waits. */
const PHASES = {
  waiting: "Another process installs what [dependencies] asks for; this one waits for it",
  building: "Installing what [dependencies] asks for; the first tool waits for it",
  built: "Installed",
} as const;
