import { describe, expect, it, onTestFinished } from "vitest";
import { createMemoryStore } from "../../src/app-server/store/create-memory-store.ts";
import type { ThreadStore } from "../../src/app-server/store/thread-store.ts";
import { ThreadStoreError } from "../../src/app-server/store/thread-store-error.ts";
import { copyHistory } from "../../src/app-server/threads/copy-history.ts";
import { writeTurn } from "../../src/app-server/wire/write-turn.ts";
import { aCommand, anItem, aThread, aTurn } from "./store/support/kept-threads.ts";
import {
  aFollower,
  COMPLETED,
  lastHeard,
  ThreadLab,
  turnOver,
  words,
} from "./support/thread-lab.ts";

describe("what is said while a turn runs", () => {
  it("is said after a command of the user's, which listens to nobody", async () => {
    const lab = new ThreadLab();
    const over = Promise.withResolvers<typeof COMPLETED>();
    lab.shell = () => over.promise;
    const thread = lab.start();
    const turn = thread.shell("make all");
    expect(thread.say(words("and now?"))).toBe(turn);
    over.resolve(COMPLETED);
    await turnOver(thread);
    expect(lab.said).toEqual(["and now?"]);
  });

  it("is said one after the other, under the ids of whoever said it", async () => {
    const lab = new ThreadLab();
    const taken: (string | null)[] = [];
    const thread = lab.start();
    lab.play = async (said, port) => {
      if (said === "first") for (const late of ["second", "third"]) thread.say(words(late));
      // As a turn does that looks when it begins.
      else taken.push(said, ...port.takeSteered().map(({ clientId }) => clientId));
      return COMPLETED;
    };
    thread.say(words("first"));
    await turnOver(thread);
    expect(taken).toEqual(["second", "third"]);
  });

  it("is refused where too much of it waits, and nothing changes then", async () => {
    const lab = new ThreadLab();
    const over = Promise.withResolvers<typeof COMPLETED>();
    lab.shell = () => over.promise;
    const thread = lab.start();
    thread.shell("make all");
    const { settings, current: chosen } = thread;
    const change = { settings: { ...settings, model: "another" }, chosen };
    const long = "x".repeat(1 << 20);
    const say = (name: string) => thread.say({ ...words(long), clientId: name }, change);
    const names = Array.from({ length: 7 }, (_, at) => `${at}`);
    for (const name of names) thread.say({ ...words(long), clientId: name });
    expect(() => say("one too many")).toThrow("7 inputs wait until the turn takes them up");
    expect(thread.settings.model).toBe(settings.model);
    over.resolve(COMPLETED);
    await turnOver(thread);
    expect(lab.said).toHaveLength(names.length);
  });

  it("is never taken by a turn that says nothing more, at whatever step of its end it comes", async () => {
    for (let steps = 0; steps < 24; steps += 1) {
      const lab = new ThreadLab();
      const thread = lab.start();
      const later = async () => {
        for (let step = 0; step < steps; step += 1) await undefined;
        thread.say(words("late"));
      };
      lab.play = async (said) => {
        if (said === "first") void later();
        return COMPLETED;
      };
      thread.say(words("first"));
      await turnOver(thread);
      expect(lab.said, `${steps} steps after the end`).toEqual(["first", "late"]);
    }
  });

  it("is in the history of a turn that fails before it could be said", async () => {
    const lab = new ThreadLab();
    const thread = lab.start();
    const follower = aFollower();
    thread.subscribers.add(follower.connection);
    lab.play = async () => {
      for (const late of ["second", "third"]) thread.say(words(late));
      return { status: "failed", message: "the model is gone" };
    };
    thread.say(words("first"));
    await turnOver(thread);
    const kept = lab.store.history(thread.id).map(({ item }) => item);
    expect(kept).toMatchObject([
      { clientId: "first" },
      { clientId: "second" },
      { clientId: "third" },
    ]);
    expect(follower.heard.map(({ method }) => method).slice(-4)).toEqual([
      ...["item/started", "item/completed", "error", "turn/completed"],
    ]);
    expect(lab.said).toEqual(["first"]);
  });

  it("is not said in a turn that was stopped", async () => {
    const lab = new ThreadLab();
    const thread = lab.start();
    lab.play = async (_, { signal }) => {
      if (signal.aborted) return COMPLETED;
      thread.say(words("late"));
      await new Promise((stop) => signal.addEventListener("abort", stop));
      return COMPLETED;
    };
    thread.say(words("first"));
    await new Promise((next) => setImmediate(next));
    await thread.interrupt();
    expect(lab.said).toEqual(["first"]);
    expect(lab.store.history(thread.id)).toMatchObject([{ item: { clientId: "first" } }]);
  });
});

describe("the beginning of a turn", () => {
  it("is told after the answer has gone out: clients miss what comes along with it", async () => {
    const lab = new ThreadLab();
    const thread = lab.start();
    const follower = aFollower();
    thread.subscribers.add(follower.connection);
    thread.say(words("first"));
    // As a line transport writes what was said until now.
    await new Promise((written) => setImmediate(written));
    expect(follower.heard).toEqual([]);
    await turnOver(thread);
    expect(follower.heard.map(({ method }) => method)).toContain("turn/started");
  });
});

