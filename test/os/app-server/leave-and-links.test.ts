/** A yes to leave the sandbox is for a place: a link that the sandbox can turn does not move it. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ACCEPT, askingThread, commandOf, ended, say } from "./support/asking.ts";
import { caseApp } from "./support/case-app.ts";

const app = caseApp({});
const FOR_SESSION = { result: { decision: "acceptForSession" } };
let threads = 0;

/** A thread, two folders outside of its workspace, and a name in there that leads to one of them. */
async function open() {
  const { lab, place } = app();
  const client = await lab.client();
  threads += 1;
  const [one, other] = ["one", "other"].map((name) => {
    const folder = path.join(place.outside, `${name}-${threads}`);
    mkdirSync(folder);
    return folder;
  });
  const link = path.join(place.workspace, `link-${threads}`);
  const turnTo = (folder = "") => {
    rmSync(link, { force: true });
    symlinkSync(folder, link);
  };
  turnTo(one);
  place.give();
  const threadId = await askingThread(client, place);
  return { client, threadId, one: String(one), other: String(other), link, turnTo };
}

const changeIn = (items: readonly { readonly type: string }[]) =>
  items.find(({ type }) => type === "fileChange");

const escalated = (workdir: string) =>
  `call exec_command ${JSON.stringify({ cmd: "touch made", workdir, sandbox_permissions: "require_escalated" })}`;

describe("a change of files outside the sandbox", () => {
  it("is not asked about under a name that leads through a link, and says the place", async () => {
    const { client, threadId, link, one } = await open();
    client.onAsked = () => FOR_SESSION;
    const { items } = await client.turn(threadId, `write ${link}/file text`);
    expect(client.asked).toEqual([]);
    expect(changeIn(items)).toMatchObject({
      status: "failed",
      writ: { denial: expect.stringContaining(`leads from there to "${one}/file"`) },
    });
    expect(readdirSync(one)).toEqual([]);
  });

  it("is asked about where the folder really is that a client named by a link", async () => {
    const { client, link, one } = await open();
    const { thread } = await client.ok("thread/start", { cwd: link, sandbox: "read-only" });
    client.onAsked = () => ACCEPT;
    const { items } = await client.turn(thread.id, "write file text");
    expect(client.asked.map(({ params }) => params?.reason)).toEqual([
      expect.stringContaining(`${one}/file`),
    ]);
    expect(changeIn(items)).toMatchObject({ status: "completed" });
    expect(readdirSync(one)).toEqual(["file"]);
  });

  it.each([
    ["written", "write FILE text"],
    [
      "removed",
      'call apply_patch {"input":"*** Begin Patch\\n*** Delete File: FILE\\n*** End Patch"}',
    ],
  ])("is not %s where its folder became a link while the question waited", async (what, line) => {
    const { client, threadId, one, other } = await open();
    const file = path.join(one, "file");
    if (what === "removed") {
      client.onAsked = () => ACCEPT;
      for (const folder of [one, other]) await client.turn(threadId, `write ${folder}/file same`);
      client.onAsked = () => undefined;
    }
    const asked = client.asked.length;
    const turnId = await say(client, threadId, line.replace("FILE", file));
    const { id } = await client.question(asked);
    renameSync(one, `${one}-moved`);
    symlinkSync(other, one);
    client.send({ id, ...ACCEPT });
    expect(changeIn((await ended(client, turnId)).items)).toMatchObject({ status: "failed" });
    expect(readdirSync(other)).toEqual(what === "removed" ? ["file"] : []);
  });
});

describe("a command outside the sandbox", () => {
  it("is asked about in the folder itself, and again when the name leads to another", async () => {
    const { client, threadId, link, one, other, turnTo } = await open();
    client.onAsked = () => FOR_SESSION;
    for (const folder of [one, one, other]) {
      turnTo(folder);
      const { items } = await client.turn(threadId, escalated(link));
      expect(commandOf(items)).toMatchObject({ cwd: folder, exitCode: 0 });
    }
    expect(client.asked.map(({ params }) => params?.cwd)).toEqual([one, other]);
  });

  it("does not run where its folder became a link while the question waited", async () => {
    const { client, threadId, one, other } = await open();
    const turnId = await say(client, threadId, escalated(one));
    const { id } = await client.question();
    renameSync(one, `${one}-moved`);
    symlinkSync(other, one);
    client.send({ id, ...ACCEPT });
    expect(commandOf((await ended(client, turnId)).items)).toMatchObject({
      ...{ status: "failed", exitCode: null },
      writ: { denial: expect.stringContaining(`leads from there to "${other}"`) },
    });
    expect(existsSync(path.join(other, "made"))).toBe(false);
  });
});
