/** What ends a grant, and what stands above every one. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Place, USERS } from "../../support/sandbox-user.ts";
import type { AppClient, Message } from "../support/app-client.ts";
import { AppLab } from "../support/app-lab.ts";
import { askingThread, lastWords } from "../support/asking.ts";
import type { CaseApp } from "../support/case-app.ts";
import { READ_ONLY } from "../support/policies.ts";
import { type Room, roomIn, standingApp } from "../support/standing-app.ts";

const MODES = 'allowed_sandbox_modes = ["read-only", "workspace-write"]\n';
const LOWER = 'allowed_sandbox_modes = ["read-only"]\n';

const forSession = ({ params }: Message) => ({
  result: { permissions: params.permissions, scope: "session" },
});

function folderIn({ outside, give }: Room): string {
  const folder = path.join(outside, "wanted");
  mkdirSync(folder);
  give();
  return folder;
}

/** A connection of its own, which grants all that it is asked for, and folders of its own. */
async function granting(app: () => Promise<CaseApp>) {
  const { lab, place } = await app();
  const client = await lab.client();
  client.onAsked = forSession;
  return { client, room: roomIn(place), place };
}

/** Whether a command in a turn of its own writes there. */
async function writes(client: AppClient, threadId: string, file: string, members: object = {}) {
  await client.turn(threadId, `touch ${file}`, members);
  return existsSync(file);
}

describe.each(USERS)("a grant for the session (%s)", (user) => {
  const app = standingApp({ user });

  it("is over when another server resumes the thread", async () => {
    const lab = new AppLab({ user, token: "sesame" });
    const folder = folderIn(lab.place);
    const first = await lab.client();
    first.onAsked = forSession;
    const threadId = await askingThread(first, lab.place);
    await first.turn(threadId, `ask write ${folder}`);
    expect(await writes(first, threadId, `${folder}/a`)).toBe(true);
    await lab.stop();
    const second = await lab.client();
    await second.ok("thread/resume", { threadId });
    expect(await writes(second, threadId, `${folder}/b`)).toBe(false);
    expect(second.asked).toEqual([]);
  });

  it("is over when the thread goes on under another policy, and does not come back", async () => {
    const { client, room } = await granting(app);
    const folder = folderIn(room);
    const threadId = await askingThread(client, room);
    await client.turn(threadId, `ask write ${folder}`);
    expect(await writes(client, threadId, `${folder}/a`)).toBe(true);
    expect(await writes(client, threadId, `${folder}/b`, { sandboxPolicy: READ_ONLY })).toBe(false);
    expect(await writes(client, threadId, `${folder}/c`, { permissions: ":workspace" })).toBe(
      false,
    );
  });

  it("is for its thread and for no other", async () => {
    const { client, room } = await granting(app);
    const folder = folderIn(room);
    const [mine, other] = [await askingThread(client, room), await askingThread(client, room)];
    await client.turn(mine, `ask write ${folder}`);
    expect(await writes(client, other, `${folder}/a`)).toBe(false);
    expect(await writes(client, mine, `${folder}/a`)).toBe(true);
    const { thread } = await client.ok("thread/fork", { threadId: mine });
    expect(await writes(client, thread.id, `${folder}/b`)).toBe(false);
  });
});

describe.each(USERS)("what no sandbox opens (%s)", (user) => {
  const app = standingApp({ user });

  it.each([
    ["kernel settings", () => "/proc/sys"],
    ["devices", () => "/dev"],
    ["what writ itself keeps", ({ env }: Place) => String(env.WRIT_HOME)],
  ])("is refused before anybody is asked: %s", async (_, at) => {
    const { client, room, place } = await granting(app);
    const threadId = await askingThread(client, room);
    const { items } = await client.turn(threadId, `ask write ${at(place)}`);
    expect(lastWords(items)).toMatch(/^Cannot /);
    expect(client.asked).toEqual([]);
    expect(await writes(client, threadId, `${room.workspace}/still`)).toBe(true);
  });
});