describe("what a turn keeps", () => {
  it("is what was said, before whoever said it has an answer, and once", async () => {
    const lab = new ThreadLab();
    const thread = lab.start();
    const seen: unknown[] = [];
    lab.play = async (_, port) => {
      const [item] = lab.store.history(thread.id).map((one) => one.item);
      if (item === undefined) throw new Error("nothing was kept");
      port.emit({ kind: "itemStarted", item, atMs: 7 }, { kind: "itemCompleted", item, atMs: 8 });
      seen.push(...lab.store.history(thread.id));
      return COMPLETED;
    };
    const follower = aFollower();
    thread.subscribers.add(follower.connection);
    thread.say(words("first"));
    const [kept] = lab.store.history(thread.id);
    expect(kept).toMatchObject({ item: { type: "userMessage", clientId: "first" } });
    await turnOver(thread);
    expect(seen).toEqual([kept]);
    expect(lastHeard(follower, "item/completed")).toMatchObject({
      completedAtMs: kept?.completedAt,
      item: { clientId: "first" },
    });
  });

  it("is no part of what the model is told as said before", async () => {
    const lab = new ThreadLab();
    const thread = lab.start();
    for (const text of ["first", "second"]) {
      thread.say(words(text));
      await turnOver(thread);
    }
    expect(lab.histories).toEqual([[], ["first"]]);
  });

  it("is a turn also where there is no room for what was said, and that says why", async () => {
    const lab = new ThreadLab();
    const thread = lab.start();
    const follower = aFollower();
    thread.subscribers.add(follower.connection);
    const startTurn = lab.store.startTurn.bind(lab.store);
    lab.store.startTurn = (id, turn, opening) => {
      if (opening !== undefined) throw new ThreadStoreError("full", "there is no room");
      startTurn(id, turn);
    };
    lab.store.putItem = () => {
      throw new ThreadStoreError("full", "there is no room");
    };
    lab.play = async (_, port) => {
      const item = { type: "agentMessage", id: "m1", text: "" } as const;
      port.emit({ kind: "itemStarted", item, atMs: 7 });
      return COMPLETED;
    };
    thread.say(words("first"));
    await turnOver(thread);
    expect(lastHeard(follower, "turn/completed")).toMatchObject({
      turn: { status: "failed", error: { message: expect.stringContaining("there is no room") } },
    });
    expect(lab.store.turnCount(thread.id)).toBe(1);
  });
});

describe("the end of a turn", () => {
  it("is told as failed where it could not be kept, and the thread goes on", async () => {
    const store = createMemoryStore();
    const lab = new ThreadLab(store);
    const thread = lab.start();
    const follower = aFollower();
    thread.subscribers.add(follower.connection);
    const undo = refuse(store, "endTurn");
    thread.say(words("first"));
    await turnOver(thread);
    undo();
    expect(lastHeard(follower, "turn/completed")).toMatchObject({
      turn: { status: "failed", error: { message: expect.stringContaining("could not be kept") } },
    });
    expect(thread.status).toEqual({ type: "systemError" });
    thread.say(words("second"));
    await turnOver(thread);
    expect(lastHeard(follower, "turn/completed")).toMatchObject({ turn: { status: "completed" } });
  });

  it("is told and can be shown where the clock was set back meanwhile", async () => {
    const lab = new ThreadLab();
    const thread = lab.start();
    const follower = aFollower();
    thread.subscribers.add(follower.connection);
    lab.play = async () => {
      lab.clock = () => Date.now() - 3_600_000;
      return COMPLETED;
    };
    thread.say(words("first"));
    await turnOver(thread);
    expect(lastHeard(follower, "turn/completed")).toMatchObject({
      turn: { status: "completed", durationMs: 0 },
    });
    const [turn] = lab.store.turns(thread.id, FIRST).data;
    expect(turn && writeTurn(turn, [], "full").durationMs).toBe(0);
  });

  it("comes also for an agent that throws before it begins", async () => {
    const lab = new ThreadLab();
    const thread = lab.start();
    lab.play = () => {
      throw new Error("not even a promise");
    };
    thread.say(words("first"));
    await turnOver(thread);
    expect(lab.faults).toHaveLength(1);
    expect(lab.store.turns(thread.id, FIRST).data).toMatchObject([{ state: "failed" }]);
  });

  it("comes also for a turn that is stopped before it begins", async () => {
    const lab = new ThreadLab();
    const thread = lab.start();
    thread.say(words("first"));
    await thread.interrupt();
    expect(thread.activeTurn).toBeUndefined();
    expect(lab.store.turns(thread.id, FIRST).data).toMatchObject([{ state: "interrupted" }]);
  });
});

describe("a copy of a thread in another store", () => {
  it("has nothing in progress, whatever the other does", () => {
    const [from, to] = [createMemoryStore(), createMemoryStore()];
    onTestFinished(() => [from, to].forEach((store) => void store.close()));
    from.create(aThread("one"));
    from.startTurn("one", aTurn("turn-1"));
    from.putItem("one", anItem(aCommand("item-1"), { completedAt: null }));
    copyHistory({ store: from, id: "one" }, { store: to, record: aThread("two") });
    expect(to.turns("two", FIRST).data).toMatchObject([
      { state: "interrupted", completedAt: expect.any(Number) },
    ]);
    expect(to.history("two")).toMatchObject([{ item: { status: "failed" } }]);
    expect(from.turns("one", FIRST).data).toMatchObject([{ state: "inProgress" }]);
  });
});

const FIRST = { direction: "ascending", limit: 10, cursor: null } as const;

/** Has one method of a store fail until it is undone. */
function refuse(store: ThreadStore, method: "endTurn"): () => void {
  const real = store[method];
  store[method] = () => {
    throw new Error("there is no room");
  };
  return () => {
    store[method] = real;
  };
}
