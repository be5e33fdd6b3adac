/** Who is asked, and who may answer: those who follow the thread, and nobody else. */
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { AppClient } from "./support/app-client.ts";
import { AppLab } from "./support/app-lab.ts";
import {
  ACCEPT,
  askingThread,
  commandOf,
  DECLINE,
  ended,
  heardOut,
  isWaiting,
  say,
} from "./support/asking.ts";
import { caseApp } from "./support/case-app.ts";

const app = caseApp({});
let files = 0;

async function asking() {
  const { lab, place } = app();
  const client = await lab.client();
  files += 1;
  const file = path.join(place.outside, `file-${files}`);
  const threadId = await askingThread(client, place);
  const turnId = await say(client, threadId, `escalate touch ${file}`);
  const { id } = await client.question();
  return { client, threadId, turnId, id, file };
}

type Asking = Awaited<ReturnType<typeof asking>>;

/** Nobody's answer counted until now; that of who was asked does. */
async function stillOpen({ client, threadId, turnId, id, file }: Asking): Promise<void> {
  expect(await isWaiting(client, threadId)).toBe(true);
  expect(existsSync(file)).toBe(false);
  client.send({ id, ...DECLINE });
  expect(commandOf((await ended(client, turnId)).items).status).toBe("declined");
  expect(existsSync(file)).toBe(false);
}

/** The same thread, followed by another connection. */
async function follower(threadId: string): Promise<AppClient> {
  const client = await app().lab.client();
  await client.ok("thread/resume", { threadId });
  return client;
}

describe("an answer of a connection", () => {
  it("N01 that does not follow the thread is ignored", async () => {
    const one = await asking();
    const other = await app().lab.client();
    other.send({ id: one.id, ...ACCEPT });
    await heardOut(other);
    expect(other.asked).toEqual([]);
    await stillOpen(one);
  });

  it("N01 that follows another thread is ignored, also while that asks", async () => {
    const [one, other] = [await asking(), await asking()];
    other.client.send({ id: one.id, ...ACCEPT });
    await heardOut(other.client);
    expect(await isWaiting(other.client, other.threadId)).toBe(true);
    await stillOpen(one);
  });

  it("N01 that says what there is to do without following is ignored", async () => {
    const { lab, place } = app();
    const [owner, stranger] = [await lab.client(), await lab.client()];
    const threadId = await askingThread(owner, place);
    const file = path.join(place.outside, "stranger");
    const turnId = await say(stranger, threadId, `escalate touch ${file}`);
    const { id } = await owner.question();
    stranger.send({ id, ...ACCEPT });
    await heardOut(stranger);
    expect(stranger.asked).toEqual([]);
    await stillOpen({ client: owner, threadId, turnId, id, file });
  });

  it("N02 that has not introduced itself is ignored", async () => {
    const one = await asking();
    const nobody = await app().lab.connect();
    nobody.send({ id: one.id, ...ACCEPT });
    expect((await nobody.refused("thread/loaded/list", {})).message).toBe("Not initialized");
    await stillOpen(one);
  });

  it("that has not introduced itself does not count either when it does so afterwards", async () => {
    const one = await asking();
    const late = await app().lab.connect();
    late.send({ id: one.id, ...ACCEPT });
    await late.initialize();
    await late.ok("thread/resume", { threadId: one.threadId });
    expect((await late.question()).id).toBe(one.id);
    await stillOpen(one);
  });

  it("that no longer follows is ignored", async () => {
    const one = await asking();
    const left = await follower(one.threadId);
    await left.question();
    expect(await left.ok("thread/unsubscribe", { threadId: one.threadId })).toEqual({
      status: "unsubscribed",
    });
    left.send({ id: one.id, ...ACCEPT });
    await heardOut(left);
    await stillOpen(one);
  });

  it("that was refused a thread is ignored", async () => {
    const one = await asking();
    const other = await app().lab.client();
    const params = { threadId: one.threadId, sandbox: "read-only", permissions: ":workspace" };
    await other.refused("thread/resume", params);
    other.send({ id: one.id, ...ACCEPT });
    await heardOut(other);
    expect(other.asked).toEqual([]);
    await stillOpen(one);
  });
});