describe.each(USERS)("a ceiling over grants (%s)", (user) => {
  const ceilingOf = ({ workspace }: Place) => path.join(path.dirname(workspace), "ceiling.toml");
  const app = standingApp({
    user,
    flags: ["--ceiling", "../ceiling.toml"],
    settings: (place) => {
      writeFileSync(ceilingOf(place), LOWER);
      return "";
    },
  });

  /** A thread that begins under a ceiling, with a folder that it asks for. */
  async function asking(text: (room: Room) => string, members: object = {}) {
    const { client, room, place } = await granting(app);
    const folder = folderIn(room);
    const lower = (now: string) => writeFileSync(ceilingOf(place), now);
    lower(text(room));
    const threadId = await askingThread(client, room, members);
    return { client, threadId, folder, lower, give: room.give };
  }

  it.each([
    ["modes", LOWER],
    [
      "profiles",
      'default_permissions = ":read-only"\n[allowed_permission_profiles]\n":read-only" = true\n',
    ],
  ])("of %s is not asked past", async (_, text) => {
    const { client, threadId, folder } = await asking(() => text, { sandbox: "read-only" });
    const { items } = await client.turn(threadId, `ask write ${folder} then touch ${folder}/a`);
    const call = items.find(({ tool }) => tool === "request_permissions");
    expect(call?.contentItems[0].text).toMatch(/^Cannot grant more: .*not in the allowed set/);
    expect(client.asked).toEqual([]);
    expect(existsSync(`${folder}/a`)).toBe(false);
  });

  it("of denies holds below what is granted, and is not asked past", async () => {
    const { client, threadId, folder, give } = await asking(
      ({ outside }) => `[permissions.filesystem]\ndeny_read = ["${outside}/wanted/secret"]\n`,
    );
    mkdirSync(`${folder}/secret`);
    writeFileSync(`${folder}/secret/key`, "the key");
    give();
    const line = `touch ${folder}/a ${folder}/secret/a; cat ${folder}/secret/key`;
    const { items } = await client.turn(threadId, `ask write ${folder} then ${line}`);
    expect([`${folder}/a`, `${folder}/secret/a`].map((file) => existsSync(file))).toEqual([
      ...[true, false],
    ]);
    expect(JSON.stringify(items)).not.toContain("the key");
    const refused = await client.turn(threadId, `ask read ${folder}/secret`);
    expect(lastWords(refused.items)).toMatch(/^Cannot (ask|grant)/);
    expect(client.asked).toHaveLength(1);
  });

  it("that is lowered while somebody is asked makes their yes a no", async () => {
    const { client, threadId, folder, lower } = await asking(() => MODES, { sandbox: "read-only" });
    client.onAsked = (question) => {
      lower(LOWER);
      return forSession(question);
    };
    const { items } = await client.turn(threadId, `ask write ${folder} then touch ${folder}/a`);
    const call = items.find(({ tool }) => tool === "request_permissions");
    expect(call?.contentItems[0].text).toMatch(/^Cannot grant more: .*not in the allowed set/);
    expect(client.asked).toHaveLength(1);
    expect(existsSync(`${folder}/a`)).toBe(false);
  });

  it("that is lowered ends what was granted for the session", async () => {
    const { client, threadId, folder, lower } = await asking(() => MODES, { sandbox: "read-only" });
    await client.turn(threadId, `ask write ${folder}`);
    expect(await writes(client, threadId, `${folder}/a`)).toBe(true);
    lower(LOWER);
    expect(await writes(client, threadId, `${folder}/b`)).toBe(false);
  });
});

describe("a listener that asks nobody who they are", () => {
  it("lets no network be asked for", async () => {
    const lab = new AppLab();
    const client = await lab.client();
    client.onAsked = forSession;
    const threadId = await askingThread(client, lab.place);
    const { items } = await client.turn(threadId, "ask network");
    expect(lastWords(items)).toContain("Cannot open the network for a command");
    expect(client.asked).toEqual([]);
  });
});
