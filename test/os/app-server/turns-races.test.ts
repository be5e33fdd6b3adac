/** What happens to threads at the same time: one outcome, nothing lost and nothing run twice. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../agent/support/agent-lab.ts";
import { askingThread, commandOf, DECLINE, ended, heardOut, say } from "./support/asking.ts";
import { caseApp } from "./support/case-app.ts";
import { READ_ONLY } from "./support/policies.ts";

const app = caseApp({});
let names = 0;

/** A name that no other test has. */
function fresh(name: string): string {
  names += 1;
  return `${name}-${names}`;
}

const input = (text: string) => [{ type: "text", text, text_elements: [] }];

describe("turns that are started at once", () => {
  it("by two connections are one turn, in which both are heard", async () => {
    const { lab, place } = app();
    const [one, two] = [await lab.client(), await lab.client()];
    for (let round = 0; round < 5; round += 1) {
      const threadId = await askingThread(one, place);
      const [a, b] = [fresh("a"), fresh("b")];
      const ids = await Promise.all([
        say(one, threadId, `touch ${a}`),
        say(two, threadId, `touch ${b}`),
      ]);
      for (const id of new Set(ids)) expect((await ended(one, id)).status).toBe("completed");
      const { data } = await one.ok("thread/items/list", { threadId, limit: 50 });
      const said = data
        .filter(({ item }: { item: { type: string } }) => item.type === "userMessage")
        .map(({ item }: { item: { content: { text: string }[] } }) => item.content[0]?.text);
      expect(said.toSorted()).toEqual([`touch ${a}`, `touch ${b}`]);
    }
  });

  it("by one connection, fifty of them, lose nothing that was said", async () => {
    const { lab, place } = app();
    const client = await lab.client();
    const threadId = await askingThread(client, place);
    const lines = Array.from({ length: 50 }, (_, index) => `say line ${index}`);
    const ids = await Promise.all(lines.map((line) => say(client, threadId, line)));
    for (const id of new Set(ids)) expect((await ended(client, id)).status).toBe("completed");
    const { data } = await client.ok("thread/items/list", { threadId, limit: 200 });
    const said = data.flatMap(
      ({ item }: { item: { type: string; content: { text: string }[] } }) =>
        item.type === "userMessage" ? item.content.map(({ text }) => text) : [],
    );
    expect(said).toEqual(lines);
  });

  it("while one is being stopped are turns of their own, and so are commands of the user's", async () => {
    const { lab, place } = app();
    const client = await lab.client();
    const threadId = await askingThread(client, place);
    const [first, second, third] = [fresh("a"), fresh("b"), fresh("c")];
    const turnId = await say(client, threadId, `touch ${first}; sleep 1000`);
    await until(() => existsSync(path.join(place.workspace, first)));
    const stopped = client.ok("turn/interrupt", { threadId, turnId });
    const steered = client.refused("turn/steer", {
      ...{ threadId, expectedTurnId: turnId, input: input("say lost") },
    });
    const next = await say(client, threadId, `touch ${second}`);
    await client.ok("thread/shellCommand", { threadId, command: `touch ${third}` });
    expect((await steered).message).toBe("no active turn to steer");
    await stopped;
    expect(next).not.toBe(turnId);
    expect((await ended(client, next)).status).toBe("completed");
    await until(() => existsSync(path.join(place.workspace, third)));
    expect(existsSync(path.join(place.workspace, second))).toBe(true);
  });

  it("after a question was answered with cancel are turns of their own, and nothing of the old one goes on", async () => {
    const { lab, place } = app();
    const client = await lab.client();
    const threadId = await askingThread(client, place);
    const [first, second] = [fresh("a"), fresh("b")];
    const turnId = await say(client, threadId, "escalate id");
    const { id } = await client.question();
    await client.ok("thread/shellCommand", { threadId, command: `touch ${first}; sleep 1000` });
    await until(() => existsSync(path.join(place.workspace, first)));
    client.send({ id, result: { decision: "cancel" } });
    const next = await say(client, threadId, `touch ${second}`);
    expect(next).not.toBe(turnId);
    expect((await ended(client, turnId)).status).toBe("interrupted");
    expect((await ended(client, next)).status).toBe("completed");
    expect(existsSync(path.join(place.workspace, second))).toBe(true);
  });

  it("in two hundred threads all come to their end, each in its own", async () => {
    const { lab, place } = app();
    const client = await lab.client();
    const ids = await Promise.all(
      Array.from({ length: 200 }, () => askingThread(client, place, { ephemeral: true })),
    );
    expect(new Set(ids).size).toBe(200);
    const ends = await Promise.all(
      ids.map((threadId, index) => client.turn(threadId, `say number ${index}`)),
    );
    expect(ends.map(({ turn }) => turn.items[0].text)).toEqual(
      ids.map((_, index) => `number ${index}`),
    );
    const { data } = await client.ok("thread/loaded/list", {});
    expect(ids.filter((id) => !data.includes(id))).toEqual([]);
    for (const threadId of ids)
      client.send({ id: threadId, method: "thread/unsubscribe", params: { threadId } });
  });
});

