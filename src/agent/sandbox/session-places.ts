import type { Executor } from "../../exec/index.ts";
import {
  createLocalProvider,
  createSnapshotSource,
  type DependencyProfile,
  type LocalSnapshots,
  type SandboxProvider,
  type SessionEvent,
  type SessionStore,
  type SnapshotSource,
  type SnapshotStore,
} from "../../session/index.ts";

/** What sandboxes of threads have installed, and where that is built and kept. */
export interface ThreadDependencies {
  readonly profile: DependencyProfile;
  readonly store: SnapshotStore;
  /** Nothing for an executor whose machine builds none; then its threads are refused a sandbox. */
  snapshotsOf(executor: Executor): LocalSnapshots | undefined;
  /** Told how far it is, while the first tool of a thread waits for it. */
  readonly onPhase?: ((phase: SnapshotPhase) => void) | undefined;
}

type SnapshotPhase = Extract<SessionEvent, { kind: "snapshot" }>["phase"];

/** Where sessions of threads are made and kept. */
export interface SessionPlaces {
  readonly store: SessionStore;
  providerOf(executor: Executor): SandboxProvider;
  /** What new sandboxes of a provider start from; nothing where that is nothing. */
  sourceOf(provider: SandboxProvider): SnapshotSource | undefined;
  readonly onEvent: (event: SessionEvent) => void;
}

/** One provider an executor: it alone knows the sandboxes that it made. */
export function createSessionPlaces(
  store: SessionStore,
  dependencies: ThreadDependencies | undefined,
): SessionPlaces {
  const providers = new WeakMap<Executor, SandboxProvider>();
  return {
    store,
    providerOf(executor) {
      const known = providers.get(executor);
      if (known !== undefined) return known;
      const provider = createLocalProvider({
        executor,
        snapshots: dependencies?.snapshotsOf(executor),
        apart: { layer: dependencies?.profile.writable === true },
      });
      providers.set(executor, provider);
      return provider;
    },
    onEvent: (event) => {
      if (event.kind === "snapshot") dependencies?.onPhase?.(event.phase);
    },
    sourceOf: (provider) => dependencies && createSnapshotSource({ ...dependencies, provider }),
  };
}
