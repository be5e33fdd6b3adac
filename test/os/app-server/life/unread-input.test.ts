/** What is typed into a command that does not read it. */
import { describe, expect, it } from "vitest";
import { USERS } from "../../support/sandbox-user.ts";
import { askingThread, commandOf, ended, say } from "../support/asking.ts";
import { caseApp } from "../support/case-app.ts";

describe.each(USERS)("input that nobody reads (%s)", (user) => {
  const app = caseApp({ user });
  const MUCH = "y".repeat(500_000);

  it("holds up neither the server nor its turn, and all of it is there for who reads late", async () => {
    const { lab, place } = app();
    const client = await lab.client();
    const threadId = await askingThread(client, place);
    const late = `stty raw -echo; sleep 2; head -c ${MUCH.length} | wc -c; sleep 1000`;
    const { items } = await client.turn(threadId, `background ${late}`);
    const session_id = Number(commandOf(items).processId);
    const write = (members: object) =>
      say(client, threadId, `call write_stdin ${JSON.stringify({ session_id, ...members })}`);
    const typing = await write({ chars: MUCH, yield_time_ms: 10 });
    expect((await client.call("thread/loaded/list", {})).error).toBeUndefined();
    expect((await ended(client, typing)).status).toBe("completed");
    let printed = "";
    while (!printed.includes(String(MUCH.length))) {
      const looking = await write({ yield_time_ms: 250 });
      const { items: seen } = await ended(client, looking);
      printed += JSON.stringify(seen);
    }
  });

  it("does not keep a turn from being stopped", async () => {
    const { lab, place } = app();
    const client = await lab.client();
    const threadId = await askingThread(client, place);
    const { items } = await client.turn(threadId, "background stty raw -echo; sleep 1000");
    const session_id = Number(commandOf(items).processId);
    const input = JSON.stringify({ session_id, chars: MUCH, yield_time_ms: 30_000 });
    const turnId = await say(client, threadId, `call write_stdin ${input}`);
    await client.ok("turn/interrupt", { threadId, turnId });
    expect((await ended(client, turnId)).status).toBe("interrupted");
  });
});
