import { existsSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { AppClient } from "../os/app-server/support/app-client.ts";
import { AppHost } from "./support/app-host.ts";
import { otherClient } from "./support/app-other-client.ts";
import { CodexTui } from "./support/app-tui.ts";

/** What Codex says of a policy with restricted reads. */
const UNREADABLE = "no longer supported";

describe("the TUI of the real Codex beside a thread whose policy it cannot read", () => {
  const host = new AppHost();
  const { workspace, outside } = host.place;
  const isThere = (name: string) => existsSync(path.join(workspace, name));
  const restricted = {
    type: "restricted",
    includePlatformDefaults: true,
    readableRoots: [workspace],
  };
  let url: string;
  let client: AppClient;
  let tui: CodexTui;
  let threadId: string;

  beforeAll(async () => {
    url = await host.listen();
    const other = await otherClient(url);
    client = other.client;
    tui = await new CodexTui(host.place, url).ready();
    return () => {
      tui.close();
      other.end();
    };
  });

  it("goes on while that thread starts, works and changes its policy", async () => {
    await tui.say("touch before.txt", "Ran touch before.txt");
    const { thread } = await client.ok("thread/start", {
      cwd: workspace,
      sandboxPolicy: { type: "readOnly", access: restricted },
    });
    threadId = thread.id;
    const { items } = await client.turn(threadId, `cat ${outside}/x ${path.dirname(outside)}`);
    expect(items[1]).toMatchObject({ type: "commandExecution", exitCode: 1 });
    await tui.say("touch while.txt", "Ran touch while.txt");
    const sandboxPolicy = { type: "workspaceWrite", readOnlyAccess: restricted };
    await client.ok("thread/settings/update", { threadId, sandboxPolicy });
    await client.turn(threadId, "touch theirs.txt");
    await tui.say("touch after.txt", "Ran touch after.txt");
    expect(["while.txt", "theirs.txt", "after.txt"].map(isThere)).toEqual([true, true, true]);
  });

  it("goes on when the user chooses that thread, and is told why not", async () => {
    await tui.send("/resume");
    await tui.terminal.shows("Resume a previous session");
    await tui.terminal.shows("touch before.txt");
    await tui.terminal.shows(`cat ${outside}`);
    tui.terminal.type("cat");
    await tui.terminal.hides("touch before.txt");
    tui.terminal.press("Enter");
    await tui.terminal.shows(UNREADABLE);
    await tui.say("touch still.txt", "Ran touch still.txt");
    expect(isThere("still.txt")).toBe(true);
  });

  it("ends with a sentence when it is started for that thread, which goes on without it", async () => {
    const late = new CodexTui(host.place, url, ["resume", threadId]);
    onTestFinished(() => late.close());
    expect(await late.terminal.ended()).toBe(1);
    expect(late.terminal.screen).toContain(UNREADABLE);
    const { turn } = await client.turn(threadId, "touch theirs-after.txt");
    expect(turn.status).toBe("completed");
    expect(isThere("theirs-after.txt")).toBe(true);
  });
});
