/** How far a yes reaches: one command, one folder, one policy, and never further than it was asked. */
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Message, Turned } from "./support/app-client.ts";
import { askingThread, commandOf, DECLINE, lastWords } from "./support/asking.ts";
import { caseApp } from "./support/case-app.ts";
import { FULL_ACCESS, READ_ONLY, WORKSPACE_WRITE } from "./support/policies.ts";

const app = caseApp({});
const FOR_SESSION = { result: { decision: "acceptForSession" } };

/** A thread of its own, whose questions all get the same answer. */
async function open(answer: Pick<Message, "result" | "error">, members: object = {}) {
  const { lab, place } = app();
  const client = await lab.client();
  client.onAsked = () => answer;
  const threadId = await askingThread(client, place, members);
  return {
    client,
    threadId,
    place,
    turn: (text: string, more: object = {}) => client.turn(threadId, text, more),
    asked: () => client.asked.length,
  };
}

/** The process of a command that goes on. */
function sessionOf({ items }: Turned): string {
  return commandOf(items).processId;
}

/** What is kept of the runs of a thread. */
function receiptsOf(threadId: string): Message["result"] {
  const { stdout, status } = app().place.run(["receipts", "--json", "--thread", threadId]);
  expect(status).toBe(0);
  return JSON.parse(stdout);
}

describe("K19 a yes for the session", () => {
  it("is for the same command in the same folder under the same policy", async () => {
    const { turn, asked, place } = await open(FOR_SESSION);
    for (let round = 0; round < 3; round += 1) {
      const { items } = await turn(`escalate touch ${place.outside}/session`);
      expect(commandOf(items).exitCode).toBe(0);
    }
    expect(asked()).toBe(1);
  });

  it.each([
    ["another argument", "escalate touch OUT/a OUT/b", {}],
    ["one more space", "escalate touch  OUT/a", {}],
    ["more after it", "escalate touch OUT/a; true", {}],
    ["another folder", "escalate touch OUT/a", { cwd: "sub" }],
    ["another policy", "escalate touch OUT/a", { sandboxPolicy: READ_ONLY }],
    [
      "other roots",
      "escalate touch OUT/a",
      { sandboxPolicy: { ...WORKSPACE_WRITE, writableRoots: ["/srv"] } },
    ],
  ])("is asked again for %s", async (_, line, members) => {
    const { turn, asked, place, client } = await open(FOR_SESSION);
    mkdirSync(path.join(place.workspace, "sub"), { recursive: true });
    const said = (text: string) => text.replaceAll("OUT", place.outside);
    await turn(said("escalate touch OUT/a"));
    client.onAsked = () => DECLINE;
    const { items } = await turn(said(line), members);
    expect(asked()).toBe(2);
    expect(commandOf(items).status).toBe("declined");
  });

  it("is not one of another thread", async () => {
    const { client, turn, place } = await open(FOR_SESSION);
    const line = `escalate touch ${place.outside}/threads`;
    await turn(line);
    client.onAsked = () => DECLINE;
    const other = await askingThread(client, place);
    expect(commandOf((await client.turn(other, line)).items).status).toBe("declined");
    expect(client.asked).toHaveLength(2);
  });

  it("is none of a fork either, and is over when the thread was unloaded", async () => {
    const { client, threadId, turn, place } = await open(FOR_SESSION);
    const line = `escalate touch ${place.outside}/fork`;
    await turn(line);
    client.onAsked = () => DECLINE;
    const { thread } = await client.ok("thread/fork", { threadId });
    expect(commandOf((await client.turn(thread.id, line)).items).status).toBe("declined");
    await client.ok("thread/archive", { threadId });
    await client.ok("thread/unarchive", { threadId });
    await client.ok("thread/resume", { threadId });
    expect(commandOf((await turn(line)).items).status).toBe("declined");
    expect(client.asked).toHaveLength(3);
  });

  it("to a shell is none to what is typed into it, where every command is asked about", async () => {
    const { client, turn, asked, place } = await open(FOR_SESSION, { approvalPolicy: "untrusted" });
    const session = sessionOf(await turn("background bash"));
    client.onAsked = () => DECLINE;
    await turn(`type ${session} touch typed`);
    await turn(`type ${session} touch typed`, { approvalPolicy: "on-request" });
    expect(client.asked.map(({ params }) => params.kind)).toEqual(["command", "writeStdin"]);
    expect(asked()).toBe(2);
    await expect.poll(() => existsSync(path.join(place.workspace, "typed"))).toBe(true);
  });

  it("does not hold under never, which does not ask and does not let it leave", async () => {
    const { turn, asked, place } = await open(FOR_SESSION);
    const line = `escalate touch ${place.outside}/never`;
    await turn(line);
    const { items } = await turn(line, { approvalPolicy: "never" });
    expect(commandOf(items)).toMatchObject({ status: "failed", exitCode: null });
    expect(asked()).toBe(1);
  });
});

