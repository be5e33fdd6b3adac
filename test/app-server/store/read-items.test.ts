import { describe, expect, it } from "vitest";
import { writeKeptItem } from "../../../src/app-server/store/items/kept-item.ts";
import { ReadItems } from "../../../src/app-server/store/items/read-items.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { aMessage, anItem, aThread, aTurn } from "./support/kept-threads.ts";
import { meddle, storeIn } from "./support/open-stores.ts";

const row = (id: string, text = "hello") => ({
  id,
  item: writeKeptItem({ type: "agentMessage", id, text }),
});

describe("items that are read again", () => {
  it("are the same while their text is", () => {
    const items = new ReadItems();
    const first = items.read(row("a"));
    expect(first).toEqual({ type: "agentMessage", id: "a", text: "hello" });
    expect(items.read(row("a"))).toBe(first);
    expect(items.read(row("a", "changed"))).toMatchObject({ text: "changed" });
    expect(items.read(row("a"))).toBe(first);
  });

  it("are refused in the row of another item, whoever read the text before", () => {
    const items = new ReadItems();
    items.read(row("a"));
    const moved = { ...row("a"), id: "b" };
    expect(() => items.read(moved)).toThrow('Cannot read the item "b": it is called "a"');
  });

  it("are refused each time where they are damaged", () => {
    const items = new ReadItems();
    const damaged = { id: "a", item: '{"type":"agentMessage","id":"a"}' };
    for (const _ of [1, 2]) expect(() => items.read(damaged)).toThrow('Cannot read the item "a"');
  });

  it("are forgotten, the oldest first, where there is no room for more", () => {
    const [one, two, long] = [row("a"), row("b"), row("c", "x".repeat(1000))];
    const items = new ReadItems(one.item.length + two.item.length);
    const [first, second] = [items.read(one), items.read(two)];
    expect(items.read(one)).toBe(first);
    const third = items.read(row("d"));
    expect(items.read(two)).toBe(second);
    expect(items.read(row("d"))).toBe(third);
    expect(items.read(one)).not.toBe(first);
    const last = items.read(two);
    expect(items.read(long)).not.toBe(items.read(long));
    expect(items.read(two)).toBe(last);
  });
});

describe("the history of a thread in a file", () => {
  it("is read once while its rows stay as they are, and again where one was changed", () => {
    const folder = temporaryFolder();
    const store = storeIn(folder);
    store.create(aThread("thread"));
    store.startTurn("thread", aTurn());
    store.putItem("thread", anItem(aMessage("one")), anItem(aMessage("two")));
    const read = () => store.history("thread").map(({ item }) => item);
    const [one, two] = read();
    expect(read()[0]).toBe(one);
    meddle(folder, `UPDATE items SET item = '{"type":"agentMessage","id":"two"}' WHERE id = 'two'`);
    expect(read).toThrow('Cannot read the item "two"');
    store.putItem("thread", anItem(aMessage("two")));
    expect(read()).toEqual([one, two]);
    store.close();
  });
});
