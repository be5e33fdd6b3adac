/** What is told of a turn, to whom, and in which order. */
import { describe, expect, it } from "vitest";
import type { AppClient, Message } from "./support/app-client.ts";
import { askingThread, ended, heardOut, say } from "./support/asking.ts";
import { caseApp } from "./support/case-app.ts";
import { READ_ONLY, WORKSPACE_WRITE } from "./support/policies.ts";

const app = caseApp({});

/** Everything a connection got from now on, answers too, in order. */
async function recorded() {
  const client = await app().lab.client();
  const heard: string[] = [];
  const hear = client.hear.bind(client);
  client.hear = (text) => {
    const { id, method, params, error }: Message = JSON.parse(text);
    if (method === undefined) heard.push(error === undefined ? `answer ${id}` : `error ${id}`);
    else heard.push(named(method, params));
    hear(text);
  };
  return { client, heard };
}

function named(method: string, params: Message["params"]): string {
  const status = method === "thread/status/changed" ? ` ${params.status.type}` : "";
  const flags = params?.status?.activeFlags?.join() || "";
  const item = params?.item === undefined ? "" : ` ${params.item.type}`;
  return `${method}${status}${flags && ` ${flags}`}${item}`;
}

const isDelta = (name: string) => name.endsWith("/delta") || name.endsWith("/outputDelta");

const USER = ["item/started userMessage", "item/completed userMessage"];
const COMMAND = ["item/started commandExecution", "item/completed commandExecution"];
const MESSAGE = ["item/started agentMessage", "item/completed agentMessage"];
const USAGE = "thread/tokenUsage/updated";

/** What is told of a turn that was in the clear from its beginning to its end. */
const TOLD = ["thread/status/changed active", "turn/started", ...USER];
const OVER = ["thread/status/changed idle", "turn/completed"];

describe("is told in order:", () => {
  it("a thread that starts, its answer first", async () => {
    const { client, heard } = await recorded();
    await heardOut(client);
    const from = heard.length;
    await askingThread(client, app().place);
    await client.note("thread/started");
    expect(heard.slice(from).map(plainly)).toEqual(["answer", "thread/started"]);
  });

  it("a turn with a command, its answer first", async () => {
    const { client, heard } = await recorded();
    const threadId = await askingThread(client, app().place);
    await client.note("thread/started");
    const from = heard.length;
    await client.turn(threadId, "true");
    const told = heard.slice(from).filter((name) => !isDelta(name));
    expect(told.map(plainly)).toEqual([
      "answer",
      ...TOLD,
      USAGE,
      ...COMMAND,
      ...MESSAGE.toSpliced(1, 0, USAGE),
      ...OVER,
    ]);
  });

  it("a turn that changes the policy: the change, then that the thread is active", async () => {
    const { client, heard } = await recorded();
    const threadId = await askingThread(client, app().place);
    await client.note("thread/started");
    const from = heard.length;
    await client.turn(threadId, "say hello", { sandboxPolicy: READ_ONLY });
    const told = heard.slice(from).filter((name) => !name.startsWith("answer") && !isDelta(name));
    expect(told.slice(0, 3)).toEqual([
      "thread/settings/updated",
      "thread/status/changed active",
      "turn/started",
    ]);
    expect(told.filter((name) => name === "thread/settings/updated")).toHaveLength(1);
    const answer = heard.slice(from).findIndex((name) => name.startsWith("answer"));
    expect(heard.slice(from).indexOf("thread/status/changed active")).toBeGreaterThan(answer);
  });

  it("a thread that is archived: that it is not loaded, the answer, then that it is archived", async () => {
    const { client, heard } = await recorded();
    const threadId = await askingThread(client, app().place);
    await client.turn(threadId, "say hello");
    const from = heard.length;
    await client.ok("thread/archive", { threadId });
    await client.note("thread/archived");
    const told = ["thread/status/changed notLoaded", "answer", "thread/archived"];
    expect(heard.slice(from).map(plainly)).toEqual(told);
  });

  it("a question: its item, that the thread waits, the answer to it", async () => {
    const { client, heard } = await recorded();
    client.onAsked = () => ({ result: { decision: "decline" } });
    const threadId = await askingThread(client, app().place);
    const from = heard.length;
    await client.turn(threadId, "escalate true");
    const told = heard.slice(from);
    const order = [
      "item/started commandExecution",
      "thread/status/changed active waitingOnApproval",
      "serverRequest/resolved",
      "item/completed commandExecution",
    ];
    expect(told.filter((name) => order.includes(name))).toEqual(order);
    const asked = told.indexOf("item/commandExecution/requestApproval");
    expect(asked).toBeGreaterThan(told.indexOf("item/started commandExecution"));
    expect(asked).toBeLessThan(told.indexOf("serverRequest/resolved"));
    expect(told.lastIndexOf("thread/status/changed active")).toBeGreaterThan(asked);
  });

  it("a turn that fails: that the thread has, then why, then its end", async () => {
    const { client, heard } = await recorded();
    const params = { model: "none", modelProvider: "writ" };
    const threadId = await askingThread(client, app().place, params);
    const from = heard.length;
    const { turn } = await client.turn(threadId, "true");
    expect(turn).toMatchObject({ status: "failed", itemsView: "notLoaded", items: [] });
    expect(heard.slice(from).slice(-3)).toEqual([
      "thread/status/changed systemError",
      "error",
      "turn/completed",
    ]);
    const { params: told } = await client.note("error");
    expect(told).toMatchObject({ threadId, turnId: turn.id, willRetry: false, error: turn.error });
    expect(turn.error.message).toContain("there is no such model");
  });

  it("an interruption: how the turn ended before the answer to it", async () => {
    const { client, heard } = await recorded();
    const threadId = await askingThread(client, app().place);
    const turnId = await say(client, threadId, "sleep 60");
    await client.note("item/started", ({ item }) => item.type === "commandExecution");
    await client.ok("turn/interrupt", { threadId, turnId });
    const { status } = await ended(client, turnId);
    expect(status).toBe("interrupted");
    expect(heard.slice(-3).map(plainly)).toEqual([...OVER, "answer"]);
  });
});

