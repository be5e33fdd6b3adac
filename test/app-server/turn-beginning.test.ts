/** What a turn begins with is kept together, or not at all. */
import { describe, expect, it, vi } from "vitest";
import { ThreadStoreError } from "../../src/app-server/store/thread-store-error.ts";
import { aFollower, ThreadLab, turnOver, words } from "./support/thread-lab.ts";

describe("the beginning of a turn", () => {
  it("is nothing where the store fails for more than want of room", async () => {
    const lab = new ThreadLab();
    const thread = lab.start();
    const tried = vi.fn(() => {
      throw new ThreadStoreError("unusable", "the disk is gone");
    });
    lab.store.startTurn = tried;
    expect(() => thread.say(words("first"))).toThrow("the disk is gone");
    expect(tried).toHaveBeenCalledOnce();
    expect(thread.activeTurn).toBeUndefined();
  });
});

describe("a policy that comes with what is said", () => {
  it.each([
    { finding: "in which something was said", before: ["before"] },
    { finding: "in which nothing was said", before: [] },
  ])("is not kept where the turn is not: a thread $finding", async ({ before }) => {
    const lab = new ThreadLab();
    const thread = lab.start();
    for (const said of before) {
      thread.say(words(said));
      await turnOver(thread);
    }
    const follower = aFollower();
    thread.subscribers.add(follower.connection);
    const { settings, current, isMaterialized } = thread;
    const other = { settings: { ...settings, model: "other" }, chosen: { ...current } };
    const startTurn = lab.store.startTurn.bind(lab.store);
    lab.store.startTurn = () => {
      throw new ThreadStoreError("full", "there is no room");
    };
    expect(() => thread.say(words("first"), other)).toThrow("there is no room");
    expect(thread).toMatchObject({ settings, isMaterialized });
    expect(thread.current).toBe(current);
    expect(lab.store.find(thread.id)?.settings).toEqual(before.length > 0 ? settings : undefined);
    expect(follower.heard).toEqual([]);
    lab.store.startTurn = startTurn;
    thread.say(words("again"), other);
    await turnOver(thread);
    expect(lab.store.find(thread.id)?.settings.model).toBe("other");
    expect(lab.said).toEqual([...before, "again"]);
    expect(follower.heard[0]).toMatchObject({ method: "thread/settings/updated" });
  });
});
