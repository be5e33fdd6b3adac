import { describe, expect, it, onTestFinished } from "vitest";
import {
  createSessionPlaces,
  type ThreadDependencies,
} from "../../../src/agent/sandbox/session-places.ts";
import type { Executor } from "../../../src/exec/index.ts";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import {
  LocalSnapshots,
  openSessionStore,
  openSnapshotStore,
  parseDependencies,
} from "../../../src/session/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const NEVER = new AbortController().signal;
const anExecutor = (): Executor =>
  ({ anchors: {}, files: {}, start: () => {}, close: () => {} }) as unknown as Executor;

function places(own: Executor) {
  const home = parseAbsolutePath(temporaryFolder());
  const [sessions, store] = [openSessionStore(home), openSnapshotStore(home)];
  onTestFinished(() => {
    sessions.close();
    store.close();
  });
  const profile = parseDependencies({ postinstall: [["true"]] }, "dependencies");
  if (profile === null) throw new Error("it asks for nothing");
  const snapshots = new LocalSnapshots({ executor: own, store, home, env: {} });
  const phases: string[] = [];
  const dependencies: ThreadDependencies = {
    ...{ profile, store, snapshotsOf: (one) => (one === own ? snapshots : undefined) },
    onPhase: (phase) => void phases.push(phase),
  };
  return { made: createSessionPlaces(sessions, dependencies), sessions, phases };
}

describe("createSessionPlaces", () => {
  it("refuses threads with dependencies where a machine builds none, and knows its own", async () => {
    const own = anExecutor();
    const { made } = places(own);
    expect(made.providerOf(own).snapshots).toBeDefined();
    const elsewhere = made.sourceOf(made.providerOf(anExecutor()));
    await expect(elsewhere?.resolve({ signal: NEVER })).rejects.toMatchObject({
      code: "unsupported",
      message: expect.stringMatching(/^Cannot install dependencies .* expected/),
    });
  });

  it("starts from nothing where nothing is asked for", () => {
    const { sessions } = places(anExecutor());
    const made = createSessionPlaces(sessions, undefined);
    expect(made.sourceOf(made.providerOf(anExecutor()))).toBeUndefined();
  });

  it("tells of builds alone", () => {
    const { made, phases } = places(anExecutor());
    made.onEvent({ kind: "bootRequested", by: "bash", thread: "t" });
    made.onEvent({ kind: "snapshot", phase: "building", thread: "t" });
    expect(phases).toEqual(["building"]);
  });
});
