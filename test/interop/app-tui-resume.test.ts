import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { AppHost } from "./support/app-host.ts";
import { CodexTui } from "./support/app-tui.ts";

describe("threads that the TUI of the real Codex comes back to, over a unix socket", () => {
  const host = new AppHost();
  const { home, workspace, outside } = host.place;
  const isThere = (folder: string, name: string) => existsSync(path.join(folder, name));
  const address = `unix://${path.join(home, "app.sock")}`;
  const open = async (...args: readonly string[]): Promise<CodexTui> => {
    const tui = new CodexTui(host.place, address, args);
    onTestFinished(() => tui.close());
    return tui;
  };

  beforeAll(async () => {
    expect(await host.listen(address)).toBe(address);
  });

  it("show their history and go on under the policy they had, on a server that was started again", async () => {
    const first = await (await open()).ready();
    await first.say("touch one.txt", "Ran touch one.txt");
    await first.choosePermissions("Read Only");
    await first.say("touch two.txt", "cannot touch 'two.txt': Read-only file system");
    expect(await first.quit()).toBe(0);
    await host.stop();
    // What threads begin with from now on is no matter of this one.
    writeFileSync(path.join(home, ".writ/config.toml"), 'sandbox_mode = "danger-full-access"\n');
    await host.listen(address);
    const again = await (await open("resume", "--last")).ready();
    const screen = await again.terminal.shows("cannot touch 'two.txt': Read-only file system");
    expect(screen).toContain("Ran touch one.txt");
    await again.say("touch three.txt", "cannot touch 'three.txt': Read-only file system");
    await again.say("!touch four.txt", "cannot touch 'four.txt': Read-only file system");
    expect(
      ["one", "two", "three", "four"].map((name) => isThere(workspace, `${name}.txt`)),
    ).toEqual([...[true, false, false, false]]);
    expect(await again.quit()).toBe(0);
  });

  it("are each in the list to choose from, and the one that is chosen goes on", async () => {
    const tui = await (await open()).ready();
    await tui.say("touch ../outside/five.txt", "cannot touch '../outside/five.txt'");
    expect(await tui.quit()).toBe(0);
    const again = await open("resume");
    await again.terminal.shows(/›.*touch \.\.\/outside\/five\.txt\n.*touch one\.txt/);
    again.terminal.press("Enter");
    await again.ready();
    await again.terminal.shows("cannot touch '../outside/five.txt'");
    await again.say("touch six.txt", "Ran touch six.txt");
    expect(isThere(workspace, "six.txt")).toBe(true);
    expect(isThere(outside, "five.txt")).toBe(false);
  });
});
