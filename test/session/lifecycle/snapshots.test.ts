/** Sandboxes that start from something, on a provider that does what a test says. */
import { describe, expect, it, onTestFinished } from "vitest";
import { PathUri, parseAbsolutePath } from "../../../src/policy/index.ts";
import {
  createSnapshotSource,
  openSessionStore,
  openSnapshotStore,
  parseDependencies,
  SessionError,
  type SnapshotSource,
} from "../../../src/session/index.ts";
import { KeptThreadSession } from "../../../src/session/kept-thread-session.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { FakeSnapshots } from "../snapshots/support/fake-snapshots.ts";
import { FakeProvider, intentOf } from "../support/fake-provider.ts";
import { earlier, NEVER, RANK, sessionLab } from "../support/session-lab.ts";

const gone = () => new SessionError("snapshotMissing", "Status code 404 is not ok");

function withSnapshots(provider = new FakeProvider()) {
  const support = new FakeSnapshots();
  provider.snapshots = support;
  const store = openSnapshotStore(parseAbsolutePath(temporaryFolder()));
  onTestFinished(() => store.close());
  const profile = parseDependencies({ npm: { a: "1.0.0" }, network: true }, "dependencies");
  if (profile === null) throw new Error("it asks for nothing");
  const snapshots: SnapshotSource = createSnapshotSource({ profile, provider, store });
  return { provider, support, store, snapshots };
}

describe("a thread with dependencies", () => {
  it("builds nothing before a tool needs a sandbox, nor for one that has none", async () => {
    const { provider, support, snapshots } = withSnapshots();
    const { session } = sessionLab({ snapshots }, provider);
    await session.release();
    expect(support.built).toEqual([]);
    const plain = sessionLab();
    await plain.bash("true");
    expect(plain.provider.created[0]?.snapshot).toBeUndefined();
    expect(plain.session.reference()).toMatchObject({ dependencies: null });
  });

  it("case 88: starts from the snapshot, says so, and remembers from what", async () => {
    const { provider, snapshots } = withSnapshots();
    const { bash, session, events } = sessionLab({ snapshots }, provider);
    await bash("true");
    await bash("true");
    expect(provider.created).toMatchObject([{ snapshot: "snap_1" }]);
    expect(session.reference()).toMatchObject({ dependencies: snapshots.hash() });
    expect(events).toContainEqual(
      expect.objectContaining({ kind: "acquired", origin: "snapshot" }),
    );
    const phases = events.flatMap((event) => (event.kind === "snapshot" ? event.phase : []));
    expect(phases).toEqual(["building", "step", "built"]);
  });

  it("case 89: tries again while the snapshot is being written, and not for ever", async () => {
    const { provider, snapshots } = withSnapshots();
    const busy = () => new SessionError("snapshotting", "422");
    provider.faults.create.push(busy(), busy());
    const { bash, clock } = sessionLab({ snapshots }, provider);
    const running = bash("true");
    await clock.pass(5000);
    await running;
    expect(provider.created.map(({ snapshot }) => snapshot)).toEqual([
      "snap_1",
      "snap_1",
      "snap_1",
    ]);
    const { bash: again, clock: time, session } = sessionLab({ snapshots }, provider);
    provider.faults.create.push(busy(), busy(), busy());
    const refused = expect(again("true")).rejects.toMatchObject({ code: "snapshotting" });
    await time.pass(5000);
    await refused;
    await session.dispose();
  });

  it("case 90, D5, L5: one that is gone is known by its code, and built once more", async () => {
    const { provider, support, snapshots } = withSnapshots();
    provider.faults.create.push(gone());
    const { bash } = sessionLab({ snapshots }, provider);
    await bash("true");
    expect(support.built).toEqual(["snap_1", "snap_2"]);
    expect(provider.created.map(({ snapshot }) => snapshot)).toEqual(["snap_1", "snap_2"]);
  });

  it("case 90: gives up where the new one is gone as well, and never reports a sandbox", async () => {
    const { provider, support, snapshots } = withSnapshots();
    provider.faults.create.push(gone(), gone());
    const { bash, told, events } = sessionLab({ snapshots }, provider);
    await expect(bash("true")).rejects.toMatchObject({ code: "snapshotMissing" });
    expect([support.built.length, told]).toEqual([2, []]);
    expect(events.filter(({ kind }) => kind === "acquired")).toEqual([]);
  });

  it("case 91: makes no sandbox where the snapshot cannot be had, and the next call tries again", async () => {
    const { provider, support, snapshots } = withSnapshots();
    support.faults.push(new Error("https://provider.test secret"));
    const { bash } = sessionLab({ snapshots }, provider);
    const refused = await bash("true").catch((error: Error) => error);
    expect(refused).toMatchObject({ message: expect.stringMatching(/^Cannot make a sandbox: /) });
    expect(String(refused)).not.toContain("provider.test");
    expect(provider.created).toEqual([]);
    await bash("true");
    expect(provider.created).toHaveLength(1);
  });

  it("refuses where the provider starts from nothing, and never goes without", async () => {
    const { snapshots, provider } = withSnapshots();
    provider.snapshots = undefined;
    const { bash } = sessionLab({ snapshots }, provider);
    await expect(bash("true")).rejects.toMatchObject({ code: "unsupported" });
    expect(provider.created).toEqual([]);
  });
});

describe("a sandbox of an earlier turn", () => {
  it("case 12: is ended and not used where it started from something else", async () => {
    const { provider, snapshots } = withSnapshots();
    const remembered = earlier(provider);
    const { tool, session } = sessionLab({ snapshots, remembered }, provider);
    const { notice } = await tool("bash", { command: "true" });
    expect(provider.at(1)).toMatchObject({ isDead: true, commands: [] });
    expect(session.reference()).toMatchObject({ dependencies: snapshots.hash(), generation: 4 });
    expect(notice).toContain("starts from has changed");
  });

  it("is used where it started from the same", async () => {
    const { provider, snapshots } = withSnapshots();
    const { reference, base } = earlier(provider);
    const remembered = { reference: { ...reference, dependencies: snapshots.hash() }, base };
    const { bash } = sessionLab({ snapshots, remembered }, provider);
    await bash("true");
    expect(provider.created).toEqual([]);
  });

  it("case 13, D4: is replaced once when dependencies are removed, and kept by every turn after", async () => {
    const { provider, snapshots } = withSnapshots();
    const store = openSessionStore(parseAbsolutePath(temporaryFolder()));
    onTestFinished(() => store.close());
    const turn = async (source: SnapshotSource | undefined) => {
      const session = new KeptThreadSession({
        ...{ store, provider, thread: "thread-1", intent: intentOf(RANK), snapshots: source },
        workspace: PathUri.parse("file:///work"),
      });
      await session.acquire({ by: "test", signal: NEVER });
      await session.release();
    };
    await turn(snapshots);
    expect(store.get("thread-1")).toMatchObject({ dependencies: snapshots.hash() });
    for (let count = 0; count < 3; count += 1) await turn(undefined);
    expect(provider.created).toHaveLength(2);
    expect(store.get("thread-1")).toMatchObject({ dependencies: null, generation: 2 });
    expect(provider.alive).toEqual(["sbx_2"]);
  });
});
