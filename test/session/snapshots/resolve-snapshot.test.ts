import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import {
  openSnapshotStore,
  parseDependencies,
  resolveSnapshot,
  SessionError,
  type SnapshotProgress,
  type SnapshotStore,
} from "../../../src/session/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";
import { FakeSnapshots } from "./support/fake-snapshots.ts";

const DAY = 24 * 3_600_000;
const EXACT = { npm: { a: "1.0.0" }, network: true };
const FLOATING = { npm: { a: "latest" }, network: true };
const COMMAND = { postinstall: [["true"]] };
const NEVER = new AbortController().signal;

type Request = Partial<Parameters<typeof resolveSnapshot>[1]>;

function lab(asked: object = EXACT, folder = temporaryFolder()) {
  const support = new FakeSnapshots();
  const clock = new FakeClock();
  const store = openSnapshotStore(parseAbsolutePath(folder));
  onTestFinished(() => store.close());
  const progress: SnapshotProgress["phase"][] = [];
  const resolve = (request: Request = {}, value = asked) => {
    const profile = parseDependencies(value, "dependencies");
    if (profile === null) throw new Error("it asks for nothing");
    return resolveSnapshot(
      { profile, provider: "fake", support, store, clock },
      { signal: NEVER, onProgress: ({ phase }) => void progress.push(phase), ...request },
    );
  };
  return { support, clock, store, folder, progress, resolve };
}

/** Lets somebody else build the profile; returns how that one is done. */
function held(store: SnapshotStore, hash: string): () => void {
  expect(store.claim(hash, "theirs")).toBe(true);
  return () => store.release(hash, "theirs");
}

const row = (id: string, profileHash: string, createdAt: number) => ({
  ...{ id, profileHash, createdAt, provider: "fake", runtime: "machine" },
  ...{ dependencies: ["a@1.0.0"], bytes: null },
});

