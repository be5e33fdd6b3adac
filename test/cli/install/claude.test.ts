import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { COMMAND, clientHome } from "./support/client-home.ts";

const CONFIG = ".claude.json";
const SETTINGS = ".claude/settings.json";

const python = {
  command: COMMAND,
  args: [
    ...["repl", "--sandbox", "workspace-write", "--oversized-output", "files"],
    ...["--language", "python"],
  ],
};

describe("writ install claude", () => {
  it("adds the server and the permission once, and keeps the rest (case 146)", async () => {
    const home = clientHome({
      [CONFIG]:
        '{\n\t"big": 12345678901234567890, "n": 1.0,\n\t"mcpServers": {\n\t\t"x": {"command": "x"}\n\t}\n}\n',
      [SETTINGS]:
        '{\r\n    "permissions": { "deny": [], "allow": ["Bash(ls)"] },\r\n    "z": "\\u00e9"\r\n}',
    });
    const { status, out } = await home.install("claude", "--language", "python");
    expect(status).toBe(0);
    expect(out).toContain(CONFIG);
    expect(out).toContain(SETTINGS);
    const inner = JSON.stringify(python, null, "\t").replaceAll("\n", "\n\t\t");
    expect(home.read(CONFIG)).toBe(
      `{\n\t"big": 12345678901234567890, "n": 1.0,\n\t"mcpServers": {\n\t\t"x": {"command": "x"},\n\t\t"python": ${inner}\n\t}\n}\n`,
    );
    expect(home.read(SETTINGS)).toBe(
      '{\r\n    "permissions": { "deny": [], "allow": ["Bash(ls)", "mcp__python__*"] },\r\n    "z": "\\u00e9"\r\n}',
    );
    const second = await home.install("claude", "--language", "python");
    expect(second.out.match(/^Nothing to change in /gm)).toHaveLength(2);
  });

  it("makes the files that are missing, for this user alone", async () => {
    const home = clientHome({});
    await home.install("claude", "--language", "python");
    expect(home.files()).toEqual([CONFIG, SETTINGS]);
    expect(JSON.parse(home.read(CONFIG))).toEqual({ mcpServers: { python } });
    expect(JSON.parse(home.read(SETTINGS))).toEqual({ permissions: { allow: ["mcp__python__*"] } });
    for (const name of home.files()) {
      expect(fs.statSync(path.join(home.folder, name)).mode & 0o777).toBe(0o600);
    }
  });

  it.each([
    ["nothing", "{}\n", "{}\n"],
    ["one line", '{"a":{"b":[1,2]}}', '{"permissions":{"allow":["x"]}}'],
    [
      "many lines",
      '{\n  "a": 1\n}\n',
      '{\n    "permissions": {\n        "allow": [\n            "x"\n        ]\n    }\n}\n',
    ],
    [
      "carriage returns",
      '{\r\n  "mcpServers": {\r\n    "x": {}\r\n  }\r\n}\r\n',
      '{\r\n  "permissions": {"deny": []}\r\n}',
    ],
    [
      "entries around it",
      '{\n "mcpServers": {"x": {"command": "y"}},\n "z": []\n}',
      '{\n "permissions": {\n  "allow": ["a",\n   "b"]\n }\n}',
    ],
  ])("takes out exactly what it put in: %s", async (_, config, settings) => {
    const home = clientHome({ [CONFIG]: config, [SETTINGS]: settings });
    await home.install("claude");
    expect(JSON.parse(home.read(CONFIG)).mcpServers.python).toEqual(python);
    expect(JSON.parse(home.read(SETTINGS)).permissions.allow).toContain("mcp__r__*");
    expect((await home.install("claude", "--remove")).status).toBe(0);
    expect({ config: home.read(CONFIG), settings: home.read(SETTINGS) }).toEqual({
      config,
      settings,
    });
  });

  it("replaces an entry of its own and keeps the other keys of it", async () => {
    const old = { command: "/old/bin/writ", type: "stdio", args: ["repl"], env: { A: "b" } };
    const home = clientHome({ [CONFIG]: JSON.stringify({ mcpServers: { python: old } }, null, 2) });
    await home.install("claude", "--language", "python");
    expect(JSON.parse(home.read(CONFIG)).mcpServers.python).toEqual({ ...old, ...python });
  });

  it.each([
    ["malformed JSON", "{,}", 2],
    ["an empty file", "", 2],
    ["a comment", '{ // "a": 1\n}', 2],
    ["a list", "[]", 2],
    ["servers that are no object", '{"mcpServers": []}', 1],
    ["a server of somebody else", '{"mcpServers": {"python": {"command": "x"}}}', 1],
    ["a server that is no object", '{"mcpServers": {"python": 1}}', 1],
  ])("refuses %s and changes neither file", async (_, config, status) => {
    const home = clientHome({ [CONFIG]: config, [SETTINGS]: "{}" });
    const run = await home.install("claude", "--language", "python");
    expect(run).toMatchObject({ status, out: "" });
    expect(run.err).toMatch(/^writ: Cannot /);
    expect([home.read(CONFIG), home.read(SETTINGS)]).toEqual([config, "{}"]);
  });

  it("writes neither file when the second is refused", async () => {
    const home = clientHome({ [CONFIG]: "{}", [SETTINGS]: '{"permissions": {"allow": 1}}' });
    expect((await home.install("claude")).status).toBe(1);
    expect(home.read(CONFIG)).toBe("{}");
  });

  it("changes the member that counts when a name is there twice", async () => {
    const home = clientHome({ [CONFIG]: '{"mcpServers":{"x":1},"mcpServers":{"y":2}}' });
    await home.install("claude", "--language", "python");
    expect(JSON.parse(home.read(CONFIG))).toEqual({ mcpServers: { y: 2, python } });
    expect(home.read(CONFIG)).toContain('"mcpServers":{"x":1}');
  });

  it("goes where CLAUDE_CONFIG_DIR says", async () => {
    const home = clientHome({ "c/x": "" }, (folder) => ({
      CLAUDE_CONFIG_DIR: path.join(folder, "c"),
    }));
    await home.install("claude", "--language", "r");
    expect(home.files()).toEqual(["c/.claude.json", "c/settings.json", "c/x"]);
  });

  it("takes many megabytes of history in its stride", async () => {
    const history = Array.from({ length: 50_000 }, (_, index) => `line ${index} ${"x".repeat(60)}`);
    const text = `${JSON.stringify({ history, mcpServers: {}, z: 1 }, null, 2)}\n`;
    const home = clientHome({ [CONFIG]: text });
    const { out } = await home.install("claude", "--language", "r", "--dry-run");
    expect(out.length).toBeLessThan(2000);
    expect((await home.install("claude", "--language", "r")).status).toBe(0);
    expect(JSON.parse(home.read(CONFIG))).toMatchObject({ history, z: 1 });
  });
});
