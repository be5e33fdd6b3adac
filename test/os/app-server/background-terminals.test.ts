/** What goes on in a thread is seen and ended without the model, whoever started it. */
import { describe, expect, it, vi } from "vitest";
import { talk } from "../chat/support/talk.ts";
import { placeFor, USERS } from "../support/sandbox-user.ts";
import type { AppClient } from "./support/app-client.ts";
import { AppLab } from "./support/app-lab.ts";
import { askingThread, ended, lastWords, say } from "./support/asking.ts";
import { living, until } from "./support/struck-app.ts";
import { unfitting } from "./support/unfitting.ts";

const METHODS = "thread/backgroundTerminals";

interface Listed {
  readonly processId: string;
  readonly writ: { readonly source: string };
}

async function listed(client: AppClient, threadId: string): Promise<readonly Listed[]> {
  return (await client.ok(`${METHODS}/list`, { threadId })).data;
}

describe.each(USERS)("what goes on in a thread of %s", (user) => {
  it("is listed page by page, and ends by its number or all at once", async () => {
    const lab = new AppLab({ user });
    const client = await lab.client();
    const threadId = await askingThread(client, lab.place);
    const line = (name: string) => `background sleep 1000 # ${lab.place.workspace}/${name}`;
    for (const name of ["one", "two", "three"]) await client.turn(threadId, line(name));
    const first = await client.ok(`${METHODS}/list`, { threadId, limit: 2 });
    expect(first.data).toMatchObject([
      { command: expect.stringContaining("/one"), cwd: lab.place.workspace, osPid: null },
      { command: expect.stringContaining("/two"), writ: { source: "agent" } },
    ]);
    const { data, nextCursor } = await client.ok(`${METHODS}/list`, {
      ...{ threadId, cursor: first.nextCursor },
    });
    expect([data.length, nextCursor]).toEqual([1, null]);
    const { processId } = first.data[1];
    const end = (id: string) => client.ok(`${METHODS}/terminate`, { threadId, processId: id });
    expect(await end(processId)).toEqual({ terminated: true });
    expect(await end(processId)).toEqual({ terminated: false });
    await until(() => living(`${lab.place.workspace}/two`).length === 0);
    const { items } = await client.turn(threadId, `type ${processId} x`);
    expect(lastWords(items)).toContain("Ended by the user");
    expect(await listed(client, threadId)).toHaveLength(2);
    expect(await client.ok(`${METHODS}/clean`, { threadId })).toEqual({});
    expect(await listed(client, threadId)).toEqual([]);
    await until(() => living(lab.place.workspace).length === 0);
    expect(await client.refused(`${METHODS}/list`, { threadId, cursor: "x" })).toMatchObject({
      message: "invalid cursor: x",
    });
    expect(unfitting(client)).toEqual([]);
  });

  it("has a command that the user typed beside a turn, which goes on when that is ended", async () => {
    const lab = new AppLab({ user });
    const client = await lab.client();
    const threadId = await askingThread(client, lab.place);
    const turnId = await say(client, threadId, "while [ ! -e go ]; do sleep 0.01; done; echo seen");
    await client.ok("thread/shellCommand", { threadId, command: "sleep 1000" });
    await client.note("item/started", ({ item }) => item.source === "userShell");
    const [typed] = await vi.waitUntil(async () => {
      const found = await listed(client, threadId);
      return found.length > 0 && found;
    });
    expect(typed?.writ).toEqual({ source: "userShell" });
    const processId = typed?.processId;
    expect(await client.ok(`${METHODS}/terminate`, { threadId, processId })).toEqual({
      terminated: true,
    });
    const { item } = (await client.note("item/completed", (one) => one.item.source === "userShell"))
      .params;
    expect(item).toMatchObject({ status: "failed", writ: { denial: "Ended by the user" } });
    await client.ok("thread/shellCommand", { threadId, command: "touch go" });
    const { status, items } = await ended(client, turnId);
    expect(status).toBe("completed");
    expect(items).toContainEqual(expect.objectContaining({ aggregatedOutput: "seen\n" }));
  });
});

it("shows what goes on in writ chat, and ends it there", async () => {
  const place = placeFor("root");
  const line = `sleep 1000 # ${place.workspace}`;
  const { out } = await talk(place, [
    "/ps",
    `background ${line}`,
    "/ps",
    "/stop 1",
    "/stop",
    "/ps",
  ]);
  expect(out).toMatch(new RegExp(`> /ps\n- +\\d{4,6}  ${line}\n- End one: /stop NUMBER`));
  expect(out).toContain(
    '- Cannot stop "1": no process with this number runs, expected one that /ps lists\n',
  );
  expect(out).toMatch(/> \/stop\n- ended +\d{4,6} {2}sleep 1000/);
  expect(out.match(/- Nothing runs in this thread\.\n/g)).toHaveLength(2);
});
