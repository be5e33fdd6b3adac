/**
 * Inherit cases 1 to 43 on Python: the start, and a session that is idle.
 *
 * Cases 1 to 3 and 5 are those of the handshake, beside this folder.
 */
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { placeFor, USERS } from "../../../support/sandbox-user.ts";
import { MALFORMED, managed, stateOf, withState } from "../../cases/support/call-states.ts";
import { workspaceWrite } from "../../cases/support/repl-lab.ts";
import { keptStateRepls, openStateRepl, put, type StateRepl } from "../support/state-repl.ts";

const [USER = "ordinary"] = USERS;
const MISSING = "without sandbox state";
const STARTED = "[repl] new session started";
const IDLE = "<<repl status: idle>>";

describe("a REPL that was just started", () => {
  it("4: a later mode of its own holds", async () => {
    const flags = ["--sandbox", "inherit", "--sandbox", "workspace-write"];
    const { call, outside, client } = await openStateRepl(USER, { flags });
    const { workspace } = client.place;
    const { text } = await call(`${put(`${workspace}/f`)}${put(`${outside}/f`)}`, undefined);
    expect(text).toBe("wrote;denied;");
  });

  it("7: an earlier option that cannot be meant is refused, whatever follows", () => {
    const flags = ["--sandbox", "read-only", "--add-writable-root", "/x", "--sandbox", "inherit"];
    const { status, stderr } = placeFor(USER).run(["repl", "--language", "python", ...flags]);
    expect([status, stderr]).toEqual([2, expect.stringContaining("--add-writable-root")]);
  });

  it("6, 8, 9, 10, 14, 15, 16, 22: what needs a worker needs a good state, and starts nothing without", async () => {
    const { call, client } = await openStateRepl(USER);
    expect(client.workers()).toEqual([]);
    for (const [input, meta, words] of [
      ["1", undefined, MISSING],
      ["1", MALFORMED, "sandboxState"],
      ["1", { threadId: "t" }, MISSING],
      ["", undefined, MISSING],
      ["", MALFORMED, "sandboxState"],
      ["\u0004", undefined, MISSING],
      ["\u00031", undefined, MISSING],
    ] as const) {
      const { isError, text } = await call(input, meta);
      expect([input, isError, text]).toEqual([input, true, expect.stringContaining(words)]);
      expect(client.workers()).toEqual([]);
    }
  });

  it("11: reads the state under its second name (stricter than the case)", async () => {
    const { call, cwd, b } = await openStateRepl(USER);
    const alias = { "codex/sandbox-state": Object.values(b)[0] };
    expect((await call(put(`${cwd}/f`), alias)).text).toBe("denied;");
  });

  it("12: code with a state runs under it, without a notice", async () => {
    const { call, cwd, outside, a } = await openStateRepl(USER);
    const { text } = await call(`${put(`${cwd}/f`)}${put(`${outside}/f`)}`, a);
    expect(text).toBe("wrote;denied;");
    expect([`${cwd}/f`, `${outside}/f`].map((file) => existsSync(file))).toEqual([true, false]);
  });

  it("13: a poll with a state starts a worker", async () => {
    const { call, client, a } = await openStateRepl(USER);
    expect((await call("", a)).text).toBe(IDLE);
    expect(client.workers()).not.toEqual([]);
  });

  it("17, 19, 18: a restart starts nothing, is no licence, and is followed by a session", async () => {
    const { call, client, a } = await openStateRepl(USER);
    expect((await call("\u0004", a)).text.trim()).toBe(STARTED);
    for (const input of ["", "1"]) expect((await call(input, undefined)).isError).toBe(true);
    expect(client.workers()).toEqual([]);
    expect((await call("", a)).text).toBe(IDLE);
  });

  it("20: a restart with code runs it under the state", async () => {
    const { call, cwd, outside, a } = await openStateRepl(USER);
    const { text } = await call(`\u0004${put(`${cwd}/f`)}${put(`${outside}/f`)}`, a);
    expect(text).toContain(STARTED);
    expect(text).toMatch(/wrote;denied;$/);
  });

  it("21: an interrupt of nothing does nothing", async () => {
    const { call, client } = await openStateRepl(USER);
    expect(await call("\u0003", undefined)).toMatchObject({ isError: false });
    expect(client.workers()).toEqual([]);
  });
});