describe("two who follow", () => {
  it("N16 are asked under one id, and the first answer wins", async () => {
    const one = await asking();
    const two = await follower(one.threadId);
    expect(await two.question()).toEqual(one.client.asked[0]);
    two.send({ id: one.id, ...DECLINE });
    const resolved = { threadId: one.threadId, requestId: one.id };
    for (const client of [one.client, two]) {
      expect((await client.note("serverRequest/resolved")).params).toEqual(resolved);
    }
    one.client.send({ id: one.id, ...ACCEPT });
    const { items } = await ended(one.client, one.turnId);
    expect(commandOf(items).status).toBe("declined");
    await heardOut(one.client);
    expect(existsSync(one.file)).toBe(false);
  });

  it("N16 are asked at once when both follow before", async () => {
    const { lab, place } = app();
    const one = await lab.client();
    const threadId = await askingThread(one, place);
    await one.turn(threadId, "say hello");
    const two = await follower(threadId);
    const file = path.join(place.outside, "both");
    const turnId = await say(one, threadId, `escalate touch ${file}`);
    const [first, second] = [await one.question(), await two.question()];
    expect(second).toEqual(first);
    two.send({ id: second.id, ...ACCEPT });
    expect(commandOf((await ended(one, turnId)).items).exitCode).toBe(0);
    expect(existsSync(file)).toBe(true);
  });

  it("get one outcome when they answer at the same time", async () => {
    for (let round = 0; round < 5; round += 1) {
      const one = await asking();
      const two = await follower(one.threadId);
      await two.question();
      one.client.send({ id: one.id, ...ACCEPT });
      two.send({ id: one.id, ...DECLINE });
      const { items } = await ended(one.client, one.turnId);
      const { status } = commandOf(items);
      expect(existsSync(one.file)).toBe(status === "completed");
      await two.note("serverRequest/resolved");
      const told = ({ method }: { method?: string }) => method === "serverRequest/resolved";
      expect([one.client, two].map(({ notes }) => notes.filter(told).length)).toEqual([1, 1]);
    }
  });

  it("lose nothing when one of them leaves", async () => {
    const one = await asking();
    const two = await follower(one.threadId);
    await two.question();
    two.close();
    await two.over;
    await stillOpen(one);
  });
});

describe("a question that is open", () => {
  it("N17 outlives who was asked, and is put again to who resumes the thread", async () => {
    const { client, threadId, id, turnId, file } = await asking();
    const [asked] = client.asked;
    client.close();
    await client.over;
    const later = await app().lab.client();
    const resumed = await later.ok("thread/resume", { threadId });
    expect(resumed.thread.status).toEqual({ type: "active", activeFlags: ["waitingOnApproval"] });
    expect(await later.question()).toEqual(asked);
    later.send({ id, ...ACCEPT });
    const { status, items } = await ended(later, turnId);
    expect([status, commandOf(items).exitCode]).toEqual(["completed", 0]);
    expect(existsSync(file)).toBe(true);
  });

  it("is put once to who resumes twice", async () => {
    const one = await asking();
    await one.client.ok("thread/resume", { threadId: one.threadId });
    await one.client.ok("thread/resume", { threadId: one.threadId });
    await heardOut(one.client);
    expect(one.client.asked).toHaveLength(1);
    await stillOpen(one);
  });

  it("is put again to who left and comes back, and then counts", async () => {
    const { client, threadId, id, turnId, file } = await asking();
    for (let round = 1; round <= 3; round += 1) {
      await client.ok("thread/unsubscribe", { threadId });
      await client.ok("thread/resume", { threadId });
      expect((await client.question(round)).id).toBe(id);
    }
    client.send({ id, ...ACCEPT });
    expect(commandOf((await ended(client, turnId)).items).exitCode).toBe(0);
    expect(existsSync(file)).toBe(true);
  });

  it("is put once to each of many who resume at once", async () => {
    const one = await asking();
    const many = await Promise.all(Array.from({ length: 8 }, () => follower(one.threadId)));
    for (const client of many) expect((await client.question()).id).toBe(one.id);
    await Promise.all(many.map(heardOut));
    expect(many.map(({ asked }) => asked.length)).toEqual(many.map(() => 1));
    await stillOpen(one);
  });

  it("N18 is resolved by an interruption, and an answer that still comes does nothing", async () => {
    const { client, threadId, turnId, id, file } = await asking();
    await client.ok("turn/interrupt", { threadId, turnId });
    const { status, items } = await ended(client, turnId);
    expect([status, commandOf(items).status]).toEqual(["interrupted", "failed"]);
    const resolved = await client.note("serverRequest/resolved");
    expect(resolved.params).toEqual({ threadId, requestId: id });
    client.send({ id, ...ACCEPT });
    await heardOut(client);
    const { thread } = await client.ok("thread/read", { threadId });
    expect(thread.status).toEqual({ type: "idle" });
    expect(existsSync(file)).toBe(false);
  });

  it("is resolved when its thread is archived, and nothing runs", async () => {
    const { client, threadId, turnId, id, file } = await asking();
    await client.ok("thread/archive", { threadId });
    expect((await ended(client, turnId)).status).toBe("interrupted");
    expect((await client.note("serverRequest/resolved")).params.requestId).toBe(id);
    client.send({ id, ...ACCEPT });
    await heardOut(client);
    expect(existsSync(file)).toBe(false);
    expect((await client.refused("turn/start", { threadId, input: [] })).message).toBe(
      `thread not found: ${threadId}`,
    );
  });

  it("ends with the server, and is not put again by the next one", async () => {
    const lab = new AppLab();
    const client = await lab.client();
    const threadId = await askingThread(client, lab.place);
    const file = path.join(lab.place.outside, "ended");
    await say(client, threadId, `escalate touch ${file}`);
    await client.question();
    expect(await lab.stop()).toBe(0);
    const later = await lab.client();
    const { thread } = await later.ok("thread/resume", { threadId });
    expect(thread.status).toEqual({ type: "idle" });
    expect(thread.turns.map(({ status }: { status: string }) => status)).toEqual(["interrupted"]);
    await heardOut(later);
    expect(later.asked).toEqual([]);
    expect((await later.turn(threadId, "true")).turn.status).toBe("completed");
    expect(existsSync(file)).toBe(false);
  });
});
