/** Cases 79 to 91: what a state says, and what then holds on the host. */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { USERS } from "../../support/sandbox-user.ts";
import { managed, stateOf, withState } from "./support/call-states.ts";
import { type CaseRepl, replLab, workspaceWrite } from "./support/repl-lab.ts";

/** What is in a state under the given members, with `undefined` for those that are absent. */
function stateWith(repl: CaseRepl, members: object) {
  return withState(stateOf(workspaceWrite(repl.cwd), repl.cwd, members));
}

const READ_ONLY = managed([[":root", "read"]]);

describe.each(USERS)("a REPL and the states that are no good (%s)", (user) => {
  const lab = replLab(user);

  /** Refuses it at first, and with a worker that lives, which is kept. */
  async function refuses(members: (repl: CaseRepl) => object, words: RegExp): Promise<void> {
    const repl = await lab().open();
    const code = `put("${repl.cwd}/f")`;
    const first = await repl.call(code, stateWith(repl, members(repl)));
    expect(first).toMatchObject({ isError: true, starts: 0 });
    expect(first.text).toMatch(words);
    await repl.call("$x = 5", repl.a);
    for (const prefix of ["", "\u0003", "\u0004"]) {
      const later = await repl.call(`${prefix}${code}`, stateWith(repl, members(repl)));
      expect(later).toEqual({ isError: true, starts: 1, text: first.text });
    }
    expect(existsSync(path.join(repl.cwd, "f"))).toBe(false);
    expect((await repl.call('print "x$x"', repl.a)).text).toBe("x5");
  }

  it("79: refuses a state without a policy, and names both members", () =>
    refuses(() => ({ permissionProfile: undefined }), /permissionProfile.*sandboxPolicy/));

  it("80: refuses a state without a folder", () =>
    refuses(() => ({ sandboxCwd: undefined }), /sandboxCwd/));

  it("81: refuses a folder that is relative", () =>
    refuses(() => ({ sandboxCwd: "some/folder" }), /sandboxCwd/));

  it.each(["?query", "#fragment", ":80", "user@"])("84: refuses a URI with %s", (part) =>
    refuses(({ cwd }) => {
      const isHost = part === ":80" || part === "user@";
      return { sandboxCwd: isHost ? `file://${part}localhost${cwd}` : `file://${cwd}${part}` };
    }, /sandboxCwd/),
  );

  it("85: refuses a URI of another host", () =>
    refuses(({ cwd }) => ({ sandboxCwd: `file://elsewhere${cwd}` }), /Cannot/));

  it("91: refuses a profile under which nothing can be read", () =>
    refuses(() => ({ permissionProfile: managed([]) }), /Cannot/));

  it("91: refuses a folder that is not there, which nothing can start in", () =>
    refuses(({ cwd }) => ({ sandboxCwd: `file://${cwd}/gone` }), /no such folder/));

  it("95: refuses an entry of a kind that nobody knows", () =>
    refuses(
      () => ({
        permissionProfile: managed([
          [":root", "read"],
          [":novel", "write"],
        ]),
      }),
      /kind/,
    ));

  it("96: refuses an entry with a relative path, and names it", () =>
    refuses(
      () => ({
        permissionProfile: managed([
          [":root", "read"],
          ["some/folder", "write"],
        ]),
      }),
      /some\/folder|entries.*path/,
    ));
});

describe.each(USERS)("a REPL and what its states allow (%s)", (user) => {
  const lab = replLab(user);
  const cwdOf = 'use Cwd; print getcwd . ";"';

  it("82: takes a folder as a plain path", async () => {
    const repl = await lab().open();
    const meta = stateWith(repl, { sandboxCwd: repl.cwd });
    expect((await repl.call(cwdOf, meta)).text).toBe(`${repl.cwd};`);
  });

  it("83: takes a folder as a URI, and decodes it", async () => {
    const repl = await lab().open();
    const folder = path.join(repl.cwd, "a b %20#?x");
    mkdirSync(folder);
    lab().place.give();
    const sandboxCwd = pathToFileURL(folder).href;
    expect(sandboxCwd).toContain("%2520%23%3F");
    const code = `${cwdOf}; put("${folder}/f")`;
    const heard = await repl.call(code, stateWith(repl, { sandboxCwd }));
    expect(heard.text).toBe(`${folder};wrote;`);
    expect(existsSync(path.join(folder, "f"))).toBe(true);
  });

  it("86: a profile holds, whatever wider policy comes with it (stricter than the case)", async () => {
    const repl = await lab().open();
    const wide = { type: "danger-full-access" };
    const meta = stateWith(repl, { permissionProfile: READ_ONLY, sandboxPolicy: wide });
    const heard = await repl.call(`put("${repl.cwd}/f"); put("${repl.outside}/case-86")`, meta);
    expect(heard).toEqual({ isError: false, text: "denied;denied;", starts: 1 });
    expect(existsSync(path.join(repl.cwd, "f"))).toBe(false);
  });

  it("87: no sandbox is none: a write anywhere is done", async () => {
    const repl = await lab().open();
    const meta = stateWith(repl, { permissionProfile: { type: "disabled" } });
    const heard = await repl.call(`put("${repl.outside}/case-87")`, meta);
    expect(heard).toEqual({ isError: false, text: "wrote;", starts: 1 });
    expect(existsSync(path.join(repl.outside, "case-87"))).toBe(true);
  });

  it.each(["restricted", "enabled"])(
    "88: somebody else's sandbox is read-only, network %s (stricter than the case)",
    async (network) => {
      const repl = await lab().open();
      const meta = stateWith(repl, { permissionProfile: { type: "external", network } });
      const heard = await repl.call(`put("${repl.cwd}/f"); put("${repl.outside}/case-88")`, meta);
      expect(heard).toEqual({ isError: false, text: "denied;denied;", starts: 1 });
      expect(existsSync(path.join(repl.cwd, "f"))).toBe(false);
      expect(existsSync(path.join(repl.outside, "case-88"))).toBe(false);
    },
  );

  it("89: read-only blocks the folder, /tmp and TMPDIR, and leaves the session a temporary folder", async () => {
    const repl = await lab().open();
    const shared = aFileInTmp(repl);
    const code = `put("${repl.cwd}/f"); put("${shared}"); put("${repl.tmp}/f"); put("$ENV{TMPDIR}/f"); get("$ENV{TMPDIR}/f")`;
    const heard = await repl.call(code, repl.b);
    expect(heard.text).toBe("denied;denied;denied;wrote;written");
    for (const file of [`${repl.cwd}/f`, shared, `${repl.tmp}/f`]) {
      expect(existsSync(file)).toBe(false);
    }
  });

  it("90: without slash_tmp /tmp is blocked, and TMPDIR is not", async () => {
    const repl = await lab().open();
    const shared = aFileInTmp(repl);
    const permissionProfile = managed([
      [":minimal", "read"],
      [repl.cwd, "read"],
      [":tmpdir", "write"],
    ]);
    const meta = stateWith(repl, { permissionProfile });
    const heard = await repl.call(`put("${shared}"); put("${repl.tmp}/case-90")`, meta);
    expect(heard).toEqual({ isError: false, text: "denied;wrote;", starts: 1 });
    expect([existsSync(shared), existsSync(`${repl.tmp}/case-90`)]).toEqual([false, true]);
  });
});

/** A file of /tmp that is not there, and is not left there. */
function aFileInTmp({ cwd }: CaseRepl): string {
  const file = `/tmp/writ-${path.basename(cwd)}`;
  onTestFinished(() => rmSync(file, { force: true }));
  return file;
}
