import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import { openSnapshotReader, openSnapshotStore } from "../../../src/session/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const HASH = "a".repeat(64);
/** A process of an earlier boot. */
const DEAD = "1-1-1-earlier";

function lab() {
  const folder = parseAbsolutePath(temporaryFolder());
  const store = openSnapshotStore(folder);
  const file = new DatabaseSync(path.join(folder, "snapshots.sqlite"));
  onTestFinished(() => {
    file.close();
    store.close();
  });
  const put = (id: string) =>
    store.put({
      ...{ id, profileHash: HASH, provider: "local", runtime: "machine", createdAt: 1 },
      ...{ dependencies: [], bytes: 1 },
    });
  return { folder, store, file, put };
}

describe("the store of snapshots", () => {
  it("gives a build to one, and to the next when that one is done or dead", () => {
    const { store, file } = lab();
    expect([store.claim(HASH, "one"), store.claim(HASH, "two")]).toEqual([true, false]);
    expect(store.building()).toEqual(["one"]);
    store.release(HASH, "two");
    expect(store.claim(HASH, "two")).toBe(false);
    file.prepare("UPDATE builds SET owner = ?").run(DEAD);
    expect(store.building()).toEqual([]);
    expect(store.claim(HASH, "two")).toBe(true);
    store.release(HASH, "one");
    expect(store.building()).toEqual(["two"]);
    store.release(HASH, "two");
    expect(store.claim(HASH, "three")).toBe(true);
  });

  it("does not take a build from a process that nobody can judge", () => {
    const { store, file } = lab();
    store.claim(HASH, "one");
    file.exec("UPDATE builds SET owner = NULL");
    expect(store.claim(HASH, "two")).toBe(false);
  });

  it("counts whoever lives on a snapshot, and forgets the dead", () => {
    const { store, file, put } = lab();
    put("s");
    const giveBack = store.use("s");
    file.prepare("INSERT INTO uses VALUES ('theirs', 's', ?)").run(DEAD);
    expect(store.list()).toMatchObject([{ id: "s", uses: 1 }]);
    expect(store.remove("s")).toBe("used");
    store.claim(HASH, "one");
    expect(file.prepare("SELECT count(*) AS rows FROM uses").get()).toMatchObject({ rows: 1 });
    giveBack?.();
    giveBack?.();
    expect([store.remove("s"), store.remove("s")]).toEqual(["removed", "missing"]);
    expect(store.use("s")).toBeUndefined();
  });

  it("finds the one that was put last", () => {
    const { store, put } = lab();
    for (const id of ["b", "a", "c"]) put(id);
    expect(store.find(HASH)?.id).toBe("c");
    expect(store.find("b".repeat(64))).toBeUndefined();
    expect(store.get("a")?.id).toBe("a");
  });

  it("is read by whoever looks, and made by nobody who only looks", () => {
    const { folder, put } = lab();
    put("a");
    const reader = openSnapshotReader(folder);
    expect(reader?.list()).toHaveLength(1);
    reader?.close();
    expect(openSnapshotReader(parseAbsolutePath(temporaryFolder()))).toBeUndefined();
  });
});