describe("K20 a command that the sandbox denied", () => {
  it("is not tried again without it, and nobody is asked", async () => {
    const { turn, asked, place, threadId } = await open(FOR_SESSION);
    const file = `${place.outside}/denied`;
    const { items } = await turn(`touch ${file}`);
    expect(commandOf(items)).toMatchObject({ status: "failed", exitCode: 1 });
    expect(asked()).toBe(0);
    expect(existsSync(file)).toBe(false);
    expect(receiptsOf(threadId)).toHaveLength(1);
  });

  it("leaves the sandbox with a yes of its own, and both runs have a receipt that says so", async () => {
    const { turn, asked, place, threadId } = await open({ result: { decision: "accept" } });
    const file = `${place.outside}/retried`;
    const denied = commandOf((await turn(`touch ${file}`)).items);
    const waived = commandOf((await turn(`escalate touch ${file}`)).items);
    expect([denied.exitCode, waived.exitCode, asked()]).toEqual([1, 0, 1]);
    expect(existsSync(file)).toBe(true);
    const kept = receiptsOf(threadId);
    const of = (id: string) => kept.find((one: { id: string }) => one.id === id);
    expect(kept).toHaveLength(2);
    expect(of(denied.writ.receiptId)).toMatchObject({
      enforced: { tier: "namespaces" },
      waived: null,
    });
    expect(of(waived.writ.receiptId)).toMatchObject({
      enforced: { tier: "none" },
      waived: { by: "user", reason: "The user asked to run this outside the sandbox." },
    });
  });

  it("that was declined leaves no receipt, since nothing ran", async () => {
    const { turn, place, threadId } = await open(DECLINE);
    await turn(`escalate touch ${place.outside}/declined`);
    expect(receiptsOf(threadId)).toEqual([]);
  });

  it("N05 is an item, started and completed, with the rule and the receipt", async () => {
    const { turn, place, threadId } = await open(DECLINE);
    const { notes, items } = await turn(`touch ${place.outside}/short`);
    const item = commandOf(items);
    const started = notes.filter(
      ({ method, params }) => method === "item/started" && params.item.id === item.id,
    );
    expect(started).toHaveLength(1);
    expect(item.status).toBe("failed");
    expect(item.writ.denial).toContain(`${place.outside}/short`);
    expect(receiptsOf(threadId).map(({ id }: { id: string }) => id)).toEqual([item.writ.receiptId]);
  });
});

describe("typing into a process that goes on", () => {
  it("N07 asks nobody under the policy it was started under", async () => {
    const { turn, asked } = await open(DECLINE);
    const session = sessionOf(await turn("background cat"));
    const { items } = await turn(`type ${session} hello`);
    expect(lastWords(items)).toContain("hello");
    expect(asked()).toBe(0);
  });

  it.each([
    ["narrower", { sandboxPolicy: READ_ONLY }],
    ["other", { sandboxPolicy: { ...WORKSPACE_WRITE, networkAccess: true } }],
  ])(
    "N06 asks under a policy that is %s, and types nothing where it is declined",
    async (_, members) => {
      const { turn, asked, client, place } = await open(DECLINE);
      const background = await turn("background while read line; do touch typed-$line; done");
      const session = sessionOf(background);
      const { items } = await turn(`type ${session} no`, members);
      expect(lastWords(items)).toContain("Nothing was written. Rejected by the user");
      expect(items).toContainEqual(
        expect.objectContaining({
          ...{ type: "dynamicToolCall", tool: "write_stdin", status: "failed", success: false },
          contentItems: [{ type: "inputText", text: expect.stringContaining("Rejected") }],
        }),
      );
      expect(client.asked[0]?.params).toMatchObject({
        kind: "writeStdin",
        itemId: commandOf(background.items).id,
        approvalId: expect.any(String),
        reason: expect.stringMatching(/^Type ".*": the process was started under another policy$/),
      });
      client.onAsked = () => ({ result: { decision: "accept" } });
      await turn(`type ${session} yes`);
      expect(asked()).toBe(2);
      const typed = () =>
        ["no", "yes"].map((word) => existsSync(`${place.workspace}/typed-${word}`));
      await expect.poll(typed).toEqual([false, true]);
    },
  );

  it("N06 is refused under never, without a question", async () => {
    const { turn, asked, place } = await open(FOR_SESSION);
    const session = sessionOf(await turn("background while read line; do touch $line; done"));
    const never = { sandboxPolicy: READ_ONLY, approvalPolicy: "never" };
    const { items } = await turn(`type ${session} never-typed`, never);
    expect(lastWords(items)).toContain("Cannot write to a process that was started under another");
    expect(asked()).toBe(0);
    expect(existsSync(`${place.workspace}/never-typed`)).toBe(false);
  });

  it("asks about one that runs outside the sandbox, though the policy is the same", async () => {
    const { lab, place } = app();
    const client = await lab.client();
    const threadId = await askingThread(client, place, { sandboxPolicy: FULL_ACCESS });
    const session = sessionOf(await client.turn(threadId, "background cat"));
    client.onAsked = () => DECLINE;
    const { items } = await client.turn(threadId, `type ${session} out`, {
      sandboxPolicy: WORKSPACE_WRITE,
    });
    expect(client.asked.map(({ params }) => params.kind)).toEqual(["writeStdin"]);
    expect(lastWords(items)).toContain("Nothing was written");
  });

  it("is not lent to another thread by the number of the process", async () => {
    const { turn, client, place } = await open(FOR_SESSION);
    const session = sessionOf(await turn("background cat"));
    const other = await askingThread(client, place);
    const { items } = await client.turn(other, `type ${session} hello`);
    expect(lastWords(items)).toContain("no such process goes on");
  });
});
