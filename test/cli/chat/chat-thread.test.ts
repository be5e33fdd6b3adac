import { describe, expect, it } from "vitest";
import { ChatThread } from "../../../src/cli/chat/chat-thread.ts";
import { ReceivedRpcError } from "../../../src/rpc/index.ts";

/** A server with threads, which has nothing to say about one that is left. */
function server() {
  const left: string[] = [];
  const answer = (id: string) => ({ thread: { id, turns: [{ items: [`said in ${id}`] }] } });
  const thread = {
    start: async () => answer("first"),
    resume: async ({ threadId }: { threadId: string }) => answer(threadId),
    unsubscribe: ({ threadId }: { threadId: string }) => {
      left.push(threadId);
      return new Promise(() => {});
    },
  };
  return { left, call: { thread } as unknown as ConstructorParameters<typeof ChatThread>[0] };
}

describe("a thread that is gone on with", () => {
  it("can be shown at once, so that an open question comes below what it is about", async () => {
    const { left, call } = server();
    const thread = new ChatThread(call);
    await thread.start({});
    const resumed = thread.resume("second", {});
    const first = await Promise.race([resumed, new Promise((next) => setImmediate(next))]);
    expect(first).toEqual({ items: ["said in second"], isCut: false });
    expect([thread.id, left]).toEqual(["second", ["first"]]);
  });

  it("is not left where it is the same", async () => {
    const { left, call } = server();
    const thread = new ChatThread(call);
    await thread.start({});
    await thread.resume("first", {});
    expect(left).toEqual([]);
  });

  it("is shown by its end where all of it is too much, before anything is asked in it", async () => {
    const { call } = server();
    const pages = Promise.withResolvers<void>();
    const told: string[] = [];
    const data = { writ: { code: "turnsTooLong" } };
    const resume = async ({ excludeTurns }: { excludeTurns?: boolean }) => {
      told.push(excludeTurns === true ? "without turns" : "with turns");
      if (excludeTurns !== true) throw new ReceivedRpcError("invalidRequest", "long", { data });
      return { thread: { id: "second", turns: [] } };
    };
    const itemsList = async ({ cursor, limit }: { cursor: string | null; limit: number }) => {
      await pages.promise;
      const from = Number(cursor ?? 0);
      const items = Array.from({ length: limit }, (_, at) => ({ item: `item ${from + at}` }));
      return { data: items.slice(0, 30), nextCursor: String(from + 30) };
    };
    const calls = Object.assign(call.thread, { resume, itemsList });
    const thread = new ChatThread({ ...call, thread: calls } as typeof call);
    const resumed = thread.resume("second", {});
    const settled = thread.settled.then(() => "settled");
    const next = () => new Promise((go) => setImmediate(() => go("open")));
    expect(await Promise.race([settled, next()])).toBe("open");
    pages.resolve();
    const { items, isCut } = await resumed;
    expect(await Promise.race([settled, next()])).toBe("settled");
    expect(told).toEqual(["with turns", "without turns"]);
    expect([items.length, items.at(0), items.at(-1), isCut]).toEqual([
      40,
      "item 39",
      "item 0",
      true,
    ]);
  });
});
