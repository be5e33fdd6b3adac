import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { SandboxMode } from "../../src/policy/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { writ } from "./support/cli-world.ts";

async function accesses(args: readonly string[], folder?: string, writHome?: string) {
  const { out, err } = await writ(["explain", "--json", ...args], folder, writHome);
  expect(err).toBe("");
  const list: { path: string; access: string }[] = JSON.parse(out);
  return Object.fromEntries(list.map(({ path: one, access }) => [one, access]));
}

describe("writ explain", () => {
  it("prints access and deciding rule for each path", async () => {
    const { out, status } = await writ([
      "explain",
      "--sandbox",
      "workspace-write",
      "src",
      ".envrc",
    ]);
    expect(status).toBe(0);
    expect(out).toContain("write  /repo/src\n");
    expect(out).toContain('":workspace_roots" = "write"');
    expect(out).toContain("read   /repo/.envrc\n");
    expect(out).toContain('protected name ".envrc"');
  });

  it("prints an array of path, access, rule and reason with --json", async () => {
    const { out } = await writ(["explain", "--json", "--sandbox", "read-only", "a"]);
    expect(JSON.parse(out)).toEqual([
      {
        path: "/repo/a",
        access: "read",
        rule: '":root" = "read"',
        reason: expect.stringContaining('"/"'),
      },
    ]);
  });

  it("binds to the folder of -C and resolves paths against it", async () => {
    expect(await accesses(["-C", "/usr", "--sandbox", "workspace-write", "x", "/repo/y"])).toEqual({
      "/usr/x": "write",
      "/repo/y": "read",
    });
  });

  it("takes the folder from a client's state", async () => {
    const fixtures = JSON.parse(readFileSync("test/fixtures/mcp-sandbox-state.json", "utf8"));
    const state = JSON.stringify(fixtures["mode-workspace-write#1"].state);
    const ws = "/srv/demo/mode-workspace-write/ws";
    expect(
      await accesses(["--sandbox-state-json", state, `${ws}/a`, `${ws}/.git`, "/repo"]),
    ).toEqual({
      [`${ws}/a`]: "write",
      [`${ws}/.git`]: "read",
      "/repo": "read",
    });
  });

  it("means restricted reads", async () => {
    const policy = { type: "readOnly", access: { type: "restricted", readableRoots: ["/data"] } };
    const args = ["--sandbox-policy", JSON.stringify(policy), "/data/x", "/repo/x", "/usr/bin"];
    expect(await accesses(args)).toEqual({
      "/data/x": "read",
      "/repo/x": "deny",
      "/usr/bin": "read",
    });
  });

  it("reads a profile from a file, TOML or JSON", async () => {
    const folder = temporaryFolder({
      "tight.toml": 'extends = ":read-only"\n[filesystem]\n"/srv/keys" = "deny"',
      "none.json":
        '{"type":"managed","file_system":{"type":"restricted","entries":[]},"network":"restricted"}',
    });
    const of = (file: string) =>
      accesses(["--profile", path.join(folder, file), "/srv/keys", "/srv/x"]);
    expect(await of("tight.toml")).toEqual({ "/srv/keys": "deny", "/srv/x": "read" });
    expect(await of("none.json")).toEqual({ "/srv/keys": "deny", "/srv/x": "deny" });
  });

  it("uses named profiles, with extends, and the configured default", async () => {
    const home = temporaryFolder({
      "config.toml": `default_permissions = "dev"
[permissions.dev]
extends = ":workspace"
[permissions.dev.filesystem]
"~/notes" = "read"
[permissions.dev.filesystem.":workspace_roots"]
"**/*.env" = "deny"`,
    });
    expect(await accesses(["a/b.env", "c", "/home/me/notes/n"], "/repo", home)).toEqual({
      "/repo/a/b.env": "deny",
      "/repo/c": "write",
      "/home/me/notes/n": "read",
    });
  });

  it("lets a project file narrow", async () => {
    const folder = temporaryFolder({ "writ.toml": '[permissions.p]\nextends = ":read-only"' });
    expect(await accesses(["--profile", "p", "x"], folder)).toEqual({ [`${folder}/x`]: "read" });
  });

  describe("with a user's default that has workspace roots of its own", () => {
    const home = () =>
      temporaryFolder({
        "config.toml": `default_permissions = "dev"
[permissions.dev]
extends = ":workspace"
[permissions.dev.workspace_roots]
"../lib" = true
[permissions.dev.filesystem.":workspace_roots"]
"priv" = "deny"
"**/*.env" = "deny"`,
      });

    it("refuses a project that leaves those roots out and so opens what is denied in them", async () => {
      const folder = temporaryFolder({
        "p/writ.toml": `[permissions.q]
extends = ":read-only"
[permissions.q.filesystem.":workspace_roots"]
"priv" = "deny"
"**/*.env" = "deny"`,
      });
      const run = await writ(["explain", "--profile", "q", "x"], `${folder}/p`, home());
      expect(run).toMatchObject({ status: 2, out: "" });
      expect(run.err).toContain("may only narrow");
    });

    it("lets a project extend the default and nothing else", async () => {
      const folder = temporaryFolder({ "p/writ.toml": '[permissions.q]\nextends = "dev"' });
      const found = await accesses(["--profile", "q", "../lib/priv/k"], `${folder}/p`, home());
      expect(Object.values(found)).toEqual(["deny"]);
    });

    it("refuses a project that looks less deep for what patterns deny", async () => {
      const text =
        '[permissions.q]\nextends = "dev"\n[permissions.q.filesystem]\nglob_scan_max_depth = 1';
      const folder = temporaryFolder({ "p/writ.toml": text });
      const { err } = await writ(["explain", "--profile", "q", "x"], `${folder}/p`, home());
      expect(err).toContain("less deep");
    });
  });

  it("names the project file when it selects a profile that the user does not allow", async () => {
    const folder = temporaryFolder({ "writ.toml": 'default_permissions = ":danger-full-access"' });
    const { status, err } = await writ(["explain", "x"], folder);
    expect(status).toBe(2);
    expect(err).toContain(`of "${folder}/writ.toml"`);
  });

  it.each([
    ["write elsewhere", '[permissions.p.filesystem]\n"/etc" = "write"', /grants write on "\/etc"/],
    [
      "add a root",
      '[permissions.p]\nextends = ":workspace"\n[permissions.p.workspace_roots]\n"/opt" = true',
      /grants write on "\/opt"/,
    ],
    [
      "reopen a protected name",
      '[permissions.p]\nextends = ":workspace"\n[permissions.p.filesystem.":workspace_roots"]\n".git" = "write"',
      /\.git/,
    ],
    [
      "open the network",
      '[permissions.p]\nextends = ":read-only"\n[permissions.p.network]\nenabled = true',
      /network/,
    ],
    [
      "reach the sockets of the host",
      '[permissions.p]\nextends = ":read-only"\n[permissions.p.network]\nunix_socket_access = "host"',
      /unix sockets to "host", where "none" is allowed/,
    ],
  ])("refuses a project file that would %s", async (_, text, message) => {
    const folder = temporaryFolder({ "writ.toml": text });
    const { status, err, out } = await writ(["explain", "--profile", "p", "x"], folder);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toMatch(message);
    expect(err).toContain("may only narrow");
  });

  it("counts the folders that are worked on besides, as run does", async () => {
    const [folder, lib] = [temporaryFolder(), temporaryFolder()];
    const flags = ["--sandbox", "workspace-write", "--add-dir", lib];
    const { out, err } = await writ(["explain", ...flags, `${lib}/made.txt`], folder);
    expect(err).toBe("");
    expect(out).toContain(`write  ${lib}/made.txt\n       ":workspace_roots" = "write"`);
  });

  it("knows what is writ's own: no command sees the settings, or writes to the file that a policy came from", async () => {
    const folder = temporaryFolder({ "p.toml": 'extends = ":workspace"', "home/config.toml": "" });
    const asked = async (...flags: string[]) => {
      const paths = ["home/config.toml", "p.toml", "other"];
      const { out } = await writ(
        ["explain", ...flags, "--json", ...paths],
        folder,
        `${folder}/home`,
      );
      return JSON.parse(out).map(({ access }: { access: string }) => access);
    };
    expect(await asked("--profile", "p.toml")).toEqual(["deny", "read", "write"]);
    expect(await asked("--sandbox", "read-only")).toEqual(["deny", "read", "read"]);
    expect(await asked("--sandbox", "danger-full-access")).toEqual(["write", "write", "write"]);
    const { out } = await writ(
      ["explain", "--sandbox", "read-only", "home/x"],
      folder,
      `${folder}/home`,
    );
    expect(out).toBe(
      `deny   ${folder}/home/x\n       writ's own "${folder}/home": hidden from every command, whatever the policy says\n`,
    );
  });

  it("knows what sandboxes are made with, which no command writes to", async () => {
    const folder = temporaryFolder({ "p.toml": '[filesystem]\n":root" = "write"' });
    const launchers = ["bwrap", "nsenter", "prlimit", "unshare"].map((one) => `/usr/bin/${one}`);
    const asked = ["explain", "--profile", "p.toml", "--json", ...launchers, "/usr/bin/env"];
    const { out } = await writ(asked, folder, `${folder}/home`);
    const answers = JSON.parse(out).map(({ access }: { access: string }) => access);
    expect(answers).toEqual(["read", "read", "read", "read", "write"]);
  });

  it("names the file that is no JSON", async () => {
    const folder = temporaryFolder({ "p.json": "{" });
    const { status, err } = await writ(["explain", "--profile", "p.json", "x"], folder);
    expect(status).toBe(2);
    expect(err).toContain(`Cannot read "${folder}/p.json": `);
  });

  it.each([
    ["no path", ["--sandbox", "read-only"], /no path/],
    [
      "no policy",
      ["x"],
      /none was given, expected one of --sandbox, .*, or default_permissions in "\/nowhere\/config.toml"/,
    ],
    [
      "two policies",
      ["--sandbox", "read-only", "--profile", ":workspace", "x"],
      /expected one of them/,
    ],
    ["an unknown mode", ["--sandbox", "readonly", "x"], /expected read-only/],
    ["an unknown flag", ["--sandboxx", "read-only", "x"], /--sandboxx/],
    [
      "an unknown profile",
      ["--profile", "p.yaml", "x"],
      /no such profile, expected one of .*, or a \.toml or \.json file\n/,
    ],
    ["a missing file", ["--profile", "./nope.toml", "x"], /no such file/],
    ["an empty state", ["--sandbox-state-json", "{}", "x"], /permissionProfile/],
    ["no JSON", ["--sandbox-policy", "{", "x"], /Cannot read --sandbox-policy: .* in JSON/],
    [
      "no JSON as a state",
      ["--sandbox-state-json", "x", "x"],
      /Cannot read --sandbox-state-json: /,
    ],
    ["an empty argument", ["--sandbox-policy", "", "x"], /Cannot/],
    [
      "a key said twice",
      ["--sandbox-policy", '{"type":"readOnly","type":"dangerFullAccess"}', "x"],
      /type/,
    ],
    ["an unknown member", ["--sandbox-policy", '{"type":"readOnly","denied":[]}', "x"], /denied/],
    [
      "a flag given twice",
      ["--sandbox", "read-only", "--sandbox", "workspace-write", "x"],
      /twice/,
    ],
    ["an empty path", ["--sandbox", "read-only", ""], /expected a path/],
    [
      "an empty folder",
      ["--sandbox", "read-only", "-C", "", "x"],
      /--cd "": it is empty, expected a folder/,
    ],
    ["no folder", ["--sandbox", "read-only", "-C", "/nope", "x"], /there is no such folder/],
    ["a NUL in a path", ["--sandbox", "read-only", "a\0b"], /bytes no path has/],
  ])("exits 2 with a sentence on %s", async (_, args, message) => {
    const { status, out, err } = await writ(["explain", ...args]);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toMatch(message);
    expect(err).toMatch(/^writ: .+\nRun: writ explain --help\n$/);
  });

  it("shows control and direction characters of a path instead of sending them to the terminal", async () => {
    const { out } = await writ(["explain", "--sandbox", "read-only", "a\u001b[2J\u202Eb\nc"]);
    expect(out).toContain("a\\u{1b}[2J\\u{202e}b\\u{a}c");
  });
});

describe("writ", () => {
  it("lists its commands on --help, and on nothing with status 2", async () => {
    expect(await writ(["--help"])).toMatchObject({ status: 0, err: "" });
    expect(await writ([])).toMatchObject({ status: 2, out: "" });
  });

  it("refuses a command that does not exist", async () => {
    expect(await writ(["frobnicate"])).toMatchObject({ status: 2, out: "" });
  });

  it("names every mode there is in its help", async () => {
    const { out } = await writ(["explain", "--help"]);
    expect(out).toContain(SandboxMode.options.join(", "));
  });

  it("keeps every help text within a screen of 80 by 24", async () => {
    const { out } = await writ(["explain", "--help"]);
    const lines = out.split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  });
});
