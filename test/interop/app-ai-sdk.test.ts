import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { AppHost } from "./support/app-host.ts";
import { askThrough, type Provider } from "./support/app-providers.ts";

const PROVIDERS: readonly Provider[] = [
  "ai-sdk-provider-codex-app-server",
  "ai-sdk-provider-codex-cli",
];

describe.each(PROVIDERS)("%s on an app-server of ours", (provider) => {
  const host = new AppHost();
  const { workspace, outside } = host.place;
  const isThere = (folder: string, name: string) => existsSync(path.join(folder, name));
  const ask = (sandbox: "read-only" | "workspace-write", line: string) =>
    askThrough(provider, { place: host.place, sandbox, line });

  it("streams a turn whose command wrote where the policy lets it", async () => {
    const { commands, text, finish } = await ask("workspace-write", "touch made.txt");
    expect(commands).toEqual([expect.stringContaining("touch made.txt")]);
    expect(text).toBe("It ended with exit code 0.");
    expect(finish).toBe("stop");
    expect(isThere(workspace, "made.txt")).toBe(true);
  });

  it.each(["read-only", "workspace-write"] as const)("tells what %s denied", async (sandbox) => {
    const { text, finish } = await ask(sandbox, "touch ../outside/no.txt");
    expect(text).toContain(`Probably denied: to write "${outside}/no.txt"`);
    expect(finish).toBe("stop");
    expect(isThere(outside, "no.txt")).toBe(false);
  });

  it("writes nothing in the workspace either when it is read-only", async () => {
    await ask("read-only", "touch not.txt");
    expect(isThere(workspace, "not.txt")).toBe(false);
  });
});
