/** Clients and servers that leave in the middle of a turn, and servers that share a home. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type SandboxUser, USERS } from "../support/sandbox-user.ts";
import type { AppClient, Message } from "./support/app-client.ts";
import { AppLab, WAYS, type Way } from "./support/app-lab.ts";
import { askingThread, ended, say } from "./support/asking.ts";
import { living, until } from "./support/struck-app.ts";

type Turn = NonNullable<Message["result"]>;

interface Running {
  readonly lab: AppLab;
  readonly client: AppClient;
  readonly threadId: string;
  readonly turnId: string;
}

/** A thread with a turn behind it and one in the middle of a command, which ends when `go` is there. */
async function running(over: Way, user: SandboxUser = "root"): Promise<Running> {
  const lab = new AppLab({ over, user });
  const client = await lab.client();
  const threadId = await askingThread(client, lab.place);
  await client.turn(threadId, "echo one");
  const { workspace } = lab.place;
  const child = `sh -c 'sleep 1000; :' ${workspace} >/dev/null 2>&1 &`;
  const script = `${child} echo begun; while [ ! -e go ]; do sleep 0.01; done; echo gone`;
  const turnId = await say(client, threadId, script);
  const isBegun = (params: { turnId: string; delta: string }) => params.turnId === turnId;
  await client.note("item/commandExecution/outputDelta", isBegun);
  return { lab, client, threadId, turnId };
}

async function turnsOf(client: AppClient, threadId: string, method = "thread/read") {
  const { thread } = await client.ok(method, { threadId, includeTurns: true });
  return { turns: thread.turns as readonly Turn[], status: thread.status };
}

/** The turns as they are after one that was ended in the middle. */
async function expectInterrupted({ lab, threadId }: Running): Promise<void> {
  const { workspace } = lab.place;
  await until(() => living(workspace).length === 0);
  const later = await lab.client();
  const { turns, status } = await turnsOf(later, threadId, "thread/resume");
  expect(turns.map((turn) => turn.status)).toEqual(["completed", "interrupted"]);
  const items = turns[1].items.map((item: Turn) => [item.type, item.status]);
  expect(items.slice(0, 2)).toEqual([
    ["userMessage", undefined],
    ["commandExecution", "failed"],
  ]);
  expect(status).toEqual({ type: "idle" });
  expect((await later.turn(threadId, "echo on")).turn.status).toBe("completed");
}

describe("a client that leaves in the middle of a turn", () => {
  it("finds it going on when it comes back, and hears how it ends", async () => {
    const { lab, client, threadId, turnId } = await running("ws");
    client.close();
    await client.over;
    const later = await lab.client();
    const { turns, status } = await turnsOf(later, threadId, "thread/resume");
    expect([turns[1].id, turns[1].status, status.type]).toEqual([turnId, "inProgress", "active"]);
    writeFileSync(path.join(lab.place.workspace, "go"), "");
    expect((await ended(later, turnId)).status).toBe("completed");
  });

  it("finds all of it kept when nobody was there at its end", async () => {
    const { lab, client, threadId, turnId } = await running("ws");
    client.close();
    await client.over;
    writeFileSync(path.join(lab.place.workspace, "go"), "");
    const later = await lab.client();
    const isOver = async () => (await turnsOf(later, threadId)).status.type === "idle";
    while (!(await isOver()));
    const { turns } = await turnsOf(later, threadId, "thread/resume");
    expect([turns[1].id, turns[1].status]).toEqual([turnId, "completed"]);
    expect(turns[1].items.map(({ type }: Turn) => type)).toEqual([
      ...["userMessage", "commandExecution", "agentMessage"],
    ]);
    expect(turns[1].items[1]).toMatchObject({ exitCode: 0, aggregatedOutput: "begun\ngone\n" });
  });
});

describe.each(USERS)("a server of %s that is told to end in the middle of a turn", (user) => {
  it.each(WAYS)(
    "exits with 0 over %s, keeps the turn as interrupted and leaves nothing",
    async (over) => {
      const app = await running(over, user);
      const { lab, client, turnId } = app;
      expect(await lab.stop("SIGTERM")).toBe(0);
      await client.over;
      expect(
        client.notes.findLast(({ method }) => method === "turn/completed")?.params.turn,
      ).toMatchObject({
        id: turnId,
        status: "interrupted",
      });
      await expectInterrupted(app);
    },
  );
});

describe("a server whose input ends in the middle of a turn", () => {
  it("exits with 0, keeps the turn as interrupted and leaves nothing", async () => {
    const app = await running("stdio");
    const exit = once(app.lab.server, "exit");
    app.client.close();
    expect((await exit)[0]).toBe(0);
    await expectInterrupted(app);
  });
});

describe("two servers with one home", () => {
  it("have a thread one at a time, and it passes on when the first is killed", async () => {
    const app = await running("ws");
    const { lab, threadId } = app;
    const second = new AppLab({ place: lab.place });
    const other = await second.client();
    expect((await other.ok("thread/list", {})).data.map(({ id }: Turn) => id)).toEqual([threadId]);
    const refused = {
      code: -32_600,
      message: `Cannot resume thread "${threadId}": another process has it loaded, expected none`,
    };
    expect(await other.refused("thread/resume", { threadId })).toEqual(refused);
    const { turns } = await turnsOf(other, threadId);
    expect(turns.map(({ status }) => status)).toEqual(["completed", "inProgress"]);
    await lab.stop("SIGKILL");
    await expectInterrupted({ ...app, lab: second });
  });

  it("pass a thread on when the first lets go of it", async () => {
    const { lab, client, threadId, turnId } = await running("ws");
    const second = new AppLab({ place: lab.place });
    const other = await second.client();
    writeFileSync(path.join(lab.place.workspace, "go"), "");
    await ended(client, turnId);
    await other.refused("thread/resume", { threadId });
    expect(await lab.stop("SIGTERM")).toBe(0);
    const { turns } = await turnsOf(other, threadId, "thread/resume");
    expect(turns.map(({ status }) => status)).toEqual(["completed", "completed"]);
  });

  it("work in threads of their own at once", async () => {
    const lab = new AppLab();
    const labs = [lab, new AppLab({ place: lab.place })];
    const clients = await Promise.all(labs.map((one) => one.client()));
    const work = async (client: AppClient) => {
      const threadId = await askingThread(client, lab.place);
      for (let turn = 0; turn < 5; turn += 1) {
        expect((await client.turn(threadId, `echo ${turn}`)).turn.status).toBe("completed");
      }
      return threadId;
    };
    const ids = await Promise.all(clients.map(work));
    for (const client of clients) {
      const { data } = await client.ok("thread/list", {});
      expect(data.map(({ id }: Turn) => id).sort()).toEqual(ids.toSorted());
    }
  });
});
