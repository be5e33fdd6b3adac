/** The server is killed while somebody is asked: what was asked for was never begun, and is told so. */
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { talk } from "../chat/support/talk.ts";
import { USERS } from "../support/sandbox-user.ts";
import { AppLab } from "./support/app-lab.ts";
import { ACCEPT, askingThread, say } from "./support/asking.ts";

const WHY = "Not approved: nobody had answered the question when the turn ended";

async function struck(lab: AppLab, line: string, before: () => Promise<void> = async () => {}) {
  const client = await lab.client();
  const threadId = await askingThread(client, lab.place);
  await client.turn(threadId, "echo before");
  await say(client, threadId, line);
  await client.question();
  await before();
  await lab.stop("SIGKILL");
  const later = await lab.client();
  const { thread } = await later.ok("thread/resume", { threadId });
  const turn = thread.turns.at(-1);
  return { client: later, threadId, status: turn.status, item: turn.items.at(-1) };
}

describe.each(USERS)("a kill -9 of a server of %s while a question is open", (user) => {
  it("leaves a command that says it was not run, there and in chat", async () => {
    const lab = new AppLab({ user });
    const made = path.join(lab.place.outside, "made");
    const { client, threadId, status, item } = await struck(lab, `escalate touch ${made}`);
    expect(status).toBe("interrupted");
    expect(item).toMatchObject({ type: "commandExecution", status: "failed", exitCode: null });
    expect(item.writ).toEqual({ receiptId: null, denial: WHY });
    expect(existsSync(made)).toBe(false);
    client.close();
    await lab.stop();
    const { out } = await talk(lab.place, [`/resume ${threadId}`]);
    expect(out).toContain(`$ touch ${made}\n- It was not run.\n- ${WHY}.\n`);
  });

  it("leaves a request for permissions that says that nothing was granted", async () => {
    const lab = new AppLab({ user });
    const { item } = await struck(lab, `ask write ${lab.place.outside}`);
    expect(item).toMatchObject({ type: "dynamicToolCall", status: "failed" });
    expect(JSON.stringify(item)).toContain(`Nothing was granted. ${WHY}`);
  });

  it("says nothing of that of a command that was approved and ran", async () => {
    const lab = new AppLab({ user });
    const client = await lab.client();
    const threadId = await askingThread(client, lab.place);
    await say(client, threadId, "escalate echo begun; sleep 1000");
    client.send({ id: (await client.question()).id, ...ACCEPT });
    await client.note("item/commandExecution/outputDelta");
    await lab.stop("SIGKILL");
    const later = await lab.client();
    const { thread } = await later.ok("thread/resume", { threadId });
    expect(thread.turns.at(-1).items.at(-1)).toMatchObject({
      ...{ status: "failed", writ: { receiptId: null, denial: null } },
    });
  });
});