describe("a turn", () => {
  it("that is interrupted before it began does nothing", async () => {
    const { lab, place } = app();
    const client = await lab.client();
    for (let round = 0; round < 5; round += 1) {
      const threadId = await askingThread(client, place);
      const file = path.join(place.workspace, fresh("early"));
      const starting = say(client, threadId, `sleep 60; touch ${file}`);
      const turnId = await starting;
      await client.ok("turn/interrupt", { threadId, turnId });
      expect((await ended(client, turnId)).status).toBe("interrupted");
      expect(existsSync(file)).toBe(false);
      const { turn } = await client.turn(threadId, "say again");
      expect(turn.status).toBe("completed");
    }
  });

  it("is not interrupted by the id of another, nor where none runs", async () => {
    const { lab, place } = app();
    const client = await lab.client();
    const threadId = await askingThread(client, place);
    const before = await client.turn(threadId, "say one");
    const stop = (turnId: string) => client.refused("turn/interrupt", { threadId, turnId });
    expect(await stop(before.turn.id)).toMatchObject({ message: "no active turn to interrupt" });
    const turnId = await say(client, threadId, "escalate true");
    const { id } = await client.question();
    expect((await stop(before.turn.id)).message).toBe(
      `expected active turn id \`${before.turn.id}\` but found \`${turnId}\``,
    );
    client.send({ id, ...DECLINE });
    expect((await ended(client, turnId)).status).toBe("completed");
  });

  it("that runs ends when its thread is archived, with its command", async () => {
    const { lab, place } = app();
    const client = await lab.client();
    const threadId = await askingThread(client, place);
    const file = path.join(place.workspace, fresh("archived"));
    const turnId = await say(client, threadId, `echo $$ > ${file}; sleep 60; touch ${file}-end`);
    await client.note("item/started", ({ item }) => item.type === "commandExecution");
    await client.ok("thread/archive", { threadId });
    const { status, items } = await ended(client, turnId);
    expect([status, commandOf(items).status]).toEqual(["interrupted", "failed"]);
    expect(await client.refused("turn/start", { threadId, input: input("true") })).toMatchObject({
      message: `thread not found: ${threadId}`,
    });
    expect((await client.refused("thread/resume", { threadId })).message).toContain("archived");
    expect(existsSync(`${file}-end`)).toBe(false);
  });

  it("cannot begin in a thread that is let go at the same time", async () => {
    const { lab, place } = app();
    const [one, two] = [await lab.client(), await lab.client()];
    for (let round = 0; round < 10; round += 1) {
      const threadId = await askingThread(one, place);
      await one.turn(threadId, "say hello");
      const calls = [
        one.call("turn/start", { threadId, input: input("sleep 60") }),
        two.call("thread/archive", { threadId }),
        two.call("thread/resume", { threadId }),
      ];
      const [started, archived] = await Promise.all(calls);
      expect(archived?.error).toBeUndefined();
      if (started?.result !== undefined) {
        expect((await ended(one, started.result.turn.id)).status).toBe("interrupted");
      } else expect(started?.error?.message).toBe(`thread not found: ${threadId}`);
      const { data } = await one.ok("thread/loaded/list", {});
      expect(data).not.toContain(threadId);
      const { thread } = await one.ok("thread/read", { threadId, includeTurns: true });
      expect(thread.status).toEqual({ type: "notLoaded" });
      const states = thread.turns.map(({ status }: { status: string }) => status);
      expect(states).not.toContain("inProgress");
    }
  });

  it("that runs stays in its thread when that is forked, and the fork can go on", async () => {
    const { lab, place } = app();
    const client = await lab.client();
    for (const ephemeral of [false, true]) {
      const threadId = await askingThread(client, place);
      const before = client.asked.length;
      const turnId = await say(client, threadId, "escalate true");
      const { id } = await client.question(before);
      const { thread } = await client.ok("thread/fork", { threadId, ephemeral });
      expect(thread.forkedFromId).toBe(threadId);
      expect(thread.status).toEqual({ type: "idle" });
      const states = thread.turns.map(({ status }: { status: string }) => status);
      expect(states).toEqual(["interrupted"]);
      const open = thread.turns[0].items.filter(
        ({ status }: { status?: string }) => status === "inProgress",
      );
      expect(open).toEqual([]);
      expect((await client.turn(thread.id, "say mine")).turn.status).toBe("completed");
      client.send({ id, ...DECLINE });
      expect((await ended(client, turnId)).status).toBe("completed");
    }
  });
});

