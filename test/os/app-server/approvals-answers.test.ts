/** Which answers count: what is said, and that nothing else is taken for a yes. */
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  ACCEPT,
  askingThread,
  commandOf,
  DECLINE,
  ended,
  heardOut,
  isWaiting,
  lastWords,
  say,
} from "./support/asking.ts";
import { caseApp } from "./support/case-app.ts";

const app = caseApp({});
let files = 0;

/** A thread whose model waits for leave to make a file outside. */
async function asking(members: object = {}) {
  const { lab, place } = app();
  const client = await lab.client();
  files += 1;
  const file = path.join(place.outside, `file-${files}`);
  const threadId = await askingThread(client, place, members);
  const turnId = await say(client, threadId, `escalate touch ${file}`);
  const question = await client.question();
  return { client, threadId, turnId, question, id: question.id, file };
}

describe("a question", () => {
  it("names exactly what would run, after its item was started, and the thread waits", async () => {
    const { client, threadId, turnId, question, file } = await asking();
    const { workspace } = app().place;
    const started = client.notes.find(
      ({ method, params }) => method === "item/started" && params.item.type === "commandExecution",
    );
    expect(question).toEqual({
      id: expect.any(Number),
      method: "item/commandExecution/requestApproval",
      params: {
        kind: "command",
        threadId,
        turnId,
        itemId: started?.params.item.id,
        startedAtMs: expect.any(Number),
        approvalId: null,
        environmentId: "local",
        reason: "It would run without the sandbox: The user asked to run this outside the sandbox.",
        command: `/bin/bash -lc 'touch ${file}'`,
        cwd: workspace,
        commandActions: [{ type: "unknown", command: `/bin/bash -lc 'touch ${file}'` }],
        additionalPermissions: null,
        proposedExecpolicyAmendment: null,
        networkApprovalContext: null,
        proposedNetworkPolicyAmendments: null,
        availableDecisions: ["accept", "acceptForSession", "decline", "cancel"],
      },
    });
    expect(await isWaiting(client, threadId)).toBe(true);
    expect(existsSync(file)).toBe(false);
  });

  it("G01 that is declined declines the command, and the turn goes on", async () => {
    const { client, turnId, id, file } = await asking();
    client.send({ id, ...DECLINE });
    const { status, items } = await ended(client, turnId);
    expect([status, commandOf(items).status]).toEqual(["completed", "declined"]);
    expect(commandOf(items).exitCode).toBeNull();
    expect(lastWords(items)).toContain("Rejected by the user");
    expect(existsSync(file)).toBe(false);
  });

  it("G02 that is cancelled interrupts the turn", async () => {
    const { client, turnId, id, file } = await asking();
    client.send({ id, result: { decision: "cancel" } });
    const { status, items } = await ended(client, turnId);
    expect([status, commandOf(items).status]).toEqual(["interrupted", "declined"]);
    expect(lastWords(items)).toBe("");
    expect(existsSync(file)).toBe(false);
  });

  it("G03 that is accepted lets the command run once, and is asked again", async () => {
    const { client, threadId, turnId, id, file } = await asking();
    client.send({ id, ...ACCEPT });
    const { status, items } = await ended(client, turnId);
    expect([status, commandOf(items).exitCode]).toEqual(["completed", 0]);
    expect(existsSync(file)).toBe(true);
    const again = await say(client, threadId, `escalate touch ${file}-2`);
    const other = await client.question(1);
    expect(other.id).not.toBe(id);
    client.send({ id: other.id, ...DECLINE });
    expect(commandOf((await ended(client, again)).items).status).toBe("declined");
    expect(existsSync(`${file}-2`)).toBe(false);
  });

  it.each([
    ["never", "never"],
    ["granular", { granular: granular({ sandbox_approval: false }) }],
  ])(
    "G04 is not put where the approval policy is %s, and the command is refused",
    async (...policy) => {
      const { lab, place } = app();
      const client = await lab.client();
      const file = path.join(place.outside, `never-${policy[0]}`);
      const threadId = await askingThread(client, place, { approvalPolicy: policy[1] });
      const { turn, items } = await client.turn(threadId, `escalate touch ${file}`);
      expect([turn.status, commandOf(items).status]).toEqual(["completed", "failed"]);
      expect(commandOf(items).writ.denial).toContain("Cannot run it outside the sandbox");
      expect(client.asked).toEqual([]);
      expect(existsSync(file)).toBe(false);
    },
  );
});

function granular(members: object) {
  return { sandbox_approval: true, rules: true, mcp_elicitations: true, ...members };
}

