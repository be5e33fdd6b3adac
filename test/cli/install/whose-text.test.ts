import { describe, expect, it } from "vitest";
import { clientHome } from "./support/client-home.ts";

const CONFIG = ".claude.json";
const SETTINGS = ".claude/settings.json";

describe("writ install", () => {
  it("keeps a byte order mark that is text, and one that is none", async () => {
    const inner = '{"history":"a\uFEFFb"}';
    for (const text of [inner, `\uFEFF${inner}`]) {
      const home = clientHome({ [CONFIG]: text });
      expect((await home.install("claude", "--language", "python")).status).toBe(0);
      expect(home.read(CONFIG)).toContain("a\uFEFFb");
      expect(home.read(CONFIG).startsWith("\uFEFF")).toBe(text.startsWith("\uFEFF"));
      await home.install("claude", "--remove");
      expect(home.read(CONFIG)).toBe(text);
    }
  });

  it("takes no permission away from a server that is somebody else's", async () => {
    const config = '{"mcpServers":{"python":{"command":"/usr/bin/other"}}}';
    const settings = '{"permissions":{"allow":["mcp__python__*","mcp__r__*"]}}';
    const home = clientHome({ [CONFIG]: config, [SETTINGS]: settings });
    expect((await home.install("claude", "--remove")).status).toBe(0);
    expect(home.read(CONFIG)).toBe(config);
    expect(JSON.parse(home.read(SETTINGS))).toEqual({
      permissions: { allow: ["mcp__python__*"] },
    });
  });
});
