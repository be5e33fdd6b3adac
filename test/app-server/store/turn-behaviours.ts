/** What every store does with turns and items. */
import { expect, it } from "vitest";
import type { TurnItem } from "../../../src/agent/index.ts";
import type { ThreadStore } from "../../../src/app-server/store/thread-store.ts";
import {
  aCommand,
  aMessage,
  anItem,
  aThread,
  aTurn,
  downwards,
  upwards,
} from "./support/kept-threads.ts";
import { refusal } from "./support/open-stores.ts";

/** One of each kind, so that none can be added that no store was tried with. */
const KINDS: { readonly [Type in TurnItem["type"]]: Extract<TurnItem, { type: Type }> } = {
  userMessage: {
    type: "userMessage",
    id: "1",
    clientId: "mine",
    content: [
      { type: "text", text: "ü\0\ud800" },
      { type: "other", value: { type: "image", url: "data:" } },
    ],
  },
  agentMessage: aMessage("2"),
  reasoning: { type: "reasoning", id: "3", summary: ["a"], content: ["b", "c"] },
  commandExecution: aCommand("4", {
    ...{ status: "declined", denial: "no", exitCode: -1, output: "\u0007", call: null },
  }),
  mcpToolCall: {
    type: "mcpToolCall",
    id: "5",
    server: "s",
    tool: "t",
    status: "completed",
    arguments: { a: [1, { b: null }] },
    readOnlyHint: true,
    result: { content: [{ type: "text", text: "x" }], structuredContent: null, meta: { a: 1 } },
    error: null,
    durationMs: 1.5,
    receiptId: "r",
    call: null,
  },
  clientToolCall: {
    type: "clientToolCall",
    id: "8",
    namespace: null,
    tool: "t",
    arguments: { a: [1] },
    status: "completed",
    content: [
      { type: "inputText", text: "x" },
      { type: "inputImage", imageUrl: "data:" },
      { type: "inputAudio", audioUrl: "data:" },
    ],
    success: true,
    durationMs: 2,
    call: { name: "t", input: "{}", output: "x" },
  },
  refusedCall: {
    type: "refusedCall",
    id: "6",
    call: { name: "n", input: "{", output: "there is none" },
  },
  fileChange: {
    type: "fileChange",
    id: "9",
    changes: [
      { path: "/a", kind: { type: "add" }, diff: "new\n" },
      { path: "/b", kind: { type: "delete" }, diff: "old\n" },
      { path: "/c", kind: { type: "update", movePath: "/d" }, diff: "@@ -1,1 +1,1 @@\n-a\n+b\n" },
    ],
    status: "declined",
    receiptId: "R",
    denial: "Rejected by the user",
    call: { name: "apply_patch", input: "{}", output: "no" },
  },
  toolCall: {
    type: "toolCall",
    id: "10",
    status: "completed",
    image: { mimeType: "image/png", base64: "AA==" },
    durationMs: 3,
    receiptId: "R",
    denial: null,
    call: { name: "view_image", input: "{}", output: "a picture" },
  },
  terminalWrite: {
    type: "terminalWrite",
    id: "7",
    launchId: "4",
    processId: "1234",
    status: "declined",
    receiptId: "r",
    call: { name: "n", input: "{}", output: "no" },
  },
};
const ITEMS: readonly TurnItem[] = Object.values(KINDS);