/** What is no answer that was offered. */
const NO_ANSWERS: readonly (readonly [string, object])[] = [
  ["an error", { error: { code: -32601, message: "no such method" } }],
  ["an error that speaks of a yes", { error: { code: 0, message: "accept", data: ACCEPT } }],
  ["no result", {}],
  ["nothing", { result: {} }],
  ["null", { result: null }],
  ["a text", { result: "accept" }],
  ["a flag", { result: { decision: true } }],
  ["a word that was not offered", { result: { decision: "approved" } }],
  ["a yes in other letters", { result: { decision: "Accept" } }],
  ["a yes with a space", { result: { decision: "accept " } }],
  ["a list with a yes", { result: { decision: ["accept"] } }],
  ["a list", { result: [{ decision: "accept" }] }],
  ["a yes elsewhere", { result: { accept: true, decisions: "accept" } }],
  [
    "an amendment of rules",
    {
      result: { decision: { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["touch"] } } },
    },
  ],
  [
    "an amendment of the network",
    {
      result: {
        decision: {
          applyNetworkPolicyAmendment: { network_policy_amendment: { host: "a", action: "allow" } },
        },
      },
    },
  ],
  ["a yes beside an error", { ...ACCEPT, error: { code: 1, message: "no" } }],
];

describe("G05 denies, and the command does not run:", () => {
  it.each(NO_ANSWERS)("%s", async (_, answer) => {
    const { client, turnId, id, file } = await asking();
    client.send({ id, ...answer });
    const { status, items } = await ended(client, turnId);
    expect([status, commandOf(items).status]).toEqual(["completed", "failed"]);
    expect(commandOf(items).writ.denial).toContain("Not approved");
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ["a yes and then a no", '{"decision":"accept","decision":"decline"}'],
    ["a no and then a yes", '{"decision":"decline","decision":"accept"}'],
    ["a yes that is inherited", '{"__proto__":{"decision":"accept"}}'],
  ])("K21 %s under one key", async (_, result) => {
    const { client, turnId, id, file } = await asking();
    client.raw(`{"id":${id},"result":${result}}`);
    const { items } = await ended(client, turnId);
    expect(commandOf(items).status).toBe("failed");
    expect(existsSync(file)).toBe(false);
  });
});

describe("is not taken for an answer:", () => {
  it.each([
    ["one to a question that nobody put", (id: number) => id + 1000],
    ["one to a question before the first", () => -1],
    ["one whose id is a text", String],
    ["one whose id is null", () => null],
    ["one whose id is no whole number", (id: number) => id + 0.5],
  ])("%s", async (_, idOf) => {
    const { client, threadId, turnId, id, file } = await asking();
    client.send({ id: idOf(Number(id)), ...ACCEPT });
    await heardOut(client);
    expect(await isWaiting(client, threadId)).toBe(true);
    expect(existsSync(file)).toBe(false);
    client.send({ id, ...DECLINE });
    expect(commandOf((await ended(client, turnId)).items).status).toBe("declined");
  });

  it("the second of two: a yes stays a yes, and a no stays a no", async () => {
    const [yes, no] = [await asking(), await asking()];
    yes.client.send({ id: yes.id, ...ACCEPT });
    yes.client.send({ id: yes.id, ...DECLINE });
    no.client.send({ id: no.id, ...DECLINE });
    no.client.send({ id: no.id, ...ACCEPT });
    const [one, other] = [await ended(yes.client, yes.turnId), await ended(no.client, no.turnId)];
    expect(commandOf(one.items)).toMatchObject({ status: "completed", exitCode: 0 });
    expect(commandOf(other.items)).toMatchObject({ status: "declined", exitCode: null });
    expect([existsSync(yes.file), existsSync(no.file)]).toEqual([true, false]);
  });

  it("one that was for an earlier question of the same thread", async () => {
    const { client, threadId, turnId, id, file } = await asking();
    client.send({ id, ...DECLINE });
    await ended(client, turnId);
    const later = await say(client, threadId, `escalate touch ${file}`);
    const { id: next } = await client.question(1);
    client.send({ id, ...ACCEPT });
    await heardOut(client);
    expect(await isWaiting(client, threadId)).toBe(true);
    client.send({ id: next, ...DECLINE });
    expect(commandOf((await ended(client, later)).items).status).toBe("declined");
    expect(existsSync(file)).toBe(false);
  });

  it("one that is for the question of another thread", async () => {
    const one = await asking();
    const { place } = app();
    const threadId = await askingThread(one.client, place);
    const turnId = await say(one.client, threadId, `escalate touch ${one.file}-other`);
    const other = await one.client.question(1);
    one.client.send({ id: other.id, ...ACCEPT });
    await ended(one.client, turnId);
    expect(await isWaiting(one.client, one.threadId)).toBe(true);
    expect([existsSync(`${one.file}-other`), existsSync(one.file)]).toEqual([true, false]);
  });
});
