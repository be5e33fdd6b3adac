import { existsSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { WAYS } from "../support/app-lab.ts";
import { caseApp, ran } from "../support/case-app.ts";
import { FULL_ACCESS, READ_ONLY } from "../support/policies.ts";

const say = (text: string) => [{ type: "text", text, text_elements: [] }];

describe.each(WAYS)("a turn that runs over %s", (over) => {
  const app = caseApp({ over });

  /** A turn whose command waits for a file; the answer lets it go on. */
  const waiting = async (name: string, params: object) => {
    const { client, place } = app();
    const gate = `${place.outside}/${name}-go`;
    const cwd = place.workspace;
    const { thread } = await client.ok("thread/start", { cwd, ...params });
    const input = say(`while [ ! -e ${gate} ]; do sleep 0.02; done`);
    const from = client.notes.length;
    const { turn } = await client.ok("turn/start", { threadId: thread.id, input });
    await client.note(
      "item/started",
      ({ item, turnId }) => turnId === turn.id && item.type === "commandExecution",
      from,
    );
    const goOn = async () => {
      writeFileSync(gate, "");
      return client.note("turn/completed", (done) => done.turn.id === turn.id, from);
    };
    return { threadId: thread.id, turnId: turn.id, from, goOn };
  };

  it.each<[string, object, object, [boolean, boolean]]>([
    ["narrowed", { sandbox: "danger-full-access" }, READ_ONLY, [true, false]],
    ["widened", { sandbox: "read-only" }, FULL_ACCESS, [false, true]],
  ])("D01 is not %s by a change, which the next one is", async (name, params, policy, wrote) => {
    const { client, place } = app();
    const { outside } = place;
    const { threadId, turnId, from, goOn } = await waiting(name, params);
    await client.ok("thread/settings/update", { threadId, sandboxPolicy: policy });
    const told = await client.note("thread/settings/updated", () => true, from);
    expect(told.params).toMatchObject({ threadId, threadSettings: { sandboxPolicy: policy } });
    const input = say(`touch ${outside}/${name}-now`);
    await client.ok("turn/steer", { threadId, input, expectedTurnId: turnId });
    const { params: done } = await goOn();
    expect(done.turn.status).toBe("completed");
    const commands = client.notes.filter(
      ({ method, params: { turnId: of, item } = {} }) =>
        method === "item/completed" && of === turnId && item.type === "commandExecution",
    );
    expect(commands).toHaveLength(2);
    await ran(client, threadId, `touch ${outside}/${name}-next`);
    const files = [`${outside}/${name}-now`, `${outside}/${name}-next`];
    expect(files.map((file) => existsSync(file))).toEqual(wrote);
  });

  it.each<object>([{}, { sandboxPolicy: null, permissions: null, cwd: null }])(
    "D02 hears nothing of an update that changes nothing: %j",
    async (change) => {
      const { client, place } = app();
      const { thread } = await client.ok("thread/start", { cwd: place.workspace });
      const from = client.notes.length;
      await client.ok("thread/settings/update", { threadId: thread.id, ...change });
      await client.turn(thread.id, "say hello");
      const told = client.notes.slice(from).map(({ method }) => method);
      expect(told).not.toContain("thread/settings/updated");
    },
  );

  it("D03 is steered by turn/start, whose policy is for the next one", async () => {
    const { client, place } = app();
    const { outside } = place;
    const { threadId, turnId, from, goOn } = await waiting("d03", { sandbox: "read-only" });
    const steered = await client.ok("turn/start", {
      ...{ threadId, input: say(`touch ${outside}/d03-now`), sandboxPolicy: FULL_ACCESS },
    });
    expect(steered.turn.id).toBe(turnId);
    await client.note("thread/settings/updated", (told) => told.threadId === threadId, from);
    await goOn();
    const begun = client.notes
      .slice(from)
      .filter(({ method, params }) => method === "turn/started" && params.threadId === threadId);
    expect(begun).toHaveLength(1);
    await ran(client, threadId, `touch ${outside}/d03-next`);
    const files = [`${outside}/d03-now`, `${outside}/d03-next`];
    expect(files.map((file) => existsSync(file))).toEqual([false, true]);
  });

  it("D03 is not steered with a policy that is refused", async () => {
    const { client, place } = app();
    const file = `${place.workspace}/d03-refused`;
    const { threadId, from, goOn } = await waiting("d03-no", { sandbox: "workspace-write" });
    const error = await client.refused("turn/start", {
      ...{ threadId, input: say(`touch ${file}`), sandboxPolicy: { type: "nonsense" } },
    });
    expect(error.code).toBe(-32600);
    await goOn();
    expect(client.notes.slice(from).map(({ method }) => method)).not.toContain(
      "thread/settings/updated",
    );
    expect(existsSync(file)).toBe(false);
  });
});
