/** Inherit cases 79 to 106 on Python: what a state says, what then holds, and what the operator adds. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { listenOnHost } from "../../../support/network-listener.ts";
import { USERS } from "../../../support/sandbox-user.ts";
import { MALFORMED, managed, stateOf, withState } from "../../cases/support/call-states.ts";
import { workspaceWrite } from "../../cases/support/repl-lab.ts";
import { killAll } from "../support/left-behind.ts";
import { keptStateRepls, openStateRepl, put, type StateRepl } from "../support/state-repl.ts";

const [USER = "ordinary"] = USERS;
const READ = [":root", "read"] as const;
const READ_ONLY = managed([READ]);
const INHERIT = ["--sandbox", "inherit"];
const openRepl = keptStateRepls(USER);

function stateWith({ cwd }: StateRepl, members: object): object {
  return withState(stateOf(workspaceWrite(cwd), cwd, members));
}

/** The reply to code that is the first under a state. */
async function first(repl: StateRepl, code: string, meta: object): Promise<string> {
  repl.client.place.give();
  await repl.restart(meta);
  return (await repl.call(code, meta)).text;
}

/** Runs code under a profile in a session of its own. */
async function under(profile: (repl: StateRepl) => object, code: (repl: StateRepl) => string) {
  const repl = await openRepl();
  const meta = withState(stateOf(profile(repl), repl.cwd));
  return { ...repl, text: await first(repl, code(repl), meta) };
}

/** Tries to read a file. */
function get(file: string): string {
  return `try: print(open(${JSON.stringify(file)}).read(), end=";")\nexcept OSError: print("unreadable", end=";")\n`;
}

function reach(port: number): string {
  return `import socket\ntry: _ = socket.create_connection(("127.0.0.1", ${port}), 5); print("reached;", end="")\nexcept OSError: print("alone;", end="")\n`;
}

/** Workspace-write with one more entry, of a kind that the client itself does not know. */
function withUnknown({ cwd, outside }: StateRepl, access: string): object {
  const special = { type: "special", value: { kind: "unknown", path: outside } };
  const profile = JSON.parse(JSON.stringify(workspaceWrite(cwd)));
  profile.file_system.entries.push({ path: special, access });
  return profile;
}

describe("a REPL and states that are no good", () => {
  const BAD: readonly (readonly [string, (repl: StateRepl) => object, RegExp])[] = [
    ["79: no policy", () => ({ permissionProfile: undefined }), /permissionProfile.*sandboxPolicy/],
    ["80: no folder", () => ({ sandboxCwd: undefined }), /sandboxCwd/],
    ["81: a relative folder", () => ({ sandboxCwd: "some/folder" }), /sandboxCwd/],
    ["84: a query", ({ cwd }) => ({ sandboxCwd: `file://${cwd}?q` }), /sandboxCwd/],
    ["84: a fragment", ({ cwd }) => ({ sandboxCwd: `file://${cwd}#f` }), /sandboxCwd/],
    ["84: a port", ({ cwd }) => ({ sandboxCwd: `file://localhost:80${cwd}` }), /sandboxCwd/],
    ["84: a user", ({ cwd }) => ({ sandboxCwd: `file://user@localhost${cwd}` }), /sandboxCwd/],
    ["85: another host", ({ cwd }) => ({ sandboxCwd: `file://elsewhere${cwd}` }), /Cannot/],
    ["91: nothing to read", () => ({ permissionProfile: managed([]) }), /Cannot/],
    ["94: unknown, denied", (r) => ({ permissionProfile: withUnknown(r, "deny") }), /Cannot/],
    ["95: novel", () => ({ permissionProfile: managed([READ, [":novel", "write"]]) }), /kind/],
    ["96: relative", () => ({ permissionProfile: managed([READ, ["a/b", "write"]]) }), /path/],
  ];

  it("79, 80, 81, 84, 85, 91, 94, 95, 96: each is refused, and keeps the session", async () => {
    const repl = await openRepl();
    await repl.keep();
    for (const [name, members, words] of BAD) {
      const meta = stateWith(repl, members(repl));
      const { isError, text } = await repl.call(put(`${repl.cwd}/f`), meta);
      expect([name, isError, text]).toEqual([name, true, expect.stringMatching(words)]);
      expect(existsSync(`${repl.cwd}/f`)).toBe(false);
      expect(await repl.isKept()).toBe(true);
    }
  });
});

