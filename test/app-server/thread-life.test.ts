import { getEventListeners } from "node:events";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ApprovalQuestion } from "../../src/agent/index.ts";
import type { AppParts } from "../../src/app-server/handlers/app-parts.ts";
import { threadHandlers } from "../../src/app-server/handlers/thread-handlers.ts";
import type { ChosenPolicy } from "../../src/app-server/policy/chosen-policy.ts";
import { createMemoryStore } from "../../src/app-server/store/create-memory-store.ts";
import type { LoadedThread } from "../../src/app-server/threads/loaded-thread.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { NAME, storeIn } from "./store/support/open-stores.ts";
import { aFollower, COMPLETED, ThreadLab, turnOver, words } from "./support/thread-lab.ts";

const IDLE_MS = 30 * 60_000;

describe("a thread in which something was said", () => {
  it("is known by whole characters of it", async () => {
    const lab = new ThreadLab();
    const thread = lab.start();
    thread.say(words(`${"a".repeat(199)}😀 and more`));
    await turnOver(thread);
    expect(thread.record.preview).toBe(`${"a".repeat(199)}\ufffd`);
  });
});

describe("a thread that is let go", () => {
  it("stays this process's where it is resumed before it was given back", async () => {
    const folder = temporaryFolder();
    const lab = new ThreadLab(storeIn(folder));
    const { id } = await talkedIn(lab);
    const { end } = slowClosing(lab);
    const leaving = lab.threads.unload(id);
    const resuming = lab.resume(id);
    end();
    await leaving;
    const again = await resuming;
    expect(lab.threads.peek(id)).toBe(again);
    expect(ownerOf(folder, id)).not.toBeNull();
  });

  it("is not resumed while it is archived", async () => {
    const lab = new ThreadLab();
    const { id } = await talkedIn(lab);
    const { end } = slowClosing(lab);
    const archiving = archive(lab, id);
    const resuming = expect(lab.resume(id)).rejects.toThrow("it is archived");
    expect(lab.store.find(id)?.archived).toBe(true);
    end();
    await archiving;
    await resuming;
    expect(lab.threads.ids).toEqual([]);
  });

  it("is let go also where it was being loaded", async () => {
    const lab = new ThreadLab();
    const { id } = await talkedIn(lab);
    await lab.threads.unload(id);
    const resuming = lab.resume(id);
    await archive(lab, id);
    await resuming;
    expect(lab.threads.ids).toEqual([]);
    expect(lab.store.find(id)?.archived).toBe(true);
  });

  it("takes nothing any more from whoever had found it before", async () => {
    const lab = new ThreadLab();
    const thread = lab.start();
    const { settings } = thread;
    const entering = thread.exclusively(async () => {
      await new Promise((next) => setImmediate(next));
      return thread.say(words("too late"));
    });
    await lab.threads.unload(thread.id);
    await expect(entering).rejects.toThrow(`thread not found: ${thread.id}`);
    expect(() => thread.shell("make all")).toThrow("thread not found");
    const chosen = thread.current as ChosenPolicy;
    expect(() => thread.change({ settings: { ...settings, model: "other" }, chosen })).toThrow(
      "not found",
    );
    expect(lab.store.find(thread.id)).toBeUndefined();
    expect(lab.said).toEqual([]);
  });

  it("does not let go of the same thread when that was loaded again", async () => {
    const lab = new ThreadLab();
    const thread = lab.start();
    lab.play = async (_, { signal }) => {
      await new Promise((stop) => signal.addEventListener("abort", stop));
      return COMPLETED;
    };
    thread.say(words("first"));
    await vi.waitUntil(() => lab.said.includes("first"));
    withClock();
    await lab.threads.unload(thread.id);
    const again = await lab.resume(thread.id);
    again.subscribers.add(aFollower().connection);
    await vi.advanceTimersByTimeAsync(2 * IDLE_MS);
    expect(lab.threads.peek(thread.id)).toBe(again);
  });

  it("leaves nothing of it with those who followed it", async () => {
    const lab = new ThreadLab();
    const follower = aFollower();
    const listeners = () => getEventListeners(follower.connection.closed, "abort").length;
    const before = listeners();
    const thread = lab.start();
    for (let times = 0; times < 3; times += 1) {
      thread.subscribers.add(follower.connection);
      thread.subscribers.remove(follower.connection);
    }
    expect(listeners()).toBe(before);
    thread.subscribers.add(follower.connection);
    await lab.threads.unload(thread.id);
    expect(listeners()).toBe(before);
  });
});

