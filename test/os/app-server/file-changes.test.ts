/** Files that a model changes, as clients of its thread see and permit it. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Place } from "../support/sandbox-user.ts";
import type { Message } from "./support/app-client.ts";
import { ACCEPT, askingThread, commandOf, DECLINE, ended, say } from "./support/asking.ts";
import { caseApp } from "./support/case-app.ts";

const app = caseApp({});
let files = 0;

type Item = NonNullable<Message["result"]>;

const changeIn = (items: readonly Item[]) => items.find(({ type }) => type === "fileChange");

/** As it is kept, whoever asks for it. */
function receiptOf(place: Place, item: Item) {
  const { stdout, stderr } = place.run(["receipts", "show", String(item.writ.receiptId), "--json"]);
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}

async function asking(members: object = {}) {
  const { lab, place } = app();
  const client = await lab.client();
  files += 1;
  const file = path.join(place.outside, `changed-${files}`);
  const threadId = await askingThread(client, place, members);
  return { client, threadId, file, place };
}

describe("a change of files", () => {
  it("of more than 8 MiB is refused: it would hold up, or end, the server", async () => {
    const { client, threadId, place } = await asking();
    const file = path.join(place.workspace, "large");
    writeFileSync(file, `${"\n".repeat(8 << 20)}x`);
    place.give();
    const { items } = await client.turn(threadId, `write ${file} text`);
    expect(changeIn(items)).toBeUndefined();
    expect(items.find(({ type }) => type === "dynamicToolCall")).toMatchObject({
      status: "failed",
      contentItems: [
        { text: expect.stringContaining("have 8388609 bytes, expected at most 8388608") },
      ],
    });
    expect(statSync(file).size).toBe((8 << 20) + 1);
  });

  it("is asked about in its own words, after its item was started with what would change", async () => {
    const { client, threadId, file } = await asking();
    const turnId = await say(client, threadId, `write ${file} text`);
    const { id, ...question } = await client.question();
    const started = client.notes.find(
      ({ method, params }) => method === "item/started" && params.item.type === "fileChange",
    );
    expect(started?.params.item).toMatchObject({
      status: "inProgress",
      changes: [{ path: file, kind: { type: "add" }, diff: "text\n" }],
      writ: { receiptId: null, denial: null },
    });
    expect(question).toEqual({
      method: "item/fileChange/requestApproval",
      params: {
        ...{ threadId, turnId, itemId: started?.params.item.id, grantRoot: null },
        startedAtMs: expect.any(Number),
        reason: expect.stringContaining(file),
      },
    });
    expect(existsSync(file)).toBe(false);
    client.send({ id, ...ACCEPT });
    const { status, items } = await ended(client, turnId);
    expect(status).toBe("completed");
    expect(items.find(({ type }: { type: string }) => type === "fileChange")).toMatchObject({
      status: "completed",
    });
    expect(readFileSync(file, "utf8")).toBe("text\n");
  });

  it("that is declined changes nothing, and its item says by which rule", async () => {
    const { client, threadId, file } = await asking();
    const turnId = await say(client, threadId, `write ${file} text`);
    client.send({ id: (await client.question()).id, ...DECLINE });
    const { items } = await ended(client, turnId);
    expect(items.find(({ type }: { type: string }) => type === "fileChange")).toMatchObject({
      status: "declined",
      writ: { denial: expect.stringMatching(/rule: .*Rejected by the user/) },
    });
    expect(existsSync(file)).toBe(false);
  });

  it("that nobody may be asked about is refused", async () => {
    const { client, threadId, file } = await asking({ approvalPolicy: "never" });
    const { items } = await ended(client, await say(client, threadId, `write ${file} text`));
    expect(items.find(({ type }: { type: string }) => type === "fileChange")).toMatchObject({
      status: "failed",
    });
    expect(existsSync(file)).toBe(false);
  });
});

