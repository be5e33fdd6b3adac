/** Threads in which more happened than one message can hold: nobody loses one. */
import { describe, expect, it } from "vitest";
import { openThreadStore } from "../../../src/app-server/index.ts";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import { aCommand, anItem, aTurn } from "../../app-server/store/support/kept-threads.ts";
import { talk } from "../chat/support/talk.ts";
import { AppLab } from "./support/app-lab.ts";
import { askingThread } from "./support/asking.ts";

const COMMANDS = 70;
const MIB = 1 << 20;

/** A thread of one turn that was said something, and of one with many commands that printed a lot. */
async function longThread() {
  const lab = new AppLab();
  const client = await lab.client();
  const threadId = await askingThread(client, lab.place);
  await client.turn(threadId, "say hello");
  await lab.stop();
  const store = openThreadStore(parseAbsolutePath(lab.home));
  store.atOnce(() => {
    store.claim(threadId);
    store.startTurn(threadId, aTurn("turn-1", { state: "inProgress" }));
    for (let count = 0; count < COMMANDS; count += 1) {
      const more = { output: "x".repeat(MIB), exitCode: 0, receiptId: receiptOf(count) } as const;
      const item = aCommand(`c-${count}`, {
        status: "completed",
        command: `make ${count}`,
        ...more,
      });
      store.putItem(threadId, anItem(item));
    }
    store.endTurn(threadId, aTurn("turn-1", { state: "completed" }));
    store.yield(threadId);
  });
  store.close();
  return { lab, threadId };
}

const receiptOf = (count: number) => `01M7TPCPZF50SKRY18RT97${String(count).padStart(4, "0")}`;

describe("a thread that is too long for one message", () => {
  it("is told in pages, and whole to nobody, who hears why and finds nothing changed", async () => {
    const { lab, threadId } = await longThread();
    const client = await lab.client();
    const asks: [string, object][] = [
      ["thread/read", { includeTurns: true }],
      ["thread/resume", {}],
      ["thread/fork", {}],
    ];
    for (const [method, params] of asks) {
      const { message, data } = await client.refused(method, { threadId, ...params });
      expect(message).toMatch(
        /^Cannot tell all turns of thread .* bytes, expected at most 67108864/,
      );
      expect(data).toEqual({ writ: { code: "turnsTooLong" } });
    }
    expect(await client.ok("thread/loaded/list", {})).toMatchObject({ data: [] });
    const found: string[] = [];
    for (let cursor: string | null = null; ; ) {
      const page = await client.ok("thread/items/list", { threadId, cursor, limit: 200 });
      expect(page.data.length).toBeLessThan(20);
      for (const { item } of page.data) found.push(item.id);
      cursor = page.nextCursor;
      if (cursor === null) break;
    }
    const commands = Array.from({ length: COMMANDS }, (_, count) => `c-${count}`);
    expect(found.slice(-COMMANDS)).toEqual(commands);
    const without = { threadId, excludeTurns: true };
    expect(await client.ok("thread/resume", without)).toMatchObject({ thread: { turns: [] } });
  });

  it("is gone on with in the chat, which shows its end and lists its receipts", async () => {
    const { lab, threadId } = await longThread();
    const said = await talk(lab.place, ["/receipts", "say again"], {
      flags: ["--resume", threadId],
    });
    expect(said).toMatchObject({ status: 0, err: "" });
    expect(said.out).toMatch(/^- Earlier items are not shown\.$/m);
    expect(said.out).toMatch(/^\$ make 69$/m);
    expect(said.out).not.toMatch(/^\$ make 29$/m);
    expect(said.out).toMatch(/^- RT970069 +exit 0 +make 69$/m);
    expect(said.out).toMatch(/^< again$/m);
  });
});
