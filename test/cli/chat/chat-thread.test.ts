import { describe, expect, it } from "vitest";
import { ChatThread } from "../../../src/cli/chat/chat-thread.ts";

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
    expect(first).toEqual(["said in second"]);
    expect([thread.id, left]).toEqual(["second", ["first"]]);
  });

  it("is not left where it is the same", async () => {
    const { left, call } = server();
    const thread = new ChatThread(call);
    await thread.start({});
    await thread.resume("first", {});
    expect(left).toEqual([]);
  });
});
