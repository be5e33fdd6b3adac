/** Threads of processes that live, and of those that were killed. */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ThreadStore } from "../../../src/app-server/store/thread-store.ts";
import { thisProcess } from "../../../src/exec/index.ts";
import { rounds } from "../../support/campaign.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import {
  aCommand,
  aMessage,
  anItem,
  aThread,
  aTurn,
  someSettings,
  upwards,
} from "./support/kept-threads.ts";
import { meddle, refusal, storeIn } from "./support/open-stores.ts";
import { threadWriters } from "./support/run-thread-writer.ts";

const runThreadWriter = threadWriters();

describe("a thread that another process has", () => {
  it("is not this one's while the other lives, and nobody else changes what it does", async () => {
    const folder = temporaryFolder();
    const writer = runThreadWriter([folder, "theirs"]);
    await writer.until("open");
    const store = storeIn(folder);
    expect(store.claim("theirs")).toBe(false);
    store.yield("theirs");
    expect(store.claim("theirs")).toBe(false);
    store.create(aThread("mine"));
    const busy = refusal("busy", 'Cannot change the thread "theirs"');
    for (const act of [
      () => store.startTurn("theirs", aTurn("turn-2")),
      () => store.endTurn("theirs", aTurn("turn-1", { state: "completed" })),
      () => store.putItem("theirs", anItem(aMessage("x"))),
      () => store.update("theirs", { settings: someSettings() }),
      () => store.copyHistory("mine", "theirs"),
    ]) {
      expect(act).toThrow(busy);
    }
    expect(store.update("theirs", { name: "seen" }).name).toBe("seen");
    expect(store.history("theirs").map(({ completedAt }) => completedAt)).toEqual([null, null]);
    store.copyHistory("theirs", "mine");
    expect(store.turns("theirs", upwards()).data).toEqual([aTurn()]);
    await writer.kill();
    expect(store.claim("theirs")).toBe(true);
  });

  it("is this one's when the other is dead, and what it did is over", async () => {
    const folder = temporaryFolder();
    const writer = runThreadWriter([folder, "theirs"]);
    await writer.until("open");
    await writer.kill();
    const store = storeIn(folder);
    expect(store.turns("theirs", upwards()).data).toEqual([aTurn()]);
    expect(store.claim("theirs")).toBe(true);
    const completedAt = expect.any(Number);
    expect(store.turns("theirs", upwards()).data).toEqual([
      aTurn("turn-1", { state: "interrupted", completedAt }),
    ]);
    expect(store.history("theirs")).toEqual([
      anItem(aCommand("command", { status: "failed" }), { completedAt }),
      anItem(aMessage("message"), { completedAt }),
    ]);
    const second = runThreadWriter([folder, "theirs"]);
    await second.over();
    expect(second.said("failed")).toEqual(["held"]);
  });

  it("is one process's, however many come at once", async () => {
    const folder = temporaryFolder();
    storeIn(folder).create(aThread("wanted"));
    const writers = Array.from({ length: 4 }, () => runThreadWriter([folder, "wanted"]));
    await Promise.all(writers.map((one) => Promise.race([one.until("open"), one.over()])));
    expect(writers.flatMap((one) => one.said("open"))).toEqual(["command"]);
    expect(writers.flatMap((one) => one.said("failed"))).toEqual(["held", "held", "held"]);
  });

  it.each<[string, boolean, (name: string) => string]>([
    [
      "a later process with the same number is not its owner",
      true,
      (name) => name.replace(/-\d+/, "-1"),
    ],
    ["an owner before the last boot is gone", true, (name) => name.replace(/\w+$/, "0")],
    [
      "an owner in another namespace counts as living",
      false,
      (name) => name.replace(/^(\d+-\d+)-\d+/, "$1-7"),
    ],
    ["an owner without a name counts as living", false, () => "unnamed-1"],
  ])("is told by its whole name: %s", (_, isTaken, other) => {
    const folder = temporaryFolder();
    const store = storeIn(folder);
    store.create(aThread());
    store.startTurn("thread-1", aTurn());
    const owner = other(thisProcess() ?? "");
    expect(owner).not.toBe(thisProcess());
    meddle(folder, "UPDATE threads SET owner = ?", owner);
    expect(store.claim("thread-1")).toBe(isTaken);
    const state = isTaken ? "interrupted" : "inProgress";
    expect(store.turns("thread-1", upwards()).data).toMatchObject([{ state }]);
  });
});

/** How many write at once, each in a thread of its own; and how many after each other in one thread. */
const LANES = 4;
const IN_ONE_THREAD = 5;

/** What the writers of a thread said, the dead ones included. */
interface Told {
  readonly began: string[];
  readonly kept: string[];
  writers: number;
}

/** Lets one process write, kills it while it does, and notes what it said. */
async function killOne(folder: string, thread: string, told: Told): Promise<void> {
  const writer = runThreadWriter([folder, thread, "1000000", "3000"]);
  await writer.until("kept");
  await sleep(Math.random() * 60);
  await writer.kill();
  expect(writer.said("failed")).toEqual([]);
  told.began.push(...writer.said("began"));
  told.kept.push(...writer.said("kept"));
  told.writers += 1;
}

function checkThread(store: ThreadStore, thread: string, { began, kept, writers }: Told): void {
  const history = store.history(thread);
  const ids = history.map(({ item }) => item.id);
  const known = new Set(began);
  expect(ids.filter((id) => known.has(id))).toEqual(began);
  // One more than was said may have been kept by each: it died before it could say so.
  expect(ids.length - began.length).toBeLessThanOrEqual(writers);
  const done = history.flatMap(({ item }) =>
    item.type === "commandExecution" && item.status === "completed" ? [item] : [],
  );
  const doneIds = new Set(done.map(({ id }) => id));
  expect(kept.filter((id) => !doneIds.has(id))).toEqual([]);
  expect(done.filter(({ output }) => output?.length !== 3000)).toEqual([]);
  expect(store.turnCount(thread)).toBe(writers);
}

describe("processes that are killed at any point", { timeout: 600_000 }, () => {
  it("lose nothing that they were told was kept, and leave nothing half", async () => {
    const folder = temporaryFolder();
    const told = new Map<string, Told>();
    for (let batch = 0; batch < rounds(200) / LANES; batch += 1) {
      const age = Math.floor(batch / IN_ONE_THREAD);
      const threads = Array.from({ length: LANES }, (_, lane) => `thread-${age}-${lane}`);
      const kills = threads.map((thread) => {
        const one = told.get(thread) ?? { began: [], kept: [], writers: 0 };
        told.set(thread, one);
        return killOne(folder, thread, one);
      });
      await Promise.all(kills);
      const store = storeIn(folder);
      for (const [thread, one] of told) checkThread(store, thread, one);
      store.close();
    }
    const all = [...told.values()];
    expect(all.flatMap(({ kept }) => kept).length).toBeGreaterThan(rounds(200));
  });
});
