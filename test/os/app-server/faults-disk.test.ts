/** The disk of the thread store is full: turns fail with a sentence, all else goes on. */
import { spawnSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { AppClient } from "./support/app-client.ts";
import { AppLab } from "./support/app-lab.ts";
import { askingThread, ended, say } from "./support/asking.ts";

/** No file of the server grows any further; or again as far as it likes. */
function limitFiles({ server, home }: AppLab, to: "as they are" | "unlimited", more = 0): void {
  const size = statSync(path.join(home, "threads.db-wal")).size;
  const soft = to === "unlimited" ? to : size + more;
  const { status, stderr } = spawnSync("prlimit", [
    ...["--pid", String(server.pid), `--fsize=${soft}:unlimited`],
  ]);
  expect([status, String(stderr)]).toEqual([0, ""]);
}

async function historyOf(client: AppClient, threadId: string): Promise<string[]> {
  const { thread } = await client.ok("thread/read", { threadId, includeTurns: true });
  return thread.turns.map(({ status }: { status: string }) => status);
}

/** The threads that the file has, whether they are shown or not. */
function keptIn({ home }: AppLab): readonly unknown[] {
  const database = new DatabaseSync(path.join(home, "threads.db"), { readOnly: true });
  const rows = database.prepare("SELECT id FROM threads ORDER BY seq").all();
  database.close();
  return rows.map(({ id }) => id);
}

/** Of the database, with what stands before each in its log. */
const PAGE = 4096 + 24;

/** A command that ends when the test says so. */
const WAITING = "while [ ! -e go ]; do sleep 0.01; done; echo gone";

describe("a disk without room for threads", () => {
  it("refuses turns in a sentence, shows what there was, and goes on once there is room", async () => {
    const lab = new AppLab();
    const client = await lab.client();
    const threadId = await askingThread(client, lab.place);
    await client.turn(threadId, "echo one");
    const other = await askingThread(client, lab.place);
    limitFiles(lab, "as they are");
    for (const id of [threadId, other]) {
      const input = [{ type: "text", text: "echo two > two", text_elements: [] }];
      const { code, message } = await client.refused("turn/start", { threadId: id, input });
      expect([code, message]).toEqual([-32_603, expect.stringMatching(/^Cannot .*(full|room)/)]);
    }
    expect(await historyOf(client, threadId)).toEqual(["completed"]);
    expect((await client.ok("thread/list", {})).data).toHaveLength(1);
    limitFiles(lab, "unlimited");
    for (const id of [threadId, other]) {
      expect((await client.turn(id, "echo three")).turn.status).toBe("completed");
    }
    expect(await historyOf(client, threadId)).toEqual(["completed", "completed"]);
    expect(await historyOf(client, other)).toEqual(["completed"]);
  });

  it("refuses a fork in a sentence, and keeps no thread without its history", async () => {
    const lab = new AppLab();
    const client = await lab.client();
    const threadId = await askingThread(client, lab.place);
    await client.turn(threadId, `say ${"long ".repeat(50_000)}`);
    limitFiles(lab, "as they are", 20 * PAGE);
    const { code, message } = await client.refused("thread/fork", { threadId });
    expect([code, message]).toEqual([-32_603, expect.stringMatching(/^Cannot .*(full|room)/)]);
    expect(keptIn(lab)).toEqual([threadId]);
    limitFiles(lab, "unlimited");
    const { thread } = await client.ok("thread/fork", { threadId });
    expect(keptIn(lab)).toEqual([threadId, thread.id]);
    expect(await historyOf(client, thread.id)).toEqual(["completed"]);
  });

  it("fails a turn in the middle with a sentence, and never shows it as one that runs", async () => {
    const lab = new AppLab();
    const client = await lab.client();
    const threadId = await askingThread(client, lab.place);
    await client.turn(threadId, "echo one");
    const turnId = await say(client, threadId, WAITING);
    const isThis = (params: { turnId: string; item: { type: string } }) =>
      params.turnId === turnId && params.item.type === "commandExecution";
    await client.note("item/started", isThis);
    limitFiles(lab, "as they are");
    writeFileSync(path.join(lab.place.workspace, "go"), "");
    expect((await ended(client, turnId)).status).toBe("failed");
    const { params } = await client.note("error", (one) => one.turnId === turnId);
    expect(params.error.message).toMatch(/^the turn could not be kept: Cannot .*(full|room)/);
    expect((await client.ok("thread/read", { threadId })).thread.status.type).not.toBe("active");
    limitFiles(lab, "unlimited");
    expect((await client.turn(threadId, "echo three")).turn.status).toBe("completed");
    expect(await historyOf(client, threadId)).toEqual(["completed", "failed", "completed"]);
    client.close();
    expect(await lab.stop()).toBe(0);
    const later = await lab.client();
    await later.ok("thread/resume", { threadId });
    expect(await historyOf(later, threadId)).toEqual(["completed", "failed", "completed"]);
  });

  it("keeps a policy and the turn that brings it, or neither, however little room there is", async () => {
    const lab = new AppLab();
    const client = await lab.client();
    const threadId = await askingThread(client, lab.place);
    await client.turn(threadId, "echo one");
    const digestOf = async () =>
      (await client.ok("thread/settings/update", { threadId })).writ.profileDigest;
    const input = [{ type: "text", text: "echo two", text_elements: [] }];
    const seen = new Set<string>();
    for (let pages = 0; pages < 12; pages += 1) {
      const [before, turns] = [await digestOf(), (await historyOf(client, threadId)).length];
      const writableRoots = [path.join(lab.place.outside, String(pages))];
      limitFiles(lab, "as they are", pages * PAGE);
      const { result } = await client.call("turn/start", {
        ...{ threadId, input, sandboxPolicy: { type: "workspaceWrite", writableRoots } },
      });
      if (result !== undefined) await ended(client, result.turn.id);
      limitFiles(lab, "unlimited");
      const isChanged = (await digestOf()) !== before;
      const isBegun = (await historyOf(client, threadId)).length > turns;
      expect([isChanged, isBegun]).toEqual([result !== undefined, result !== undefined]);
      seen.add(result === undefined ? "refused" : "begun");
    }
    expect([...seen].sort()).toEqual(["begun", "refused"]);
  });
});
