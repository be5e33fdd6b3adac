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
    const late = `stty raw -echo; echo raw-$((1 + 1)); sleep 2; head -c ${MUCH.length} | wc -c; sleep 1000`;
    const { items } = await client.turn(threadId, `background ${late}`);
    const session_id = Number(commandOf(items).processId);
    const write = (members: object) =>
      say(client, threadId, `call write_stdin ${JSON.stringify({ session_id, ...members })}`);
    let printed = JSON.stringify(items);
    const untilPrinted = async (words: string) => {
      while (!printed.includes(words)) {
        const { items: seen } = await ended(client, await write({ yield_time_ms: 250 }));
        printed += JSON.stringify(seen);
      }
    };
    // Until then the terminal keeps 4096 characters of a line and drops the rest.
    await untilPrinted("raw-2");
    const typing = await write({ chars: MUCH, yield_time_ms: 10 });
    expect((await client.call("thread/loaded/list", {})).error).toBeUndefined();
    expect((await ended(client, typing)).status).toBe("completed");
    printed = "";
    await untilPrinted(String(MUCH.length));
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
