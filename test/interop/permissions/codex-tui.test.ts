import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { AppHost } from "../support/app-host.ts";
import { CodexTui } from "../support/app-tui.ts";

describe("a request for more in the TUI of the real Codex", () => {
  const host = new AppHost();
  const { outside } = host.place;
  let tui: CodexTui;

  beforeAll(async () => {
    tui = await new CodexTui(host.place, await host.listen()).ready();
    return () => tui.close();
  });

  const isThere = (name: string) => existsSync(path.join(outside, name));

  /** Asks for a folder, and is at the question; a file is made there after the answer. */
  async function asked(folder: string): Promise<string> {
    mkdirSync(path.join(outside, folder));
    await tui.send(`ask write ../outside/${folder} then touch ../outside/${folder}/a`);
    return tui.terminal.shows(/Would you like to grant these permissions\?[\s\S]*esc to cancel/);
  }

  it("is shown with its reason, and opens for the turn what the user said yes to", async () => {
    const screen = await asked("turn");
    expect(screen).toContain("Reason: The user told me to ask for it.");
    expect(screen).toMatch(/Permission rule: write `.*\/outside\/turn`/);
    expect(isThere("turn/a")).toBe(false);
    await tui.answer("y");
    await tui.rests(/Ran touch \.\.\/outside\/turn\/a/);
    expect(isThere("turn/a")).toBe(true);
    await tui.say("touch ../outside/turn/b", "'../outside/turn/b': Read-only file system");
    expect(isThere("turn/b")).toBe(false);
  });

  it("opens for the session what the user said so of", async () => {
    await asked("session");
    await tui.answer("a");
    await tui.rests(/Ran touch \.\.\/outside\/session\/a/);
    await tui.say("touch ../outside/session/b", "Ran touch ../outside/session/b");
    expect([isThere("session/a"), isThere("session/b")]).toEqual([true, true]);
  });

  it.each([
    ["declined", "d"],
    ["to be reviewed, which nobody here does", "r"],
  ])("opens nothing where it was %s", async (_, key) => {
    await asked(`none-${key}`);
    await tui.answer(key);
    await tui.rests(`'../outside/none-${key}/a': Read-only file system`);
    expect(isThere(`none-${key}/a`)).toBe(false);
  });

  it("opens nothing where the user left it with Esc", async () => {
    await asked("left");
    await tui.answer("Escape");
    await tui.terminal.hides("esc to interrupt");
    await tui.say("touch ../outside/left/b", "'../outside/left/b': Read-only file system");
    expect([isThere("left/a"), isThere("left/b")]).toEqual([false, false]);
    expect(await tui.quit()).toBe(0);
  });
});
