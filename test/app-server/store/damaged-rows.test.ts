/** Rows that somebody else wrote to: what cannot be read is refused, and never read as something else. */
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import {
  aCommand,
  aMessage,
  anItem,
  aQuery,
  aThread,
  aTurn,
  someSettings,
  upwards,
  WHOLE,
} from "./support/kept-threads.ts";
import { meddle, NAME, refusal, storeIn } from "./support/open-stores.ts";

/** The record of a thread, changed by hand. */
function rewrite(folder: string, id: string, change: (text: string) => string): void {
  const database = new DatabaseSync(path.join(folder, NAME));
  const row = database.prepare("SELECT record FROM threads WHERE id = ?").get(id);
  const next = change(String(row?.record));
  expect(next).not.toBe(row?.record);
  database.prepare("UPDATE threads SET record = ? WHERE id = ?").run(next, id);
  database.close();
}

/** Changes the policy in a record. */
const policyAs = (change: (policy: Record<string, unknown>) => void) => (text: string) => {
  const record = JSON.parse(text);
  change(record.settings.policy);
  return JSON.stringify(record);
};

describe("a thread whose record was changed", () => {
  it.each<[string, (text: string) => string]>([
    ["has no policy", (text) => text.replace('"policy"', '"polity"')],
    ["has no profile", policyAs((policy) => Reflect.deleteProperty(policy, "profile"))],
    ["has no profile but null", policyAs((policy) => Object.assign(policy, { profile: null }))],
    ["has an empty profile", policyAs((policy) => Object.assign(policy, { profile: {} }))],
    ["names no profile", policyAs((policy) => Object.assign(policy, { profile: ":workspace" }))],
    [
      "allows everything",
      policyAs((policy) => Object.assign(policy, { profile: { type: "disabled" } })),
    ],
    ["lost its limits", (text) => text.replace(/"limits":\{[^}]*\},/, "")],
    ["lost a denied path", (text) => text.replace("/srv/key", "/srv/kex")],
    [
      "has other sockets",
      (text) => text.replace('"unixSockets":"private"', '"unixSockets":"host"'),
    ],
    ["has a rule that nobody knows", (text) => text.replace('"writ":{', '"writ":{"more":1,')],
    ["has no digest", (text) => text.replace(/"digest":"\w+",/, "")],
    ["has another origin", (text) => text.replace('"kind":"policy"', '"kind":"other"')],
    ["says something twice", (text) => text.replace("{", '{"name":null,')],
    ["has a prototype", (text) => text.replace("{", '{"__proto__":{},')],
    ["has more than there is", (text) => text.replace("{", '{"more":1,')],
    ["asks whenever it likes", (text) => text.replace('"on-request"', '"always"')],
    ["is cut", (text) => text.slice(0, -1)],
    ["is empty", () => ""],
    ["is null", () => "null"],
  ])("is refused where it %s, and hides no other", (_, change) => {
    const folder = temporaryFolder();
    const store = storeIn(folder);
    const policy = { profile: WHOLE, origin: { kind: "policy" } } as const;
    store.create(aThread("before", { createdAt: 1 }));
    store.create(aThread("evil", { createdAt: 2, settings: someSettings({ policy }) }));
    store.create(aThread("after", { createdAt: 3 }));
    rewrite(folder, "evil", change);
    const damaged = refusal("damaged", 'Cannot read the thread "evil": ');
    expect(() => store.find("evil")).toThrow(damaged);
    expect(() => store.update("evil", { name: "fine" })).toThrow(damaged);
    expect(() => store.update("evil", { settings: someSettings() })).toThrow(damaged);
    const page = store.list(aQuery());
    expect(page.data.map(({ id }) => id)).toEqual(["after", "before"]);
    expect(page.damaged).toEqual([
      { id: "evil", reason: expect.stringContaining('Cannot read the thread "evil"') },
    ]);
    const first = store.list(aQuery({ limit: 2 }));
    expect([first.data.length, first.damaged.length]).toEqual([1, 1]);
    expect(store.list(aQuery({ limit: 2, cursor: first.next })).data[0]?.id).toBe("before");
  });
});

describe("an item whose row was changed", () => {
  it.each([
    ["is no JSON", "{"],
    ["is no item", "{}"],
    ["is of no kind", '{"type":"plan","id":"2"}'],
    ["is another one", '{"type":"agentMessage","id":"3","text":""}'],
    ["says something twice", '{"type":"agentMessage","id":"2","text":"a","text":"b"}'],
    ["has a prototype", '{"type":"agentMessage","id":"2","text":"a","__proto__":{}}'],
    ["has more than there is", '{"type":"agentMessage","id":"2","text":"a","more":1}'],
    ["lacks a member", '{"type":"agentMessage","id":"2"}'],
  ])("is refused where it %s", (_, text) => {
    const folder = temporaryFolder();
    const store = storeIn(folder);
    for (const id of ["thread-1", "thread-2"]) {
      store.create(aThread(id));
      store.startTurn(id, aTurn());
      for (const item of ["1", "2"]) store.putItem(id, anItem(aMessage(item)));
    }
    meddle(folder, "UPDATE items SET item = ? WHERE thread = 1 AND id = '2'", text);
    const damaged = refusal("damaged", 'Cannot read the item "2": ');
    expect(() => store.history("thread-1")).toThrow(damaged);
    expect(() => store.items("thread-1", null, upwards())).toThrow(damaged);
    expect(store.items("thread-1", null, upwards(1)).data).toHaveLength(1);
    expect(store.history("thread-2")).toHaveLength(2);
  });

  it("is read where it is a change of before changes named receipts", () => {
    const folder = temporaryFolder();
    const store = storeIn(folder);
    store.create(aThread());
    store.startTurn("thread-1", aTurn());
    store.putItem("thread-1", anItem(aMessage("1")));
    const call = { name: "write_file", input: "{}", output: "" };
    const before = { type: "fileChange", id: "1", changes: [], status: "completed", denial: null };
    meddle(folder, "UPDATE items SET item = ?", JSON.stringify({ ...before, call }));
    expect(store.history("thread-1")).toMatchObject([
      { item: { ...before, receiptId: null, call } },
    ]);
  });

  it("ends no turn as if it were in order", () => {
    const folder = temporaryFolder();
    const store = storeIn(folder);
    store.create(aThread());
    store.startTurn("thread-1", aTurn());
    store.putItem("thread-1", anItem(aCommand("1"), { completedAt: null }));
    meddle(folder, "UPDATE items SET item = '{}'");
    const end = aTurn("turn-1", { state: "completed", completedAt: 1 });
    expect(() => store.endTurn("thread-1", end)).toThrow(refusal("damaged"));
    expect(store.turns("thread-1", upwards()).data).toEqual([aTurn()]);
  });
});