describe("the item of a change", () => {
  it("names the receipt of what changed the files, under the policy of the thread", async () => {
    const { client, threadId, place } = await asking();
    const command = await client.turn(threadId, "true");
    const { profileDigest, boundDigest } = receiptOf(place, commandOf(command.items));
    const patch = "*** Begin Patch\n*** Delete File: made.txt\n*** End Patch";
    for (const line of [
      "write made.txt x",
      `call apply_patch ${JSON.stringify({ input: patch })}`,
    ]) {
      const { turn, items } = await client.turn(threadId, line);
      const change = changeIn(items);
      expect(change).toMatchObject({ status: "completed", writ: { denial: null } });
      expect(receiptOf(place, change)).toMatchObject({
        ...{ profileDigest, boundDigest, waived: null, outcome: { kind: "exited", code: 0 } },
        ids: { thread: threadId, turn: turn.id, call: change?.id },
      });
    }
    expect(existsSync(path.join(place.workspace, "made.txt"))).toBe(false);
  });

  it("names a receipt that says who waived the sandbox where a person let it out", async () => {
    const { client, threadId, file, place } = await asking();
    client.onAsked = () => ACCEPT;
    const { items } = await client.turn(threadId, `write ${file} text`);
    expect(receiptOf(place, changeIn(items))).toMatchObject({
      ...{ waived: { by: "user" }, enforced: { tier: "none" }, ids: { thread: threadId } },
    });
    expect(readFileSync(file, "utf8")).toBe("text\n");
  });

  it("says by which rule it was refused, and what would open the file", async () => {
    const { client, threadId, file } = await asking({ approvalPolicy: "never" });
    const { items } = await client.turn(threadId, `write ${file} text`);
    const { writ } = changeIn(items) ?? {};
    expect(writ.receiptId).toBeNull();
    expect(writ.denial).toContain('rule: ":root" = "read"');
    expect(writ.denial).toContain(`What would open it: "${file}" = "write"`);
  });
});

const RECEIPT = expect.stringMatching(/^[0-9A-Z]{26}$/);

describe("a look at a file", () => {
  it("is a tool call that every client can show, and is kept", async () => {
    const { client, threadId, place } = await asking();
    writeFileSync(path.join(place.workspace, "seen.txt"), "what is in it\n");
    const { items } = await ended(client, await say(client, threadId, "read seen.txt"));
    const seen = {
      ...{ type: "dynamicToolCall", tool: "read_file", status: "completed", success: true },
      contentItems: [{ type: "inputText", text: "what is in it\n" }],
      writ: { receiptId: RECEIPT, denial: null },
    };
    expect(items).toContainEqual(expect.objectContaining(seen));
  });

  it("carries its receipt, and what denied it", async () => {
    const { client, threadId, place } = await asking();
    writeFileSync(path.join(place.workspace, "seen.txt"), "what is in it\n");
    const { items } = await client.turn(threadId, "grep what");
    const tool = items.find(({ type }) => type === "dynamicToolCall");
    expect(tool?.writ).toEqual({ receiptId: RECEIPT, denial: null });
    const hidden = path.join(place.workspace, "hidden.txt");
    writeFileSync(hidden, "x");
    const closed = { extends: ":workspace", filesystem: { [hidden]: "deny" } };
    const { thread } = await client.ok("thread/start", {
      ...{ cwd: place.workspace, permissions: "closed", config: { permissions: { closed } } },
    });
    const turnId = await say(client, thread.id, "read hidden.txt");
    const [, denied] = (await ended(client, turnId)).items;
    const denial = expect.stringMatching(/the policy denies it \(rule: .*What would open it: /);
    expect(denied).toMatchObject({ status: "failed", writ: { receiptId: RECEIPT, denial } });
    const shown = place.run(["receipts", "show", String(denied?.writ.receiptId), "--json"]);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      ...{ command: ["fs/readFile", hidden], enforced: null },
      outcome: { kind: "refused", message: expect.stringContaining(`"${hidden}" = "deny"`) },
    });
  });
});