describe("a thread without followers", () => {
  it("is let go though whoever began it had left by then", async () => {
    const lab = new ThreadLab();
    const follower = aFollower();
    await follower.leave();
    withClock();
    const thread = lab.start();
    thread.subscribers.add(follower.connection);
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(lab.threads.ids).toEqual([]);
  });

  it("stays while somebody follows it", async () => {
    const lab = new ThreadLab();
    withClock();
    const [one, other] = [aFollower(), aFollower()];
    const thread = lab.start();
    for (const { connection } of [one, other]) thread.subscribers.add(connection);
    thread.subscribers.remove(one.connection);
    await vi.advanceTimersByTimeAsync(2 * IDLE_MS);
    expect(lab.threads.ids).toEqual([thread.id]);
  });
});

describe("a question that is open", () => {
  it("is put to whoever comes, and not to one who has left before it was put", async () => {
    const lab = new ThreadLab();
    const thread = lab.start();
    lab.play = async (_, port) => {
      await port.approve(QUESTION);
      return COMPLETED;
    };
    thread.say(words("first"));
    await vi.waitUntil(() => thread.approvals.size > 0, { timeout: 30_000 });
    const [stays, leaves] = [aFollower(), aFollower()];
    for (const { connection } of [stays, leaves]) thread.subscribers.add(connection);
    thread.subscribers.remove(leaves.connection);
    for (const { connection } of [stays, leaves]) thread.approvals.replay(connection);
    expect([stays.asked.length, leaves.asked.length]).toEqual([1, 0]);
    await thread.interrupt();
    expect(thread.approvals.size).toBe(0);
  });
});

describe("the end of a server", () => {
  it("comes for every thread, also where one cannot be given back", async () => {
    const store = createMemoryStore();
    const lab = new ThreadLab(store);
    const [one, other] = [await talkedIn(lab), await talkedIn(lab)];
    const stopped: string[] = [];
    lab.play = async (said, { signal }) => {
      await new Promise((stop) => signal.addEventListener("abort", stop));
      stopped.push(said);
      return COMPLETED;
    };
    one.say(words("one"));
    other.say(words("other"));
    await vi.waitUntil(() => lab.said.includes("one") && lab.said.includes("other"));
    store.yield = () => {
      throw new Error("there is no room");
    };
    await lab.threads.close();
    expect(stopped.sort()).toEqual(["one", "other"]);
    expect(lab.faults).toHaveLength(2);
    expect(() => store.turnCount(one.id)).toThrow();
  });

  it("waits for what is being let go, and lets nobody begin", async () => {
    const lab = new ThreadLab();
    const { id } = await talkedIn(lab);
    const { end } = slowClosing(lab);
    const leaving = lab.threads.unload(id);
    const closing = lab.threads.close();
    expect(() => lab.start()).toThrow("the server is ending");
    end();
    await leaving;
    await closing;
    expect(lab.faults).toEqual([]);
  });
});

const QUESTION: ApprovalQuestion = {
  kind: "command",
  itemId: "item-1",
  approvalId: null,
  argv: ["make"],
  command: "make",
  cwd: "/srv/project",
  escalates: true,
  reason: null,
  subject: "subject-1",
};

/** A thread in which something was said. */
async function talkedIn(lab: ThreadLab): Promise<LoadedThread> {
  const thread = lab.start();
  thread.say(words("something"));
  await turnOver(thread);
  return thread;
}

function slowClosing(lab: ThreadLab): { end: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  lab.closing = promise;
  return { end: resolve };
}

async function archive({ threads }: ThreadLab, threadId: string): Promise<void> {
  const parts: Pick<AppParts, "threads" | "broadcast"> = { threads, broadcast: () => {} };
  const call = { method: "thread/archive", signal: new AbortController().signal };
  await threadHandlers(parts as AppParts).archive({ threadId }, aFollower().connection, call);
}

function ownerOf(folder: string, id: string): unknown {
  const database = new DatabaseSync(path.join(folder, NAME), { readOnly: true });
  onTestFinished(() => database.close());
  return database.prepare("SELECT owner FROM threads WHERE id = ?").get(id)?.owner;
}

function withClock(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}
