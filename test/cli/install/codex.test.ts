import fs from "node:fs";
import path from "node:path";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { COMMAND, clientHome } from "./support/client-home.ts";

const FILE = ".codex/config.toml";

const MINE = `# my settings
model = "m"   # the good one

[mcp_servers.other]
command = "other" # keep
args = [
  "a", # first
]

[[projects]]
name = """
[mcp_servers.python]
"""

[features.code_mode]
# called directly
direct_only_tool_namespaces = [
  "mcp__other", # why
]
`;

const entry = (language: string) => `[mcp_servers.${language}]
command = "${COMMAND}"
args = ["repl", "--sandbox", "inherit", "--oversized-output", "files", "--language", "${language}"]
tool_timeout_sec = 1800
enabled = true
`;

const codex = (text: string) => clientHome({ [FILE]: text });

describe("writ install codex", () => {
  it("adds an entry and its namespace, and keeps every other line (case 144)", async () => {
    const home = codex(MINE);
    const { status, out, err } = await home.install("codex", "--language", "python");
    expect({ status, err }).toEqual({ status: 0, err: "" });
    expect(out).toBe(
      `Changed ${path.join(home.folder, FILE)}\nStart a new session of Codex to use python\n`,
    );
    const namespaces = MINE.replace(
      '"mcp__other", # why\n',
      '"mcp__other", # why\n  "mcp__python",\n',
    );
    expect(home.read(FILE)).toBe(`${namespaces}\n${entry("python")}`);
    expect(home.files()).toEqual([FILE]);
  });

  it("changes nothing the second time, and says so", async () => {
    const home = codex(MINE);
    await home.install("codex");
    const text = home.read(FILE);
    const { ino } = fs.statSync(path.join(home.folder, FILE));
    const { status, out } = await home.install("codex");
    expect({ status, out }).toEqual({
      status: 0,
      out: `Nothing to change in ${path.join(home.folder, FILE)}\n`,
    });
    expect(home.read(FILE)).toBe(text);
    expect(fs.statSync(path.join(home.folder, FILE)).ino).toBe(ino);
  });

  it("has an entry for every language that is found here", async () => {
    const home = codex("");
    await home.install("codex");
    const { mcp_servers } = parse(home.read(FILE));
    expect(Object.keys(mcp_servers as object).sort()).toEqual(["bash", "node", "python", "r"]);
  });

  it.each([
    ["all of it", MINE],
    ["an empty file", ""],
    ["a last line without an end", "a = 1\n[features]\nx = true"],
    ["carriage returns", MINE.replaceAll("\n", "\r\n")],
    [
      "strings that look like something else",
      'a = """x \\""" [ """\nb = \'\'\'\'\'[\'\'\'\'\'\nc = "\\\\" # "\nd = [\'"\', "]#"] # [\n',
    ],
    ["empty lines at the end", "a = 1\n\n\n"],
    ["a list in one line", 'features.code_mode.direct_only_tool_namespaces = ["x"] # y\n'],
    ["dots in a table", "[features]\ncode_mode.enabled = true\nz = 1\n"],
    [
      "a list without a last comma",
      '[features.code_mode]\ndirect_only_tool_namespaces = [\n\t"x" # y\n]\n',
    ],
  ])("takes out exactly what it put in: %s", async (_, text) => {
    const home = codex(text);
    await home.install("codex");
    expect(home.read(FILE)).not.toBe(text);
    expect((await home.install("codex", "--remove")).status).toBe(0);
    expect(home.read(FILE)).toBe(text);
    const { out } = await home.install("codex", "--remove");
    expect(out).toBe(`Nothing to change in ${path.join(home.folder, FILE)}\n`);
  });

  it("takes out one language and leaves the others", async () => {
    const home = codex(MINE);
    await home.install("codex", "--language", "bash");
    const text = home.read(FILE);
    await home.install("codex", "--language", "python");
    await home.install("codex", "--remove", "--language", "python");
    expect(home.read(FILE)).toBe(text);
  });

  it("keeps a byte order mark and carriage returns", async () => {
    const home = codex("\uFEFFa = 1\r\n");
    await home.install("codex", "--language", "r");
    const text = home.read(FILE);
    expect(text.startsWith("\uFEFFa = 1\r\n\r\n[mcp_servers.r]\r\n")).toBe(true);
    expect(text.replaceAll("\r\n", "")).not.toContain("\n");
  });

  it("takes the place of mcp-repl, and keeps the other keys of its entry", async () => {
    const home = codex(
      '[mcp_servers.r]\ncommand = "/opt/bin/mcp-repl" # old\nargs = ["--interpreter", "r"]\nstartup_timeout_sec = 9\nenabled_tools = ["repl_reset"]\ndisabled_tools = ["repl", "x"]\n\n[mcp_servers.r.env]\nA = "b"\n',
    );
    expect((await home.install("codex", "--language", "r")).status).toBe(0);
    expect(parse(home.read(FILE)).mcp_servers).toEqual({
      r: {
        command: COMMAND,
        args: ["repl", "--sandbox", "inherit", "--oversized-output", "files", "--language", "r"],
        startup_timeout_sec: 9,
        tool_timeout_sec: 1800,
        enabled: true,
        enabled_tools: ["repl"],
        disabled_tools: ["x"],
        env: { A: "b" },
      },
    });
    expect(home.read(FILE)).toContain(`command = "${COMMAND}" # old\n`);
  });

  it("keeps code mode as it was when that is a switch", async () => {
    const home = codex("[features]\ncode_mode = false # not yet\nz = 1\n");
    await home.install("codex", "--language", "r");
    expect(home.read(FILE)).toContain(
      '[features]\ncode_mode.enabled = false # not yet\ncode_mode.direct_only_tool_namespaces = ["mcp__r"]\nz = 1\n',
    );
    await home.install("codex", "--remove");
    expect(parse(home.read(FILE))).toEqual({ features: { code_mode: { enabled: false }, z: 1 } });
  });

  it.each([
    ["servers in braces", 'mcp_servers = { x = { command = "a" } }\n', "mcp_servers.python"],
    ["its entry in braces", '[mcp_servers]\npython = { command = "writ" }\n', "mcp_servers.python"],
    ["code mode in braces", "[features]\ncode_mode = { enabled = true }\n", "features.code_mode"],
    ["features in braces", "features = { x = true }\n", "features.code_mode"],
    [
      "a server of somebody else",
      '[mcp_servers.python]\ncommand = "/opt/python-mcp"\n',
      "/opt/python-mcp",
    ],
    ["a server at a URL", '[mcp_servers.python]\nurl = "http://[::1]/"\n', "is no command"],
    ["servers that are no table", "mcp_servers = 1\n", "expected a table"],
    ["servers that are a list", "[[mcp_servers]]\nx = 1\n", "expected a table"],
    [
      "namespaces that are no list",
      '[features.code_mode]\ndirect_only_tool_namespaces = "x"\n',
      "expected a list",
    ],
  ])("refuses %s and changes nothing", async (_, text, said) => {
    const home = codex(text);
    const { status, err } = await home.install("codex", "--language", "python");
    expect(status).toBe(1);
    expect(err).toMatch(/^writ: Cannot .*\n$/);
    expect(err).toContain(said);
    expect(home.read(FILE)).toBe(text);
    expect(home.files()).toEqual([FILE]);
  });

  it("refuses a file that is not TOML", async () => {
    const home = codex("a = = 1\n");
    const { status, err } = await home.install("codex");
    expect(status).toBe(2);
    expect(err).toContain("config.toml:1:");
    expect(home.read(FILE)).toBe("a = = 1\n");
  });

  it("refuses to remove an entry that somebody has added to", async () => {
    const home = codex("");
    await home.install("codex", "--language", "r");
    const text = `${home.read(FILE)}\n[mcp_servers.r.env]\nA = "b"\n`;
    fs.writeFileSync(path.join(home.folder, FILE), text);
    const { status, err } = await home.install("codex", "--remove");
    expect(status).toBe(1);
    expect(err).toContain('has "env", which install did not write');
    expect(home.read(FILE)).toBe(text);
  });

  it("leaves a server of somebody else where it is when it removes", async () => {
    const text =
      '[mcp_servers.python]\ncommand = "mcp-repl"\n\n[features.code_mode]\ndirect_only_tool_namespaces = ["mcp__python"]\n';
    const home = codex(text);
    expect((await home.install("codex", "--remove")).status).toBe(0);
    expect(home.read(FILE)).toBe(text);
  });

  it("refuses when Codex has no folder, and makes none (case 145)", async () => {
    const home = clientHome({});
    const { status, err } = await home.install("codex");
    expect(status).toBe(1);
    expect(err).toContain("there is no such folder");
    expect(fs.readdirSync(home.folder)).toEqual([]);
  });

  it("goes where CODEX_HOME says, and nowhere when that is relative", async () => {
    const named = clientHome({ "other/x": "" }, (folder) => ({
      CODEX_HOME: path.join(folder, "other"),
    }));
    await named.install("codex", "--language", "r");
    expect(parse(named.read("other/config.toml")).mcp_servers).toHaveProperty("r");
    const relative = clientHome({ "other/x": "" }, () => ({ CODEX_HOME: "other" }));
    const { status, err } = await relative.install("codex");
    expect(status).toBe(1);
    expect(err).toContain("expected an absolute path");
  });
});