/** Of turns and what they consist of. */
export function describeItems(open: () => ThreadStore): void {
  it("come back as they were kept, each kind of them", () => {
    const store = open();
    store.create(aThread());
    store.startTurn("thread-1", aTurn());
    for (const item of ITEMS) store.putItem("thread-1", anItem(item));
    const kept = ITEMS.map((item) => anItem(item));
    expect(store.history("thread-1")).toEqual(kept);
    expect(store.items("thread-1", "turn-1", upwards()).data).toEqual(kept);
    expect(store.items("thread-1", null, downwards()).data).toEqual(kept.toReversed());
  });

  it("are replaced in their place, and the same id in another turn is another item", () => {
    const store = open();
    store.create(aThread());
    for (const turn of ["turn-1", "turn-2"]) store.startTurn("thread-1", aTurn(turn));
    const put = (turn: string, id: string, text: string) =>
      store.putItem("thread-1", anItem(aMessage(id, text), { turn }));
    put("turn-1", "a", "1");
    put("turn-2", "a", "2");
    put("turn-1", "b", "3");
    put("turn-1", "a", "4");
    const texts = store
      .history("thread-1")
      .map(({ turn, item }) => [turn, item.id, "text" in item && item.text]);
    expect(texts).toEqual([
      ["turn-1", "a", "4"],
      ["turn-1", "b", "3"],
      ["turn-2", "a", "2"],
    ]);
  });

  it("are paged both ways, of a turn and of the thread, and go on with what comes", () => {
    const store = open();
    store.create(aThread());
    store.create(aThread("other"));
    const ids: string[] = [];
    for (const turn of ["t1", "t2", "t3"]) {
      for (const thread of ["thread-1", "other"]) store.startTurn(thread, aTurn(turn));
      for (const at of [1, 2, 3]) {
        ids.push(`${turn}-${at}`);
        store.putItem("thread-1", anItem(aMessage(`${turn}-${at}`), { turn }));
        store.putItem("other", anItem(aMessage(`other-${at}`), { turn }));
      }
    }
    const first = store.items("thread-1", null, upwards(4));
    const second = store.items("thread-1", null, upwards(5, first.next));
    expect([...first.data, ...second.data].map(({ item }) => item.id)).toEqual(ids);
    expect(second.next).toBeNull();
    const last = store.items("thread-1", null, downwards(2));
    expect(last.data.map(({ item }) => item.id)).toEqual(["t3-3", "t3-2"]);
    store.putItem("thread-1", anItem(aMessage("t3-4"), { turn: "t3" }));
    const newer = store.items("thread-1", null, upwards(9, last.back));
    expect(newer.data.map(({ item }) => item.id)).toEqual(["t3-3", "t3-4"]);
    const ofTurn = store.items("thread-1", "t2", downwards(2));
    const rest = store.items("thread-1", "t2", downwards(2, ofTurn.next));
    expect([...ofTurn.data, ...rest.data].map(({ item }) => item.id)).toEqual([
      "t2-3",
      "t2-2",
      "t2-1",
    ]);
    const turns = store.turns("thread-1", downwards(2));
    expect(turns.data.map(({ id }) => id)).toEqual(["t3", "t2"]);
    expect(store.turns("thread-1", downwards(2, turns.next))).toMatchObject({
      ...{ data: [aTurn("t1")], next: null },
    });
    expect(store.turns("thread-1", upwards(9, turns.back)).data).toEqual([aTurn("t3")]);
  });

  it("that are in progress fail with their turn, and no others", () => {
    const store = open();
    store.create(aThread());
    for (const turn of ["turn-1", "turn-2"]) store.startTurn("thread-1", aTurn(turn));
    const done = anItem(aCommand("done", { status: "completed" }));
    const open2 = anItem(aCommand("open"), { turn: "turn-2", completedAt: null });
    store.putItem("thread-1", done);
    store.putItem("thread-1", anItem(aCommand("open"), { completedAt: null }));
    store.putItem("thread-1", anItem(aMessage("half"), { completedAt: null }));
    store.putItem("thread-1", open2);
    const end = aTurn("turn-1", {
      state: "failed",
      error: "no model",
      completedAt: Date.UTC(2027),
    });
    store.endTurn("thread-1", end);
    const completedAt = Date.UTC(2027);
    expect(store.history("thread-1")).toEqual([
      done,
      anItem(aCommand("open", { status: "failed" }), { completedAt }),
      anItem(aMessage("half"), { completedAt }),
      open2,
    ]);
    expect(store.turns("thread-1", upwards()).data).toEqual([end, aTurn("turn-2")]);
    expect(store.find("thread-1")?.updatedAt).toBe(completedAt);
  });

  it("need a turn, and turns a thread", () => {
    const store = open();
    store.create(aThread());
    const missing = refusal("missing", "Cannot find the");
    expect(() => store.putItem("thread-1", anItem(aMessage("1")))).toThrow(missing);
    expect(() => store.endTurn("thread-1", aTurn("turn-1", { state: "completed" }))).toThrow(
      missing,
    );
    expect(() => store.items("thread-1", "turn-1", upwards())).toThrow(missing);
    for (const act of [
      () => store.startTurn("no", aTurn()),
      () => store.putItem("no", anItem(aMessage("1"))),
      () => store.turns("no", upwards()),
      () => store.items("no", null, upwards()),
      () => store.history("no"),
      () => store.claim("no"),
      () => store.copyHistory("no", "thread-1"),
      () => store.copyHistory("thread-1", "no"),
    ]) {
      expect(act).toThrow(missing);
    }
    expect([store.turnCount("no"), store.turnCount("thread-1")]).toEqual([0, 0]);
    store.startTurn("thread-1", aTurn());
    expect(store.turnCount("thread-1")).toBe(1);
    expect(() => store.startTurn("thread-1", aTurn())).toThrow(refusal("exists"));
    expect(() => store.endTurn("thread-1", aTurn())).toThrow(refusal("invalid", "in progress"));
  });

  it("are refused where they could not be read again", () => {
    const store = open();
    store.create(aThread());
    store.startTurn("thread-1", aTurn());
    const poisoned = JSON.parse('{"__proto__": 1}');
    const wrong: unknown[] = [
      { ...aMessage("1"), text: null },
      { ...aMessage("1"), more: 1 },
      { ...aMessage("1"), type: "plan" },
      aMessage(""),
      aMessage("\ud800"),
      { ...aCommand("1"), call: { name: "n", input: poisoned, output: null } },
      {
        type: "userMessage",
        id: "1",
        clientId: null,
        content: [{ type: "other", value: poisoned }],
      },
    ];
    for (const item of wrong) {
      expect(() => store.putItem("thread-1", anItem(item as TurnItem))).toThrow(
        refusal("invalid", "Cannot keep the item"),
      );
    }
    expect(() => store.putItem("thread-1", anItem(aMessage("1"), { startedAt: 0.5 }))).toThrow(
      refusal("invalid"),
    );
    expect(store.history("thread-1")).toEqual([]);
  });
}