describe("a REPL and what its states allow", () => {
  const cwdOf = "import os\nprint(os.getcwd())";

  it("82: a folder may be a plain path", async () => {
    const repl = await openRepl();
    const meta = stateWith(repl, { sandboxCwd: repl.cwd });
    expect(await first(repl, cwdOf, meta)).toBe(`${repl.cwd}\n`);
  });

  it("83: a folder as a URI is decoded", async () => {
    const repl = await openRepl();
    const folder = path.join(repl.cwd, "a b %20#?x");
    mkdirSync(folder);
    const meta = stateWith(repl, { sandboxCwd: pathToFileURL(folder).href });
    expect(await first(repl, cwdOf, meta)).toBe(`${folder}\n`);
  });

  it.each<[string, object, string]>([
    [
      "86: a profile beside a wider policy (stricter than the case)",
      { permissionProfile: READ_ONLY, sandboxPolicy: { type: "danger-full-access" } },
      "denied;denied;",
    ],
    ["87: no sandbox", { permissionProfile: { type: "disabled" } }, "wrote;wrote;"],
    [
      "88: somebody else's sandbox (stricter than the case)",
      { permissionProfile: { type: "external", network: "enabled" } },
      "denied;denied;",
    ],
    ["99: legacy Landlock", { useLegacyLandlock: true }, "wrote;denied;"],
  ])("%s holds for writes inside and outside", async (_, members, text) => {
    const repl = await openRepl();
    const code = `${put(`${repl.cwd}/f`)}${put(`${repl.outside}/f`)}`;
    expect(await first(repl, code, stateWith(repl, members))).toBe(text);
    expect(existsSync(`${repl.outside}/f`)).toBe(text.endsWith("wrote;"));
  });

  it("89: read-only blocks the folder, /tmp and TMPDIR, and leaves a temporary folder", async () => {
    const repl = await openRepl();
    const { cwd, b } = repl;
    const [file, inTmpdir] = [aFileInTmp(cwd), aFileInTmpdir(repl)];
    const own = put("OWN").replace('"OWN"', "os.environ['TMPDIR'] + '/f'");
    const code = `import os\n${put(`${cwd}/f`)}${put(file)}${put(inTmpdir)}${own}`;
    expect(await first(repl, code, b)).toBe("denied;denied;denied;wrote;");
    for (const one of [`${cwd}/f`, file, inTmpdir]) expect(existsSync(one)).toBe(false);
  });

  it("90: without slash_tmp /tmp is blocked, and TMPDIR is not", async () => {
    const profile = ({ cwd }: StateRepl) =>
      managed([
        [":minimal", "read"],
        [cwd, "read"],
        [":tmpdir", "write"],
      ]);
    const repl = await openRepl();
    const installed = [repl.client.place.installed, "read"] as const;
    const all = JSON.parse(JSON.stringify(profile(repl)));
    all.file_system.entries.push(
      ...JSON.parse(JSON.stringify(managed([installed]))).file_system.entries,
    );
    const file = aFileInTmp(repl.cwd);
    const code = `${put(file)}${put(aFileInTmpdir(repl))}`;
    const text = await first(repl, code, withState(stateOf(all, repl.cwd)));
    expect(text).toBe("denied;wrote;");
  });

  it("92: every file open and the network closed is what it says", async () => {
    const { port, heard: visitors } = await listenOnHost();
    const { text } = await under(
      () => ({ type: "managed", file_system: { type: "unrestricted" }, network: "restricted" }),
      ({ outside }) => `${put(`${outside}/f`)}${reach(port)}`,
    );
    expect(text).toBe("wrote;alone;");
    expect(await visitors()).toEqual([]);
  });

  it("93: read-only with the network open is what it says", async () => {
    const { port } = await listenOnHost();
    const { text } = await under(
      () => managed([READ], "enabled"),
      ({ cwd }) => `${put(`${cwd}/f`)}${reach(port)}`,
    );
    expect(text).toBe("denied;reached;");
  });

  it("94: an entry of kind unknown with write grants nothing", async () => {
    const { text } = await under(
      (repl) => withUnknown(repl, "write"),
      ({ cwd, outside }) => `${put(`${cwd}/f`)}${put(`${outside}/f`)}`,
    );
    expect(text).toBe("wrote;denied;");
  });

  it("97: a denied glob can be neither read nor removed", async () => {
    const { text, cwd } = await under(
      (repl) => {
        writeFileSync(path.join(repl.cwd, "a.env"), "secret");
        return managed([READ, [repl.cwd, "write"], [`glob:${repl.cwd}/**/*.env`, "deny"]]);
      },
      ({ cwd }) =>
        `${get(`${cwd}/a.env`)}import os\ntry: os.unlink("${cwd}/a.env"); print("gone;", end="")\nexcept OSError: print("stays;", end="")\n${put(`${cwd}/other`)}`,
    );
    expect(text).toBe("unreadable;stays;wrote;");
    expect(readFileSync(path.join(cwd, "a.env"), "utf8")).toBe("secret");
  });

  it("98: of a denied folder only the child that is writable can be used", async () => {
    const { text } = await under(
      ({ cwd }) => {
        mkdirSync(path.join(cwd, "shut/open"), { recursive: true });
        writeFileSync(path.join(cwd, "shut/secret"), "secret");
        return managed([
          READ,
          [cwd, "write"],
          [`${cwd}/shut`, "deny"],
          [`${cwd}/shut/open`, "write"],
        ]);
      },
      ({ cwd }) =>
        `${get(`${cwd}/shut/secret`)}${put(`${cwd}/shut/f`)}${put(`${cwd}/shut/open/f`)}`,
    );
    expect(text).toBe("unreadable;denied;wrote;");
  });
});

