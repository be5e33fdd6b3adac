import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { aMessage, anItem, aThread, aTurn } from "./support/kept-threads.ts";
import { storeIn } from "./support/open-stores.ts";

describe("what is kept at once", () => {
  const begin = () => {
    const folder = temporaryFolder();
    const store = storeIn(folder);
    const keep = () => {
      store.create(aThread());
      store.startTurn("thread-1", aTurn());
      store.putItem("thread-1", anItem(aMessage("1")));
    };
    return { store, keep, other: storeIn(folder) };
  };

  it("is there for others when it is over, and not before", () => {
    const { store, keep, other } = begin();
    const done = store.atOnce(() => {
      keep();
      expect(other.find("thread-1")).toBeUndefined();
      return "done";
    });
    expect(done).toBe("done");
    expect(other.history("thread-1")).toHaveLength(1);
  });

  it("is nothing where something came in the way, and the store goes on", () => {
    const { store, keep, other } = begin();
    const act = () => {
      keep();
      throw new Error("no more");
    };
    expect(() => store.atOnce(act)).toThrow("no more");
    expect([store.find("thread-1"), other.find("thread-1")]).toEqual([undefined, undefined]);
    keep();
    expect(other.history("thread-1")).toHaveLength(1);
  });
});