describe("resolveSnapshot", () => {
  it("builds what is missing, shows how far it is, and finds it from then on", async () => {
    const { resolve, support, progress, store } = lab();
    const first = await resolve();
    expect(first).toMatchObject({
      outcome: "built",
      reason: "missing",
      snapshot: { id: "snap_1" },
    });
    expect(progress).toEqual(["building", "step", "built"]);
    expect(await resolve()).toMatchObject({ outcome: "hit", reason: null });
    expect(support.built).toEqual(["snap_1"]);
    expect(store.building()).toEqual([]);
  });

  it.each([
    ["case 77: versions that move", FLOATING],
    ["case 78: commands alone", COMMAND],
  ])("%s expire after a week, and not before", async (_, asked) => {
    const { resolve, clock, support, store } = lab(asked);
    await resolve();
    await clock.pass(6 * DAY);
    expect(await resolve()).toMatchObject({ outcome: "hit" });
    await clock.pass(3 * DAY);
    expect(await resolve()).toMatchObject({ outcome: "built", reason: "stale" });
    expect(support.removed).toEqual(["snap_1"]);
    expect(store.list().map(({ id }) => id)).toEqual(["snap_2"]);
  });

  it("never finds exact versions too old, and rebuilds at each call what may not be old at all", async () => {
    const exact = lab();
    await exact.resolve();
    await exact.clock.pass(365 * DAY);
    expect(await exact.resolve()).toMatchObject({ outcome: "hit" });
    const always = lab({ ...FLOATING, maxAgeHours: 0 });
    await always.resolve();
    expect(await always.resolve()).toMatchObject({ outcome: "built", reason: "stale" });
  });

  it("rebuilds what floats and was stamped by a clock that is ahead", async () => {
    const { resolve, store, clock } = lab(FLOATING);
    const { snapshot } = await resolve();
    store.put(row("ahead", snapshot.profileHash, clock.now() + DAY));
    expect(await resolve()).toMatchObject({ outcome: "built", reason: "stale" });
  });

  it("case 79: builds another for another epoch, and keeps both", async () => {
    const { resolve, store } = lab();
    await resolve();
    expect(await resolve({}, { ...EXACT, epoch: "2" })).toMatchObject({ outcome: "built" });
    expect(store.list()).toHaveLength(2);
  });

  it("case 80: takes another than the one that is gone", async () => {
    const { resolve, support } = lab();
    await resolve();
    const found = await resolve({ replace: { id: "snap_0" } });
    expect(found).toMatchObject({ outcome: "hit", snapshot: { id: "snap_1" } });
    expect(support.built).toHaveLength(1);
  });

  it("case 81: builds by force although one is fresh", async () => {
    const { resolve, clock } = lab();
    await resolve();
    await clock.pass(1);
    expect(await resolve({ replace: "force" })).toMatchObject({
      ...{ outcome: "built", reason: "forced", snapshot: { id: "snap_2" } },
    });
  });

  it("case 82: waits for somebody else, and does not take what is gone for an answer", async () => {
    const { resolve, store, clock, progress } = lab();
    const { snapshot } = await resolve();
    const done = held(store, snapshot.profileHash);
    const waiting = resolve({ replace: { id: snapshot.id } });
    await clock.pass(1000);
    expect(progress.filter((phase) => phase === "waiting")).toHaveLength(1);
    done();
    await clock.pass(1000);
    expect(await waiting).toMatchObject({ outcome: "built", reason: "gone" });
  });

  it("case 83: takes what somebody else has made meanwhile", async () => {
    const { resolve, store, clock, support } = lab();
    const { snapshot } = await resolve();
    await clock.pass(1);
    const done = held(store, snapshot.profileHash);
    const waiting = resolve({ replace: "force" });
    await clock.pass(300);
    store.put(row("newer", snapshot.profileHash, clock.now()));
    done();
    await clock.pass(300);
    expect(await waiting).toMatchObject({ outcome: "hitAfterWait", snapshot: { id: "newer" } });
    expect(support.built).toHaveLength(1);
  });

  it("lets two who ask at once have one build", async () => {
    const { resolve, support, clock } = lab();
    const gate = Promise.withResolvers<void>();
    support.gate = gate.promise;
    const both = Promise.all([resolve(), resolve()]);
    await settle();
    gate.resolve();
    await clock.pass(1000);
    expect((await both).map(({ snapshot }) => snapshot.id)).toEqual(["snap_1", "snap_1"]);
    expect(support.built).toEqual(["snap_1"]);
  });

  it("refuses to wait for ever, and says who is in the way", async () => {
    const { resolve, store, clock } = lab();
    const { snapshot } = await resolve();
    held(store, snapshot.profileHash);
    const waiting = resolve({ replace: { id: snapshot.id } });
    const refused = expect(waiting).rejects.toMatchObject({
      ...{ code: "timeout", message: expect.stringContaining("another process") },
    });
    await clock.pass(31 * 60_000);
    await refused;
  });

  it("gives up waiting and building when nobody wants it", async () => {
    const { resolve, store, clock, support } = lab();
    const { snapshot } = await resolve();
    const done = held(store, snapshot.profileHash);
    const stop = new AbortController();
    const waiting = resolve({ replace: { id: snapshot.id }, signal: stop.signal });
    const refused = expect(waiting).rejects.toMatchObject({ code: "aborted" });
    stop.abort();
    await clock.pass(1000);
    await refused;
    done();
    expect(support.built).toHaveLength(1);
  });

  it("publishes nothing of a build that failed, and the next one may begin", async () => {
    const { resolve, support, store } = lab();
    support.faults.push(new SessionError("snapshotFailed", "no"));
    await expect(resolve()).rejects.toMatchObject({ code: "snapshotFailed" });
    expect([store.list(), store.building()]).toEqual([[], []]);
    expect(await resolve()).toMatchObject({ outcome: "built" });
  });

  it("asks the provider first whether it can, and claims nothing where it cannot", async () => {
    const { resolve, support, store } = lab();
    support.refusal = new SessionError("unsupported", "no");
    await expect(resolve()).rejects.toMatchObject({ code: "unsupported" });
    expect([support.built, store.building()]).toEqual([[], []]);
  });

  it.each([
    ["a list that is none", "dependencies = '{'"],
    ["a list of something else", "dependencies = '[1]'"],
    ["an empty name", "id = ''"],
    ["a time before all time", "createdAt = -1"],
  ])("case 92: takes a row with %s for no row", async (_, change) => {
    const { resolve, folder, store } = lab();
    const { snapshot } = await resolve();
    const file = new DatabaseSync(path.join(folder, "snapshots.sqlite"));
    file.exec(`UPDATE snapshots SET ${change}`);
    file.close();
    expect(store.find(snapshot.profileHash)).toBeUndefined();
    expect(await resolve()).toMatchObject({ outcome: "built", reason: "missing" });
  });

  it("leaves an older one to the sandboxes that stand on it", async () => {
    const { resolve, store, support, clock } = lab();
    await resolve();
    const giveBack = store.use("snap_1");
    await clock.pass(1);
    await resolve({ replace: "force" });
    expect(store.remove("snap_1")).toBe("used");
    expect(support.removed).toEqual([]);
    giveBack?.();
    await clock.pass(1);
    await resolve({ replace: "force" });
    expect(support.removed).toEqual(["snap_2", "snap_1"]);
  });
});
