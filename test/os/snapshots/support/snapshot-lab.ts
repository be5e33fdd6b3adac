/** Snapshots on real sandboxes, with a real npm and a registry on the loopback. */
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import { type AbsolutePath, parseAbsolutePath, uriOfNative } from "../../../../src/policy/index.ts";
import {
  createLocalProvider,
  createSnapshotSource,
  type LocalSnapshotParts,
  LocalSnapshots,
  openSnapshotStore,
  parseDependencies,
  type SandboxProvider,
  type SessionEvent,
  type SnapshotSource,
  type SnapshotStore,
  ThreadSession,
} from "../../../../src/session/index.ts";
import { contractPlace } from "../../../exec/contract/support/contract-place.ts";
import { localExecutor } from "../../../exec/contract/support/our-executors.ts";
import { intentIn, NEVER } from "../../../session/provider/support/sandbox-of.ts";
import { HELLO, openRegistry, type Registry, WORDS } from "./registry.ts";

export interface SnapshotLab extends ReturnType<typeof contractPlace> {
  readonly registry: Registry;
  readonly store: SnapshotStore;
  readonly home: AbsolutePath;
  readonly events: SessionEvent[];
  readonly provider: SandboxProvider;
  readonly executor: ReturnType<typeof localExecutor>["executor"];
  /** What sandboxes start from; `more` beside `hello`. */
  source(more?: object): SnapshotSource;
  /** A session of a thread, ended with the test. */
  session(snapshots: SnapshotSource | undefined, thread?: string): ThreadSession;
  /** Folders of layers, also of those that are not on record. */
  layers(): string[];
}

export async function snapshotLab(
  more: Pick<LocalSnapshotParts, "room"> = {},
): Promise<SnapshotLab> {
  const place = contractPlace();
  const { executor, host } = localExecutor();
  const home = parseAbsolutePath(host.env.HOME ?? "");
  const store = openSnapshotStore(home);
  onTestFinished(() => store.close());
  const registry = await openRegistry(HELLO, WORDS);
  const snapshots = new LocalSnapshots({ executor, store, home, env: host.env, ...more });
  const provider = createLocalProvider({ executor, snapshots });
  const events: SessionEvent[] = [];
  return {
    ...{ ...place, registry, store, home, events, executor, provider },
    source(more = {}) {
      const asked = { npm: { hello: "1.0.0" }, network: true, registry: registry.url, ...more };
      const profile = parseDependencies(asked, "dependencies");
      if (profile === null) throw new Error("the profile of the test asks for nothing");
      return createSnapshotSource({ profile, provider, store });
    },
    session(source, thread = "thread-1") {
      const session = new ThreadSession({
        ...{ provider, thread, intent: intentIn(place.workspace), remembered: undefined },
        ...{ workspace: uriOfNative(place.workspace), snapshots: source },
        onReference: async () => {},
        onEvent: (event) => void events.push(event),
      });
      onTestFinished(() => session.dispose());
      return session;
    },
    layers() {
      const folder = path.join(home, "snapshots");
      return existsSync(folder) ? readdirSync(folder) : [];
    },
  };
}

/** Runs a shell script in a session; what it printed and how it ended. */
export async function sh(session: ThreadSession, script: string) {
  const argv = ["/bin/sh", "-c", script] as const;
  const { stdout, stderr, exitCode } = await session.run({ by: "test", signal: NEVER, argv });
  return { stdout, stderr, exitCode };
}
