/** What every store of threads does, whatever it keeps them in. */
import { describe, expect, it, onTestFinished } from "vitest";
import type { ThreadStore } from "../../../src/app-server/store/thread-store.ts";
import {
  aMessage,
  anItem,
  aQuery,
  aThread,
  aTurn,
  someSettings,
  upwards,
  WHOLE,
} from "./support/kept-threads.ts";
import { refusal } from "./support/open-stores.ts";
import { describeCopies, describeItems } from "./turn-behaviours.ts";

export function describeThreadStore(kind: string, make: () => ThreadStore): void {
  const open = () => {
    const store = make();
    onTestFinished(() => store.close());
    return store;
  };
  describe(`threads ${kind}`, () => describeThreads(open));
  describe(`turns and items ${kind}`, () => describeItems(open));
  describe(`copies ${kind}`, () => describeCopies(open));
}

function describeThreads(open: () => ThreadStore): void {
  it("are found as they were kept, with all that their policy says", () => {
    const store = open();
    const policy = {
      profile: WHOLE,
      origin: { kind: "named", id: "mine", extends: ":workspace", roots: ["more"] },
    } as const;
    const granular = {
      ...{ sandbox_approval: true, rules: false, mcp_elicitations: true },
      ...{ skill_approval: false, request_permissions: true },
    };
    const settings = someSettings({
      ...{ policy, approvalPolicy: { granular }, effort: "high", summary: "concise" },
      ...{ serviceTier: "fast", instructions: "be brief", environments: [], workspaceRoots: [] },
    });
    const thread = aThread("a", {
      ...{ settings, forkedFrom: "b", name: "\ud800\0", preview: "ü", archived: true },
      ...{ threadSource: "user", originator: null, updatedAt: Date.UTC(2026, 1) },
    });
    store.create(thread);
    store.create(aThread("b"));
    expect(store.find("a")).toEqual(thread);
    expect(store.find("b")).toEqual(aThread("b"));
    expect(store.find("c")).toBeUndefined();
  });

  it("exist once", () => {
    const store = open();
    store.create(aThread());
    expect(() => store.create(aThread("thread-1", { name: "other" }))).toThrow(refusal("exists"));
    expect(store.find("thread-1")).toEqual(aThread());
  });

  it("change as they are told to, and say when", () => {
    const store = open();
    store.create(aThread());
    const policy = { profile: WHOLE, origin: { kind: "policy" } } as const;
    const settings = someSettings({ policy, cwd: "/srv/other" });
    const changed = store.update("thread-1", { settings, name: "new" });
    expect(changed).toEqual({ ...aThread(), settings, name: "new", updatedAt: expect.any(Number) });
    expect(changed.updatedAt).toBeGreaterThan(aThread().updatedAt);
    expect(store.find("thread-1")).toEqual(changed);
    expect(store.update("thread-1", { updatedAt: 7 }).updatedAt).toBe(7);
    expect(store.list(aQuery({ cwds: ["/srv/other"] })).data).toHaveLength(1);
    expect(() => store.update("thread-2", {})).toThrow(refusal("missing", "thread-2"));
  });

  it("are listed by folder, by words and by whether they are archived", () => {
    const store = open();
    const inFolder = (cwd: string) => ({ settings: someSettings({ cwd }) });
    store.create(
      aThread("a", { ...inFolder("/a"), createdAt: 1, name: "Über all", preview: "100%" }),
    );
    store.create(aThread("b", { ...inFolder("/b"), createdAt: 2, preview: "all the rest" }));
    store.create(aThread("c", { ...inFolder("/c"), createdAt: 3, archived: true }));
    const ids = (more: Parameters<typeof aQuery>[0]) =>
      store.list(aQuery(more)).data.map(({ id }) => id);
    expect(ids({})).toEqual(["b", "a"]);
    expect(ids({ archived: true })).toEqual(["c"]);
    expect(ids({ cwds: ["/a", "/c"] })).toEqual(["a"]);
    expect(ids({ cwds: [] })).toEqual([]);
    expect(ids({ search: "ALL" })).toEqual(["b", "a"]);
    expect(ids({ search: "über" })).toEqual(["a"]);
    expect(ids({ search: "%" })).toEqual(["a"]);
    expect(ids({ search: "all100" })).toEqual([]);
    expect(ids({ cwds: ["/b"], search: "über" })).toEqual([]);
  });

  it.each(["createdAt", "updatedAt"] as const)(
    "are paged by %s both ways, also those of one moment",
    (sortKey) => {
      const store = open();
      const ids = Array.from({ length: 10 }, (_, at) => `thread-${at}`);
      for (const [at, id] of ids.entries()) {
        store.create(aThread(id, { [sortKey]: 1000 + Math.floor(at / 4) }));
      }
      const walk = (direction: "ascending" | "descending") => {
        const found: string[] = [];
        for (let cursor: string | null = null, page = 0; page < 4; page += 1) {
          const { data, next } = store.list(aQuery({ sortKey, direction, limit: 3, cursor }));
          found.push(...data.map(({ id }) => id));
          cursor = next;
          if (next === null) break;
        }
        return found;
      };
      expect(walk("ascending")).toEqual(ids);
      expect(walk("descending")).toEqual(ids.toReversed());
    },
  );

  it("keep their pages when others come, and show those on the way back", () => {
    const store = open();
    for (let at = 1; at <= 4; at += 1) store.create(aThread(`${at}`, { createdAt: at }));
    const first = store.list(aQuery({ limit: 2 }));
    store.create(aThread("5", { createdAt: 5 }));
    store.create(aThread("2.5", { createdAt: 2 }));
    const second = store.list(aQuery({ limit: 2, cursor: first.next }));
    expect(second.data.map(({ id }) => id)).toEqual(["2.5", "2"]);
    const back = store.list(aQuery({ direction: "ascending", cursor: first.back }));
    expect(back.data.map(({ id }) => id)).toEqual(["4", "5"]);
    expect(store.list(aQuery({ cursor: back.back, limit: 1 })).data[0]?.id).toBe("4");
    expect(store.list(aQuery({ archived: true }))).toEqual({
      ...{ data: [], damaged: [], next: null, back: null },
    });
  });

  it("refuse cursors that they did not give, and pages of nothing", () => {
    const store = open();
    for (const id of ["a", "b"]) {
      store.create(aThread(id));
      store.startTurn(id, aTurn());
      store.startTurn(id, aTurn("turn-2"));
      for (const item of ["1", "2"]) store.putItem(id, anItem(aMessage(item)));
    }
    const { next } = store.list(aQuery({ limit: 1 }));
    const text = Buffer.from(next ?? "", "base64url").toString();
    const wrong = [
      ...["", "x", "null", "ä", `${next} `, `${next}=`, `${next}A`, "\0", "A".repeat(100_000)],
      ...[
        "createdAt after 1",
        "createdAt after -1 1",
        "createdAt after 1e3 1",
        "createdAt after 01 1",
      ].map((one) => Buffer.from(one).toString("base64url")),
      Buffer.from(`${text}\n`).toString("base64url"),
      Buffer.from(text.replace("after", "upon")).toString("base64url"),
      Buffer.from(text.replace(/\d+$/, "9999999999999999")).toString("base64url"),
    ];
    for (const cursor of wrong) {
      expect(() => store.list(aQuery({ cursor }))).toThrow(refusal("badCursor", "cursor"));
      expect(() => store.turns("a", upwards(1, cursor))).toThrow(refusal("badCursor"));
      expect(() => store.items("a", null, upwards(1, cursor))).toThrow(refusal("badCursor"));
    }
    expect(() => store.list(aQuery({ cursor: next, sortKey: "updatedAt" }))).toThrow(
      refusal("badCursor"),
    );
    const { next: ofTurns } = store.turns("a", upwards(1));
    expect(store.turns("a", upwards(1, ofTurns)).data[0]?.id).toBe("turn-2");
    expect(() => store.turns("b", upwards(1, ofTurns))).toThrow(refusal("badCursor"));
    const { next: ofItems } = store.items("a", "turn-1", upwards(1));
    expect(store.items("a", "turn-1", upwards(1, ofItems)).data[0]?.item.id).toBe("2");
    expect(() => store.items("a", null, upwards(1, ofItems))).toThrow(refusal("badCursor"));
    for (const limit of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => store.list(aQuery({ limit }))).toThrow(refusal("invalid"));
    }
  });

  it("are refused where they could not be read again", () => {
    const store = open();
    const wrong = [
      ...["", "x".repeat(4097), "\0", "\ud800"].map((id) => aThread(id)),
      aThread("a", { createdAt: -1 }),
      aThread("a", { updatedAt: 1.5 }),
      aThread("a", { name: undefined as unknown as null }),
      aThread("a", { settings: someSettings({ approvalPolicy: "always" as "never" }) }),
    ];
    for (const thread of wrong) {
      expect(() => store.create(thread)).toThrow(refusal("invalid", "Cannot keep the thread"));
    }
    expect(store.list(aQuery())).toMatchObject({ data: [], damaged: [] });
    store.create(aThread());
    expect(() => store.update("thread-1", { preview: 7 as unknown as string })).toThrow(
      refusal("invalid", '"preview"'),
    );
    expect(store.find("thread-1")).toEqual(aThread());
  });
}