describe("a REPL whose session is idle", () => {
  const openRepl = keptStateRepls(USER);

  async function idle(): Promise<StateRepl> {
    const repl = await openRepl();
    await repl.keep();
    return repl;
  }

  it("23: the same state is the same session", async () => {
    expect(await (await idle()).isKept()).toBe(true);
  });

  it("24: another state is another session, and the notice names it", async () => {
    const { call, cwd, b } = await idle();
    const { text } = await call(`print('x' in globals())\n${put(`${cwd}/f`)}`, b);
    expect(text).toMatch(/new sandbox policy: .*root[\s\S]*False\ndenied;$/);
    expect(existsSync(`${cwd}/f`)).toBe(false);
  });

  it("25, 31, 32, 35: what its state forbids is refused, and keeps the session", async () => {
    const repl = await idle();
    for (const [input, meta] of [
      ["x = 6", undefined],
      ["x = 6", MALFORMED],
      ["\u0004", undefined],
      ["\u0004", MALFORMED],
      ["\u0004x = 6", MALFORMED],
    ] as const) {
      expect([input, (await repl.call(input, meta)).isError]).toEqual([input, true]);
      expect((await repl.call("x", repl.a)).text).toBe("5\n");
    }
  });

  it("26, 27, 28, 29: polls and interrupts are served whatever their state, and change nothing", async () => {
    const repl = await idle();
    for (const input of ["", "\u0003"]) {
      for (const meta of [MALFORMED, repl.b]) {
        const { isError, text } = await repl.call(input, meta);
        expect([input, isError]).toEqual([input, false]);
        expect(text).not.toContain("policy");
        expect(await repl.isKept()).toBe(true);
      }
    }
  });

  it("30: an interrupt with code and another state is another session", async () => {
    const { call, cwd, b } = await idle();
    expect((await call(`\u0003${put(`${cwd}/f`)}`, b)).text).toMatch(/denied;$/);
  });

  it("33, 34: a restart with another state tells no change, starts nothing, and holds", async () => {
    const { call, client, cwd, b } = await idle();
    expect((await call("\u0004", b)).text.trim()).toBe(STARTED);
    await expect.poll(() => client.workers()).toEqual([]);
    expect((await call(`print('x' in globals())\n${put(`${cwd}/f`)}`, b)).text).toBe(
      "False\ndenied;",
    );
  });

  it("36: a restart with code runs it under the new state", async () => {
    const { call, cwd, b } = await idle();
    const { text } = await call(`\u0004${put(`${cwd}/f`)}`, b);
    expect(text).toMatch(/^\[repl\] new session started\n?denied;$/);
  });

  it("37: another helper program is the same state", async () => {
    const repl = await idle();
    const more = { codexLinuxSandboxExe: "/elsewhere" };
    const meta = withState(stateOf(workspaceWrite(repl.cwd), repl.cwd, more));
    expect(await repl.isKept(meta)).toBe(true);
  });

  it("38: a member that nobody knows is refused, and keeps the session (stricter than the case)", async () => {
    const repl = await idle();
    const meta = withState(stateOf(workspaceWrite(repl.cwd), repl.cwd, { novel: 1 }));
    const { isError, text } = await repl.call("x = 6", meta);
    expect([isError, text]).toEqual([true, expect.stringContaining("novel")]);
    expect((await repl.call("x", repl.a)).text).toBe("5\n");
  });

  it("39: another folder is another state", async () => {
    const repl = await idle();
    const folder = path.join(repl.cwd, "sub");
    mkdirSync(folder);
    repl.client.place.give();
    const meta = withState(stateOf(workspaceWrite(repl.cwd), folder));
    expect(await repl.isKept(meta)).toBe(false);
  });

  it("40: another word on Landlock is another state", async () => {
    const repl = await idle();
    const more = { useLegacyLandlock: true };
    const meta = withState(stateOf(workspaceWrite(repl.cwd), repl.cwd, more));
    expect(await repl.isKept(meta)).toBe(false);
  });

  it("41, 42: entries in another order, or twice, are the same state", async () => {
    const repl = await idle();
    const { cwd } = repl;
    const meta = withState(
      stateOf(
        managed([
          [":tmpdir", "write"],
          [":slash_tmp", "write"],
          [cwd, "write"],
          [cwd, "write"],
          [":root", "read"],
        ]),
        cwd,
      ),
    );
    expect(await repl.isKept(meta)).toBe(true);
  });

  it("43: the folder by its name among the projects is the same state", async () => {
    const repl = await idle();
    const { cwd } = repl;
    const entries = [
      [":root", "read"],
      [":project_roots", "write"],
      [":slash_tmp", "write"],
      [":tmpdir", "write"],
    ] as const;
    expect(await repl.isKept(withState(stateOf(managed(entries), cwd)))).toBe(true);
  });
});
