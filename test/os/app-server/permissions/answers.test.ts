/** Which answers give something, and whose. */
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { askingThread, ended, heardOut, isWaiting, lastWords, say } from "../support/asking.ts";
import { caseApp } from "../support/case-app.ts";

const app = caseApp({});
let folders = 0;

/** A thread whose model waits for leave to write in a folder, and writes there then. */
async function asking(members: object = {}) {
  const { lab, place } = app();
  const client = await lab.client();
  folders += 1;
  const folder = path.join(place.outside, `asked-${folders}`);
  mkdirSync(folder);
  const threadId = await askingThread(client, place, members);
  const file = path.join(folder, "made");
  const turnId = await say(client, threadId, `ask write ${folder} then touch ${file}`);
  return { client, threadId, turnId, folder, file };
}

/** The same, when the question is there. */
async function asked(members: object = {}) {
  const one = await asking(members);
  const question = await one.client.question();
  return { ...one, question, id: question.id };
}

/** All that was asked for, as an answer. */
const yes = (folder: string, more: object = {}) => ({
  result: { permissions: { fileSystem: { write: [folder] } }, scope: "turn", ...more },
});

describe("a question for more", () => {
  it("names exactly what would be open, after its item was started, and the thread waits", async () => {
    const { client, threadId, turnId, question, folder, file } = await asked();
    const started = client.notes.find(
      ({ method, params }) => method === "item/started" && params.item.type === "dynamicToolCall",
    );
    expect(started?.params.item).toMatchObject({
      ...{ tool: "request_permissions", status: "inProgress", contentItems: null, success: null },
    });
    expect(question).toEqual({
      id: expect.any(Number),
      method: "item/permissions/requestApproval",
      params: {
        ...{ threadId, turnId, itemId: started?.params.item.id },
        ...{ startedAtMs: expect.any(Number), environmentId: "local" },
        ...{ cwd: app().place.workspace, reason: "The user told me to ask for it." },
        permissions: {
          network: null,
          fileSystem: {
            ...{ read: null, write: [folder] },
            entries: [{ path: { type: "path", path: folder }, access: "write" }],
          },
        },
      },
    });
    expect(await isWaiting(client, threadId)).toBe(true);
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ["never", "never"],
    ["granular", { granular: { sandbox_approval: true, rules: true, mcp_elicitations: true } }],
  ])("is not put where the approval policy is %s, and nothing is open", async (...policy) => {
    const { client, turnId, file } = await asking({ approvalPolicy: policy[1] });
    const { items } = await ended(client, turnId);
    const call = items.find(({ tool }) => tool === "request_permissions");
    expect(call).toMatchObject({ status: "failed", success: false });
    expect(call?.contentItems[0].text).toContain("Cannot ask for permissions: the approval policy");
    expect(client.asked).toEqual([]);
    expect(existsSync(file)).toBe(false);
  });

  it("is put where a granular approval policy lets it", async () => {
    const granular = { sandbox_approval: false, rules: false, mcp_elicitations: false };
    const approvalPolicy = { granular: { ...granular, request_permissions: true } };
    const { client, turnId, id, folder, file } = await asked({ approvalPolicy });
    client.send({ id, ...yes(folder) });
    expect((await ended(client, turnId)).status).toBe("completed");
    expect(existsSync(file)).toBe(true);
  });
});

