/** A turn of several calls, with a model behind a real wire: what changes meanwhile is for the next turn. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ACCEPT, askingThread, DECLINE, ended, say } from "./support/asking.ts";
import { FULL_ACCESS, READ_ONLY, WORKSPACE_WRITE } from "./support/policies.ts";
import { callsTool, type ScriptedModel, scriptedModel } from "./support/scripted-model.ts";
import { type Room, roomIn, standingApp } from "./support/standing-app.ts";

const command = (cmd: string, more: object = {}) => ({ cmd, ...more });

/** Waits for leave, which is when a test changes something. */
const pause = command("true", {
  sandbox_permissions: "require_escalated",
  justification: "to wait",
});

/** The calls of a turn, and those of the next one; the model says that it is done after each. */
type Calls = readonly [now: readonly object[], next?: readonly object[]];

let model: ScriptedModel;
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  model = await scriptedModel((end) => void ends.push(end));
});
afterAll(async () => {
  for (const end of ends) await end();
});
const app = standingApp({ settings: () => model.config, token: null });
let tests = 0;

/** A connection of its own, and two lines at which the model makes these calls, one a request. */
async function modelled(steps: (room: Room) => Calls) {
  const { lab, place } = await app();
  const client = await lab.client();
  const room = roomIn(place);
  tests += 1;
  const [go, again] = [`go ${tests}`, `again ${tests}`];
  const [now, next = []] = steps(room);
  for (const [line, inTurn] of [
    [go, now],
    [again, next],
  ] as const) {
    const script = inTurn.map((input, at) => callsTool(`${line} ${at}`, "exec_command", input));
    model.scripts.set(line, script);
  }
  /** What the model was last told. */
  const told = () => JSON.stringify(model.requests.at(-1)?.body.input);
  return { room, client, told, go, again };
}

/** A thread whose model does this, at its first question. */
async function asking(steps: (room: Room) => Calls, members: object = {}) {
  const { room, client, told, go, again } = await modelled(steps);
  const threadId = await askingThread(client, room, members);
  const turnId = await say(client, threadId, go);
  const { id } = await client.question();
  return { room, client, threadId, turnId, id, told, again };
}

describe("D01 a turn that runs", () => {
  it.each([
    ["narrower", "workspace-write", READ_ONLY, [true, false]],
    ["wider", "read-only", WORKSPACE_WRITE, [false, true]],
  ])(
    "keeps its policy for all its calls when a %s one is set",
    async (_, sandbox, policy, wrote) => {
      const { room, client, threadId, turnId, id, again } = await asking(
        () => [[pause, command("touch now")], [command("touch next")]],
        { sandbox },
      );
      await client.ok("thread/settings/update", { threadId, sandboxPolicy: policy });
      const told = await client.note("thread/settings/updated");
      expect(told.params.threadSettings.sandboxPolicy).toEqual(policy);
      client.send({ id, ...ACCEPT });
      expect((await ended(client, turnId)).status).toBe("completed");
      await client.turn(threadId, again);
      const files = ["now", "next"].map((name) => path.join(room.workspace, name));
      expect(files.map((file) => existsSync(file))).toEqual(wrote);
    },
  );

  it("asks as it did when it began, and the next one does not", async () => {
    const { client, threadId, turnId, id, again } = await asking(() => [[pause, pause], [pause]]);
    await client.ok("thread/settings/update", { threadId, approvalPolicy: "never" });
    client.send({ id, ...ACCEPT });
    const second = await client.question(1);
    client.send({ id: second.id, ...DECLINE });
    const statuses = ({ items }: { items: readonly { type: string; status?: string }[] }) =>
      items.filter(({ type }) => type === "commandExecution").map(({ status }) => status);
    expect(statuses(await ended(client, turnId))).toEqual(["completed", "declined"]);
    expect(statuses(await client.turn(threadId, again))).toEqual(["failed"]);
    expect(client.asked).toHaveLength(2);
  });

  it("stays in its folder, and the next one begins in the other", async () => {
    const { room, client, threadId, turnId, id, again } = await asking(({ workspace }) => [
      [pause, command(`pwd > ${workspace}/now`)],
      [command("pwd > next")],
    ]);
    const { workspace } = room;
    const other = path.join(workspace, "other");
    mkdirSync(other);
    await client.ok("thread/settings/update", { threadId, cwd: other });
    client.send({ id, ...ACCEPT });
    await ended(client, turnId);
    await client.turn(threadId, again);
    expect(readFileSync(path.join(workspace, "now"), "utf8")).toBe(`${workspace}\n`);
    expect(readFileSync(path.join(other, "next"), "utf8")).toBe(`${other}\n`);
  });

  it("G01 tells the model that a command was rejected, and runs what it does then", async () => {
    const { room, client, turnId, id, told } = await asking(({ workspace }) => [
      [pause, command(`touch ${workspace}/instead`)],
    ]);
    client.send({ id, ...DECLINE });
    expect((await ended(client, turnId)).status).toBe("completed");
    expect(told()).toContain("Rejected by the user");
    expect(existsSync(path.join(room.workspace, "instead"))).toBe(true);
  });
});

describe("K4 a model that asks for more than its turn has", () => {
  const file = ({ outside }: Room) => `${outside}/more`;

  it.each<[string, object]>([
    ["another policy", { sandboxPolicy: FULL_ACCESS }],
    ["another mode", { sandbox: "danger-full-access" }],
    ["a profile", { permissions: ":danger-full-access" }],
    ["more permissions", { additional_permissions: { file_system: { write: ["/"] } } }],
    ["permissions of a kind that is not declared", { sandbox_permissions: "disabled" }],
    ["permissions beside its own", { sandbox_permissions: "with_additional_permissions" }],
    ["a yes that nobody gave", { sandbox_permissions: "use_default", approved: true }],
  ])("is refused %s, is told so, and nothing runs", async (_, more) => {
    const { room, client, told, go } = await modelled((one) => [
      [command(`touch ${file(one)}; touch here`, more)],
    ]);
    const threadId = await askingThread(client, room);
    const { turn, items } = await client.turn(threadId, go);
    expect(turn.status).toBe("completed");
    expect(client.asked).toEqual([]);
    expect(items[1]).toMatchObject({ type: "dynamicToolCall", status: "failed", success: false });
    expect(told()).toContain("Cannot call");
    const files = [file(room), path.join(room.workspace, "here")];
    expect(files.filter((one) => existsSync(one))).toEqual([]);
  });
});
