/** What was only asked about when its turn ended was never begun, and whatever looks at it later is told so. */
import { describe, expect, it } from "vitest";
import type { TurnItem } from "../../../src/agent/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { aCommand, anItem, aThread, aTurn } from "./support/kept-threads.ts";
import { storeIn } from "./support/open-stores.ts";

const call = { name: "tool", input: "{}", output: null };
const WHY = "Not approved: nobody had answered the question when the turn ended";

const added = { path: "/a", kind: { type: "add" }, diff: "new\n" } as const;
const change = (changes: Extract<TurnItem, { type: "fileChange" }>["changes"]): TurnItem => ({
  ...{ type: "fileChange", id: "1", changes, status: "inProgress" },
  ...{ receiptId: null, denial: null, call },
});

const OPEN: readonly { item: TurnItem; ended: object }[] = [
  {
    item: aCommand("1"),
    ended: { denial: WHY, output: null, call: { output: `The command did not run. ${WHY}` } },
  },
  {
    item: change([added]),
    ended: { denial: WHY, call: { output: `Nothing was changed. ${WHY}` } },
  },
  {
    item: change([added, { ...added, path: "/b", kind: { type: "delete" } }]),
    ended: { denial: WHY, call: { output: `Some files may have been changed. ${WHY}` } },
  },
  {
    item: {
      ...{ type: "toolCall", id: "1", status: "inProgress", image: null, durationMs: null },
      ...{ receiptId: null, denial: null, call },
    },
    ended: { denial: WHY, call: { output: `Nothing was granted. ${WHY}` } },
  },
  {
    item: {
      ...{ type: "mcpToolCall", id: "1", server: "s", tool: "t", status: "inProgress" },
      ...{ arguments: {}, readOnlyHint: null, result: null, error: null, durationMs: null },
      ...{ receiptId: null, call },
    },
    ended: { error: WHY, call: { output: `The tool was not called. ${WHY}` } },
  },
  {
    item: {
      ...{ type: "terminalWrite", id: "1", launchId: "0", processId: "1234" },
      ...{ status: "inProgress", receiptId: null, call },
    },
    ended: { call: { output: `Nothing was written. ${WHY}` } },
  },
];

/** A store with a turn that has an item in progress. */
function openWith(item: TurnItem) {
  const store = storeIn(temporaryFolder());
  store.create(aThread());
  store.startTurn("thread-1", aTurn());
  store.putItem("thread-1", anItem(item, { completedAt: null }));
  const mark = (isAsked: boolean) =>
    store.markAsked("thread-1", { turn: "turn-1", id: item.id }, isAsked);
  const kept = () => store.history("thread-1").map((one) => one.item);
  return { store, mark, kept };
}

const END = aTurn("turn-1", { state: "failed", error: "x", completedAt: 9 });

describe("an item that somebody is asked about", () => {
  it.each(OPEN)("says that it was never begun where its turn ends: $item.type", (one) => {
    const { store, mark, kept } = openWith(one.item);
    mark(true);
    expect(kept()).toEqual([one.item]);
    store.endTurn("thread-1", END);
    expect(kept()).toMatchObject([{ ...one.ended, id: "1", status: "failed" }]);
  });

  it.each(OPEN)("says nothing of that where there was an answer: $item.type", (one) => {
    const { store, mark, kept } = openWith(one.item);
    mark(true);
    mark(false);
    store.endTurn("thread-1", END);
    expect(kept()).toEqual([{ ...one.item, status: "failed" }]);
  });

  it("is found so by whoever takes the thread of a process that died", () => {
    const { store, mark, kept } = openWith(aCommand("1"));
    mark(true);
    store.claim("thread-1");
    expect(kept()).toMatchObject([{ status: "failed", denial: WHY }]);
  });

  it("is asked about no more once it is over, whatever is said later", () => {
    const over = aCommand("1", { status: "completed", exitCode: 0 });
    const { store, mark, kept } = openWith(aCommand("1"));
    mark(true);
    store.putItem("thread-1", anItem(over));
    mark(true);
    store.endTurn("thread-1", END);
    expect(kept()).toEqual([over]);
  });

  it("ends in a copy, which says nothing of what goes on where it is", () => {
    const { store, mark, kept } = openWith(aCommand("1"));
    mark(true);
    store.create(aThread("other"));
    store.copyHistory("thread-1", "other");
    const ended = { ...aCommand("1"), status: "failed", denial: null };
    expect(store.history("other").map((one) => one.item)).toEqual([ended]);
    expect(kept()).toEqual([aCommand("1")]);
  });
});
