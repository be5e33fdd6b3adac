import { describe, expect, it } from "vitest";
import { loadFrom as load } from "./support/load-from.ts";

async function servers(text: string) {
  const { mcpServers } = await load({ "home/config.toml": text });
  return Object.fromEntries(mcpServers);
}

describe("readMcpServers", () => {
  it("has no servers where the user's file names none", async () => {
    expect(await servers("")).toEqual({});
  });

  it("confines a server that says only how it is started", async () => {
    expect(await servers('[mcp_servers.files]\ncommand = "files"')).toEqual({
      files: {
        kind: "stdio",
        command: "files",
        args: [],
        env: {},
        sandbox: "confine",
        enabled: true,
        startupTimeoutMs: 30_000,
        toolTimeoutMs: 60_000,
      },
    });
  });

  it("reads every key of a program", async () => {
    const text = `[mcp_servers.repl]
      command = "/opt/repl"
      args = ["--sandbox", ""]
      env = { LEVEL = "1", EMPTY = "" }
      cwd = "/srv"
      sandbox = "inherit"
      startup_timeout_ms = 1000
      tool_timeout_ms = 2147483647
      enabled = false`;
    expect(await servers(text)).toEqual({
      repl: {
        kind: "stdio",
        command: "/opt/repl",
        args: ["--sandbox", ""],
        env: { LEVEL: "1", EMPTY: "" },
        cwd: "/srv",
        sandbox: "inherit",
        enabled: false,
        startupTimeoutMs: 1000,
        toolTimeoutMs: 2_147_483_647,
      },
    });
  });

  it("reads every key of a URL", async () => {
    const text = `[mcp_servers.remote]
      url = "https://mcp.example.com/mcp"
      bearer_token_env_var = "REMOTE_TOKEN"
      sandbox = "inherit"`;
    expect(await servers(text)).toEqual({
      remote: {
        kind: "http",
        url: "https://mcp.example.com/mcp",
        bearerTokenEnvVar: "REMOTE_TOKEN",
        sandbox: "inherit",
        enabled: true,
        startupTimeoutMs: 30_000,
        toolTimeoutMs: 60_000,
      },
    });
  });

  it.each([
    ["both a program and a URL", 'command = "a"\nurl = "https://a"', /both there/],
    ["neither", "enabled = false", /neither/],
    ["one time in two units", 'command = "a"\ntool_timeout_ms = 1\ntool_timeout_sec = 1', /both/],
    [
      "seconds that are no number",
      'command = "a"\nstartup_timeout_sec = "1"',
      /startup_timeout_sec/,
    ],
    ["seconds that never end", 'command = "a"\ntool_timeout_sec = inf', /tool_timeout_sec/],
    ["seconds of nothing", 'command = "a"\ntool_timeout_sec = 0.0', /tool_timeout_sec/],
    ["enabled tools that are no list", 'command = "a"\nenabled_tools = "x"', /enabled_tools/],
    ["disabled tools that are no names", 'command = "a"\ndisabled_tools = [1]', /disabled_tools/],
    ["a place that is not here", 'command = "a"\nexperimental_environment = "far"', /"local"/],
    ["a way to ask that is none", 'command = "a"\ndefault_tools_approval_mode = "no"', /"prompt"/],
    [
      "a rule on a tool it does not know",
      'command = "a"\ntools = { rm = { approval = "prompt" } }',
      /unknown key "approval"/,
    ],
    ["a key of a URL beside a program", 'command = "a"\nbearer_token_env_var = "T"', /bearer/],
    ["a key of a program beside a URL", 'url = "https://a"\nargs = []', /"args" beside "url"/],
    ["an empty program", 'command = ""', /command/],
    ["a program that is no text", "command = 1", /command/],
    ["arguments that are no texts", 'command = "a"\nargs = [1]', /args/],
    ["arguments with NUL", 'command = "a"\nargs = ["\\u0000"]', /args/],
    ["a variable that is no text", 'command = "a"\nenv = { A = 1 }', /env\.A/],
    ["a variable with no name", 'command = "a"\nenv = { "A=B" = "1" }', /no name of a variable/],
    ["a relative folder", 'command = "a"\ncwd = "srv"', /absolute path/],
    ["a sandbox that is none", 'command = "a"\nsandbox = "none"', /"confine" or "inherit"/],
    ["an empty sandbox", 'command = "a"\nsandbox = ""', /"confine" or "inherit"/],
    ["a time of nothing", 'command = "a"\ntool_timeout_ms = 0', /tool_timeout_ms/],
    ["a time no timer holds", 'command = "a"\nstartup_timeout_ms = 2147483648', /startup/],
    ["a switch that is no switch", 'command = "a"\nenabled = "no"', /enabled/],
    ["a URL of a file", 'url = "file:///a"\nsandbox = "inherit"', /https:\/\//],
    ["a URL with a password", 'url = "https://u:p@a"\nsandbox = "inherit"', /plain URL/],
    ["a URL without a word on trust", 'url = "https://a"', /expected sandbox = "inherit"/],
    ["a URL to confine", 'url = "https://a"\nsandbox = "confine"', /expected sandbox = "inherit"/],
    [
      "a token in the clear",
      'url = "http://a.example.com"\nsandbox = "inherit"\nbearer_token_env_var = "T"',
      /in the clear/,
    ],
    [
      "an empty name of a token",
      'url = "https://a"\nsandbox = "inherit"\nbearer_token_env_var = ""',
      /bearer/,
    ],
  ])("refuses a server with %s", async (_, text, message) => {
    await expect(servers(`[mcp_servers.x]\n${text}`)).rejects.toThrow(message);
    await expect(servers(`[mcp_servers.x]\n${text}`)).rejects.toMatchObject({ code: "malformed" });
  });

  it("confines a server whose word on the sandbox is misspelt, and notes the key", async () => {
    const text = '[mcp_servers.x]\ncommand = "a"\nsandobx = "inherit"';
    const { mcpServers, unknownKeys } = await load({ "home/config.toml": text });
    expect(mcpServers.get("x")?.sandbox).toBe("confine");
    expect(unknownKeys.map(({ key }) => key)).toEqual(["mcp_servers.x.sandobx"]);
  });

  it("reads times in seconds, as Codex writes them", async () => {
    const text = '[mcp_servers.x]\ncommand = "a"\nstartup_timeout_sec = 20\ntool_timeout_sec = 1.5';
    expect(await servers(text)).toMatchObject({
      x: { startupTimeoutMs: 20_000, toolTimeoutMs: 1500 },
    });
  });

  it("keeps what takes tools away, an empty list included", async () => {
    const text = `[mcp_servers.x]
      command = "a"
      enabled_tools = []
      disabled_tools = ["rm"]
      default_tools_approval_mode = "prompt"
      tools = { ls = { approval_mode = "approve" }, cat = {} }`;
    expect(await servers(text)).toMatchObject({
      x: {
        enabledTools: [],
        disabledTools: ["rm"],
        defaultToolApproval: "prompt",
        toolApprovals: new Map([
          ["ls", "approve"],
          ["cat", "auto"],
        ]),
      },
    });
  });

  it("lets a token travel on this machine without TLS", async () => {
    const text = `[mcp_servers.x]
      url = "http://127.0.0.1:8080/mcp"
      sandbox = "inherit"
      bearer_token_env_var = "T"`;
    await expect(servers(text)).resolves.toHaveProperty("x.bearerTokenEnvVar", "T");
  });

  it.each([
    ["servers that are no table", "mcp_servers = 1", /mcp_servers/],
    ["a server that is no table", "mcp_servers = { x = 1 }", /mcp_servers\.x/],
    ["a name that is none", '[mcp_servers."a b"]\ncommand = "a"', /is no name/],
  ])("refuses %s", async (_, text, message) => {
    await expect(servers(text)).rejects.toThrow(message);
  });

  it.each(['[mcp_servers.x]\ncommand = "a"', "[mcp_servers]"])(
    "refuses the servers of a project: %j",
    async (text) => {
      await expect(load({ "project/writ.toml": text })).rejects.toMatchObject({
        code: "widens",
        message: expect.stringContaining("a project must not start servers"),
      });
    },
  );
});
