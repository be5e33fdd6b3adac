import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { AppHost } from "./support/app-host.ts";
import { CodexTui } from "./support/app-tui.ts";
import { type WireMessage, type WireTap, wireTap } from "./support/wire-tap.ts";

describe("the TUI of the real Codex on an app-server of ours", () => {
  const host = new AppHost();
  const { workspace, outside } = host.place;
  const isThere = (folder: string, name: string) => existsSync(path.join(folder, name));
  let tap: WireTap;
  let tui: CodexTui;

  beforeAll(async () => {
    const ends: (() => void)[] = [];
    tap = await wireTap(await host.listen(), undefined, (end) => ends.push(end));
    tui = await new CodexTui(host.place, tap.url).ready();
    return () => {
      tui.close();
      for (const end of ends) end();
    };
  });

  it("runs a command whose effect is on the host", async () => {
    const screen = await tui.say("echo hello > made.txt", "It ended with exit code 0.");
    expect(screen).toContain("Ran echo hello > made.txt");
    expect(readFileSync(path.join(workspace, "made.txt"), "utf8")).toBe("hello\n");
  });

  it("shows a file that the model wrote as the change that it is", async () => {
    await tui.say("write added.txt hello", /Added added\.txt \(\+1 -0\)/);
    expect(isThere(workspace, "added.txt")).toBe(true);
  });

  it("shows what the sandbox denied, and by which rule", async () => {
    const screen = await tui.say("echo hello > ../outside/no.txt", "Probably denied: to write");
    expect(screen).toContain("../outside/no.txt: Read-only file system");
    expect(screen).toContain('(rule: ":root" = "read")');
    expect(isThere(outside, "no.txt")).toBe(false);
  });

  it("refuses nothing that matters to it, and none of the 29 settings of the thread that finds a title", async () => {
    await until(() => startsOf(tap).some(isTitle) && hasAnswers(tap));
    const refused = tap.fromServer.flatMap(({ id, error }) =>
      error === undefined ? [] : [tap.fromClient.find((one) => one.id === id)?.method],
    );
    // Before the first message there are no turns, as on Codex's own server; plugins are not ours.
    const known = ["thread/turns/list", "plugin/list"];
    expect(refused.filter((method = "") => !known.includes(method))).toEqual([]);
    const title = startsOf(tap).find(isTitle)?.params;
    expect(title).toMatchObject({ ephemeral: true, sandbox: "read-only", environments: [] });
    expect(Object.keys(Object(title?.config))).toHaveLength(29);
  });

  it("runs outside the sandbox what the user said yes to, once", async () => {
    await tui.send("escalate touch ../outside/yes.txt");
    await tui.terminal.shows("Would you like to run the following command?");
    expect(isThere(outside, "yes.txt")).toBe(false);
    await tui.answer("y");
    await tui.rests(/Ran touch \.\.\/outside\/yes\.txt/);
    expect(isThere(outside, "yes.txt")).toBe(true);
    await tui.say("touch ../outside/after.txt", "'../outside/after.txt': Read-only file system");
    expect(isThere(outside, "after.txt")).toBe(false);
  });

  it("goes on without a command that the user declined", async () => {
    await tui.send("escalate touch ../outside/declined.txt");
    await tui.terminal.shows("Would you like to run the following command?");
    await tui.answer("d");
    const screen = await tui.rests("Rejected by the user.");
    // The thread that finds a title has nowhere to run it, and asks nobody.
    expect(screen).not.toContain("cannot request tools");
    expect(isThere(outside, "declined.txt")).toBe(false);
  });

  it("stops the turn whose question the user left with Esc", async () => {
    await tui.send("escalate touch ../outside/left.txt");
    await tui.terminal.shows("Would you like to run the following command?");
    await tui.answer("Escape");
    const screen = await tui.rests(
      /You canceled the request to run touch \.\.\/outside\/left\.txt/,
    );
    expect(screen).toContain("Conversation interrupted");
    expect(isThere(outside, "left.txt")).toBe(false);
  });

  it("N21 runs the user's own `!` commands under the policy of the thread", async () => {
    const line = "!touch own.txt; touch ../outside/own.txt";
    await tui.say(line, "cannot touch '../outside/own.txt': Read-only file system");
    expect([workspace, outside].map((folder) => isThere(folder, "own.txt"))).toEqual([true, false]);
  });

  it("stops a command with Esc", async () => {
    await tui.send("touch begun.txt; sleep 1000; touch ended.txt");
    await until(() => isThere(workspace, "begun.txt"));
    await tui.terminal.shows("esc to interrupt");
    tui.terminal.press("Escape");
    await tui.rests(/Exited \(status 137\) touch begun\.txt/);
    expect(isThere(workspace, "ended.txt")).toBe(false);
    await tui.say("touch later.txt", "Ran touch later.txt");
    expect(isThere(workspace, "later.txt")).toBe(true);
  });

  it("changes what the next turn may do with /permissions, both ways", async () => {
    await tui.choosePermissions("Read Only");
    await tui.say("touch narrow.txt", "cannot touch 'narrow.txt': Read-only file system");
    expect(isThere(workspace, "narrow.txt")).toBe(false);
    await tui.choosePermissions("Ask for approval");
    await tui.say("touch wide.txt", "Ran touch wide.txt");
    expect(isThere(workspace, "wide.txt")).toBe(true);
  });

  it("leaves the thread behind when the user quits", async () => {
    expect(await tui.quit()).toBe(0);
    await expect.poll(() => tap.fromClient.at(-1)?.method).toBe("thread/unsubscribe");
    expect(tui.terminal.screen).toContain("To reconnect, run:");
  });
});

function startsOf({ fromClient }: WireTap): WireMessage[] {
  return fromClient.filter(({ method }) => method === "thread/start");
}

function isTitle({ params }: WireMessage): boolean {
  return params?.threadSource === "thread_title";
}

function hasAnswers({ fromClient, fromServer }: WireTap): boolean {
  const asked = fromClient.filter(({ id, method }) => id !== undefined && method !== undefined);
  return asked.every((one) => fromServer.some(({ id, method }) => id === one.id && !method));
}

async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { timeout: 30_000, interval: 50 }).toBe(true);
}