/** Of threads that begin with the turns of another, and of those that one process has. */
export function describeCopies(open: () => ThreadStore): void {
  it("have every turn and item in order, ended, and leave the original as it is", () => {
    const store = open();
    for (const id of ["thread-1", "copy", "busy"]) store.create(aThread(id));
    const ended = aTurn("turn-1", { state: "completed", completedAt: Date.UTC(2026, 2) });
    const put = (item: TurnItem, more: object) => store.putItem("thread-1", anItem(item, more));
    for (const turn of ["turn-1", "turn-2"]) store.startTurn("thread-1", aTurn(turn));
    put(aMessage("late"), { turn: "turn-2" });
    put(aMessage("early"), {});
    put(aCommand("open"), { turn: "turn-2", completedAt: null });
    store.endTurn("thread-1", ended);
    const before = store.history("thread-1");
    store.copyHistory("thread-1", "copy");
    expect(store.history("thread-1")).toEqual(before);
    expect(store.turns("thread-1", upwards()).data[1]).toEqual(aTurn("turn-2"));
    const copy = store.history("copy");
    expect(copy.map(({ item }) => item.id)).toEqual(["early", "late", "open"]);
    expect(copy[2]?.item).toEqual(aCommand("open", { status: "failed" }));
    expect(store.turns("copy", upwards()).data).toEqual([
      ended,
      aTurn("turn-2", { state: "interrupted", completedAt: expect.any(Number) }),
    ]);
    store.startTurn("busy", aTurn());
    expect(() => store.copyHistory("thread-1", "busy")).toThrow(refusal("exists"));
    expect(store.turnCount("busy")).toBe(1);
  });

  it("belong to this process as often as it claims them", () => {
    const store = open();
    store.create(aThread());
    expect(store.claim("thread-1")).toBe(true);
    store.startTurn("thread-1", aTurn());
    expect(store.claim("thread-1")).toBe(true);
    expect(store.turns("thread-1", upwards()).data).toEqual([aTurn()]);
    store.yield("thread-1");
    store.yield("nobody's");
    expect(store.claim("thread-1")).toBe(true);
    expect(store.turns("thread-1", upwards()).data).toMatchObject([{ state: "interrupted" }]);
  });
}