describe("an answer", () => {
  const entry = (path: object, access: string) => ({ entries: [{ path, access }] });
  const at = (folder: string) => ({ type: "path", path: folder });
  const files = (fileSystem: object) => ({ result: { permissions: { fileSystem } } });

  it.each<[string, (folder: string) => object]>([
    ["lists", (folder) => files({ write: [folder] })],
    ["entries", (folder) => files(entry(at(folder), "write"))],
    ["both", (folder) => files({ read: null, write: [folder], ...entry(at(folder), "write") })],
    ["entries that are null", (folder) => files({ write: [folder], entries: null })],
  ])("gives in %s", async (_, answer) => {
    const { client, turnId, id, folder, file } = await asked();
    client.send({ id, ...answer(folder) });
    await ended(client, turnId);
    expect(existsSync(file)).toBe(true);
  });

  it.each<[string, (folder: string) => object]>([
    ["an error", () => ({ error: { code: -32601, message: "no such method" } })],
    ["a yes beside an error", (folder) => ({ ...yes(folder), error: { code: 1, message: "no" } })],
    ["no result", () => ({ result: null })],
    ["no permissions", () => ({ result: { scope: "session" } })],
    ["no permission", () => ({ result: { permissions: {}, scope: "session" } })],
    ["a decision", () => ({ result: { decision: "accept" } })],
    ["an unknown scope", (folder) => yes(folder, { scope: "forever" })],
    ["an unknown member", (folder) => yes(folder, { until: "noon" })],
    ["an unknown permission", () => ({ result: { permissions: { all: true } } })],
    ["an unknown member of files", (folder) => files({ write: [folder], except: ["a"] })],
    [
      "a review for the session",
      (folder) => yes(folder, { scope: "session", strictAutoReview: true }),
    ],
    ["a review for the turn", (folder) => yes(folder, { strictAutoReview: true })],
    ["a relative path", () => files({ write: ["asked-1"] })],
    ["a path beside one that is none", (folder) => files({ write: [folder, ""] })],
    ["a deny", (folder) => files(entry(at(folder), "deny"))],
    [
      "a deny beside it",
      (folder) =>
        files({
          entries: [
            ...entry(at(folder), "write").entries,
            ...entry(at(`${folder}/made`), "deny").entries,
          ],
        }),
    ],
    [
      "a pattern",
      (folder) => files(entry({ type: "glob_pattern", pattern: `${folder}/**` }, "write")),
    ],
    ["a symbol", () => files(entry({ type: "special", value: { kind: "root" } }, "write"))],
    ["lists and entries that share nothing", (folder) => files({ write: [folder], entries: [] })],
    ["reading", (folder) => files({ read: [folder] })],
    ["a number", () => ({ result: 1 })],
  ])("gives nothing, and the turn goes on: %s", async (_, answer) => {
    const { client, turnId, id, folder, file } = await asked();
    client.send({ id, ...answer(folder) });
    const { status, items } = await ended(client, turnId);
    expect(status).toBe("completed");
    const call = items.find(({ tool }) => tool === "request_permissions");
    expect(call).toMatchObject({ status: "failed", success: false });
    expect(call?.contentItems[0].text).toMatch(/^Nothing was granted: /);
    expect(existsSync(file)).toBe(false);
  });

  it("N01 N02 gives nothing where it comes from a connection that was not asked", async () => {
    const { client, threadId, turnId, id, folder, file } = await asked();
    const { lab } = app();
    const [stranger, unknown] = [await lab.client(), await lab.connect()];
    for (const one of [stranger, unknown]) one.send({ id, ...yes(folder, { scope: "session" }) });
    await heardOut(stranger);
    await unknown.initialize();
    expect(await isWaiting(client, threadId)).toBe(true);
    client.send({ id, result: { permissions: {} } });
    await ended(client, turnId);
    expect(existsSync(file)).toBe(false);
  });

  it("N16 counts once: the first of two followers decides", async () => {
    const { client, threadId, turnId, id, folder, file } = await asked();
    const second = await app().lab.client();
    await second.ok("thread/resume", { threadId });
    const again = await second.question();
    expect(again).toMatchObject({ id, method: "item/permissions/requestApproval" });
    second.send({ id, result: { permissions: {} } });
    await second.note("serverRequest/resolved");
    client.send({ id, ...yes(folder, { scope: "session" }) });
    await ended(client, turnId);
    await client.turn(threadId, `touch ${file}`);
    expect(existsSync(file)).toBe(false);
  });

  it("N17 may come from whoever resumes the thread after all others left", async () => {
    const { client, threadId, turnId, folder, file } = await asked();
    client.close();
    await client.over;
    const other = await app().lab.client();
    await other.ok("thread/resume", { threadId });
    const { id } = await other.question();
    expect(existsSync(file)).toBe(false);
    other.send({ id, ...yes(folder) });
    expect((await ended(other, turnId)).status).toBe("completed");
    expect(existsSync(file)).toBe(true);
  });

  it("N18 gives nothing after the turn was interrupted, which takes the question back", async () => {
    const { client, threadId, turnId, id, folder, file } = await asked();
    await client.ok("turn/interrupt", { threadId, turnId });
    const { status, items } = await ended(client, turnId);
    expect([status, lastWords(items)]).toEqual(["interrupted", ""]);
    await client.note("serverRequest/resolved", ({ requestId }) => requestId === id);
    client.send({ id, ...yes(folder, { scope: "session" }) });
    await heardOut(client);
    await client.turn(threadId, `touch ${file}`);
    expect(existsSync(file)).toBe(false);
  });
});