/** What numbers an answer has does not matter. */
function plainly(name: string): string {
  return name.replace(/^answer \d+$/, "answer");
}

/** The methods that a connection heard of one thread. */
function heardOf(client: AppClient, threadId: string): Set<string> {
  const of = client.notes.filter(
    ({ params }) => (params?.threadId ?? params?.thread?.id) === threadId,
  );
  return new Set(of.map(({ method }) => method ?? ""));
}

describe("of two connections", () => {
  it("the one that does not follow hears of the thread and its status, and nothing else", async () => {
    const { lab, place } = app();
    const [owner, other] = [await lab.client(), await lab.client()];
    const threadId = await askingThread(owner, place);
    await owner.turn(threadId, "true", { sandboxPolicy: READ_ONLY });
    await other.note("thread/status/changed", (params) => params.status.type === "idle");
    await heardOut(other);
    expect(heardOf(other, threadId)).toEqual(new Set(["thread/started", "thread/status/changed"]));
    expect(heardOf(owner, threadId)).toContain("item/completed");
  });

  it("the one that starts a turn without following gets its answer and no items", async () => {
    const { lab, place } = app();
    const [owner, other] = [await lab.client(), await lab.client()];
    const threadId = await askingThread(owner, place);
    const turnId = await say(other, threadId, "true");
    expect((await ended(owner, turnId)).status).toBe("completed");
    await heardOut(other);
    expect(heardOf(other, threadId)).toEqual(new Set(["thread/started", "thread/status/changed"]));
  });

  it("the one that left hears no more of the turn that runs", async () => {
    const { lab, place } = app();
    const [owner, other] = [await lab.client(), await lab.client()];
    const threadId = await askingThread(owner, place);
    await owner.turn(threadId, "say hello");
    await other.ok("thread/resume", { threadId });
    const turnId = await say(owner, threadId, "escalate true");
    const { id } = await owner.question();
    expect(await other.ok("thread/unsubscribe", { threadId })).toEqual({ status: "unsubscribed" });
    expect(await other.ok("thread/unsubscribe", { threadId })).toEqual({ status: "notSubscribed" });
    const before = other.notes.length;
    owner.send({ id, result: { decision: "decline" } });
    await ended(owner, turnId);
    await heardOut(other);
    const later = other.notes.slice(before).map(({ method }) => method);
    expect(new Set(later)).toEqual(new Set(["thread/status/changed"]));
  });

  it("N19 the one that takes no part in experiments hears of no changed settings", async () => {
    const { lab, place } = app();
    const stable = await lab.client(null);
    const other = await lab.client();
    const { thread } = await stable.ok("thread/start", { cwd: place.workspace });
    await stable.turn(thread.id, "say one");
    await other.ok("thread/resume", { threadId: thread.id });
    await stable.turn(thread.id, "say two", { sandboxPolicy: WORKSPACE_WRITE });
    await other.note("thread/settings/updated");
    await other.note("turn/completed");
    expect(heardOf(stable, thread.id)).not.toContain("thread/settings/updated");
    expect(heardOf(stable, thread.id)).toContain("item/completed");
  });

  it("the one that does not want a notification gets all others", async () => {
    const { lab, place } = app();
    const optOutNotificationMethods = ["item/started", "thread/status/changed", "no/such"];
    const client = await lab.client({ experimentalApi: true, optOutNotificationMethods });
    const threadId = await askingThread(client, place);
    await client.turn(threadId, "true");
    const heard = heardOf(client, threadId);
    expect(heard).toContain("item/completed");
    expect(optOutNotificationMethods.filter((one) => heard.has(one))).toEqual([]);
  });
});