describe("a thread", () => {
  it("that two resume at once is loaded once", async () => {
    const { lab, place } = app();
    const client = await lab.client();
    const threadId = await askingThread(client, place);
    await client.turn(threadId, "say hello");
    await client.ok("thread/archive", { threadId });
    await client.ok("thread/unarchive", { threadId });
    const many = await Promise.all(Array.from({ length: 6 }, () => lab.client()));
    const resumed = await Promise.all(
      many.map((one, index) =>
        one.ok("thread/resume", { threadId, ...(index % 2 && { sandbox: "read-only" }) }),
      ),
    );
    const digests = new Set(resumed.map(({ writ }) => writ.profileDigest));
    expect(digests.size).toBe(1);
    const [first] = many;
    await first?.turn(threadId, "say again");
    for (const one of many) {
      await one.note("turn/completed");
      expect(one.notes.filter(({ method }) => method === "turn/started")).toHaveLength(1);
    }
  });

  it("D03 takes what is said while a turn runs into that turn, with what it changes for the next", async () => {
    const { lab, place } = app();
    const client = await lab.client();
    const threadId = await askingThread(client, place);
    const turnId = await say(client, threadId, "escalate true");
    const { id } = await client.question();
    const file = path.join(place.workspace, fresh("steered"));
    const members = { sandboxPolicy: READ_ONLY };
    expect(await say(client, threadId, `echo steered > ${file}`, members)).toBe(turnId);
    await client.note("thread/settings/updated");
    client.send({ id, ...DECLINE });
    await ended(client, turnId);
    expect(readFileSync(file, "utf8")).toBe("steered\n");
    const { items } = await client.turn(threadId, `rm ${file}`);
    expect(commandOf(items).status).toBe("failed");
    expect(existsSync(file)).toBe(true);
    await heardOut(client);
  });

  it("answers each steer with what is wrong with it", async () => {
    const { lab, place } = app();
    const client = await lab.client();
    const threadId = await askingThread(client, place);
    const steer = async (expectedTurnId: string, text = "x") =>
      (await client.refused("turn/steer", { threadId, expectedTurnId, input: input(text) }))
        .message;
    expect(await steer("x")).toBe("no active turn to steer");
    expect(await steer("")).toBe("expectedTurnId must not be empty");
    const turnId = await say(client, threadId, "escalate true");
    expect(await steer("x")).toBe(`expected active turn id \`x\` but found \`${turnId}\``);
    const empty = { threadId, expectedTurnId: turnId, input: [] };
    expect((await client.refused("turn/steer", empty)).message).toBe("input must not be empty");
    const { id } = await client.question();
    client.send({ id, ...DECLINE });
    await ended(client, turnId);
  });
});