describe("a REPL whose operator has a word", () => {
  const full = ({ cwd }: StateRepl) => withState(stateOf({ type: "disabled" }, cwd));

  it("100: no variable turns the sandbox off: it is refused, or means nothing", async () => {
    const names = ["WRIT_NO_SANDBOX", "CODEX_DISABLE_SANDBOX", "MCP_REPL_NO_SANDBOX"];
    const env = Object.fromEntries(names.map((name) => [name, "1"]));
    const { call, cwd, outside, a, client } = await openStateRepl(USER, { env });
    expect((await call(`${put(`${cwd}/f`)}${put(`${outside}/f`)}`, a)).text).toBe("wrote;denied;");
    const { run } = client.place;
    const off = run(["repl", "--config", "features.use_linux_sandbox_bwrap=false"]);
    expect([off.status, off.stderr]).toEqual([2, expect.stringContaining("danger-full-access")]);
  });

  it("101, 102: a folder that was added is writable under workspace-write, and refused elsewhere", async () => {
    const root = mkdtempSync("/var/tmp/writ-root-");
    onTestFinished(() => rmSync(root, { recursive: true }));
    const flags = [...INHERIT, "--add-writable-root", root];
    const repl = await openStateRepl(USER, { flags });
    const code = `${put(`${root}/f`)}${put(`${repl.outside}/f`)}`;
    expect((await repl.call(code, repl.a)).text).toBe("wrote;denied;");
    await repl.keep();
    for (const meta of [repl.b, full(repl)]) {
      expect((await repl.call(put(`${root}/g`), meta)).isError).toBe(true);
    }
    expect(existsSync(`${root}/g`)).toBe(false);
    expect(await repl.isKept()).toBe(true);
  });

  it("103, 104: a mode of the server's own needs no state, and no state does harm", async () => {
    const repl = await openStateRepl(USER, { flags: ["--sandbox", "workspace-write"] });
    await repl.call("x = 5", undefined);
    for (const meta of [MALFORMED, undefined, repl.b, full(repl)]) {
      expect(await repl.isKept(meta)).toBe(true);
      expect((await repl.call(put(`${repl.outside}/f`), meta)).text).toBe("denied;");
    }
  });
});

describe("a REPL whose worker is killed from outside", () => {
  async function killed(busy: boolean): Promise<StateRepl> {
    const repl = await openRepl();
    await repl.keep();
    if (busy) await repl.pend("");
    killAll(repl.client.workers());
    await expect.poll(() => repl.client.workers()).toEqual([]);
    return repl;
  }

  it("105: code without a state is refused, and starts nothing", async () => {
    const { call, client } = await killed(false);
    const { isError, text } = await call("1", undefined);
    expect([isError, text]).toEqual([true, expect.stringContaining("without sandbox state")]);
    expect(client.workers()).toEqual([]);
  });

  it("106: a poll without a state tells of it, and starts nothing (stricter than the case)", async () => {
    const { call, client } = await killed(true);
    expect((await call("", undefined)).text).toMatch(/signal 9|status \d+|was lost/);
    expect(client.workers()).toEqual([]);
    expect((await call("", undefined)).isError).toBe(true);
    expect(client.workers()).toEqual([]);
  });
});

/** A file of /tmp that is not there, and is not left there. */
function aFileInTmp(cwd: string): string {
  const file = `/tmp/writ-${path.basename(cwd)}`;
  onTestFinished(() => rmSync(file, { force: true }));
  return file;
}

/** A file of `tmpdir` that no other case has. */
function aFileInTmpdir({ tmp, cwd }: StateRepl): string {
  return path.join(tmp, path.basename(cwd));
}
