/** Cases 23 to 43: a worker that lives and does nothing, and what counts as another state. */
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { USERS } from "../../support/sandbox-user.ts";
import { MALFORMED, managed, stateOf, withState } from "./support/call-states.ts";
import { type CaseRepl, type Meta, type ReplLab, replLab } from "./support/repl-lab.ts";

/** A REPL whose worker runs under a state, and holds a variable. */
async function idle(lab: ReplLab, meta = (repl: CaseRepl): Meta => repl.a): Promise<CaseRepl> {
  const repl = await lab.open();
  await repl.call("$x = 5", meta(repl));
  return repl;
}

/** Whether its worker still is the one that holds the variable. */
async function isKept(repl: CaseRepl, meta: Meta): Promise<boolean> {
  const { isError, text, starts } = await repl.call('print "x$x"', meta);
  expect(isError).toBe(false);
  expect(text.endsWith("x5")).toBe(starts === 1);
  return starts === 1;
}

const CHANGED = "another policy";

describe.each(USERS)("a REPL whose worker is idle (%s)", (user) => {
  const lab = replLab(user);

  it("23: code with the same state runs in the same session", async () => {
    const repl = await idle(lab());
    expect(await repl.call('print "x$x"', repl.a)).toEqual({
      ...{ isError: false, text: "x5", starts: 1 },
    });
  });

  it("24: code with another state runs in a fresh session under it, and the notice names it", async () => {
    const repl = await idle(lab());
    const heard = await repl.call(`print "x$x;"; put("${repl.cwd}/f")`, repl.b);
    expect(heard).toMatchObject({ isError: false, starts: 2 });
    expect(heard.text).toContain(CHANGED);
    expect(heard.text).toMatch(/policy now .*"root".*\n.*x;denied;$/);
    expect(existsSync(path.join(repl.cwd, "f"))).toBe(false);
    await expect.poll(repl.workers).toHaveLength(1);
  });

  it.each([
    ["absent", undefined],
    ["malformed", MALFORMED],
  ])("25: refuses code with its state %s, and keeps the session", async (_, meta) => {
    const repl = await idle(lab());
    const heard = await repl.call(`put("${repl.cwd}/f")`, meta);
    expect(heard).toMatchObject({ isError: true, starts: 1 });
    expect(existsSync(path.join(repl.cwd, "f"))).toBe(false);
    expect(await isKept(repl, repl.a)).toBe(true);
  });

  it("26: empty input with a malformed state is told that nothing runs", async () => {
    const repl = await idle(lab());
    const heard = await repl.call("", MALFORMED);
    expect(heard).toEqual({ isError: false, text: "[line: nothing runs]\n", starts: 1 });
  });

  it("27: empty input with another state changes nothing, then or later", async () => {
    const repl = await idle(lab());
    const heard = await repl.call("", repl.b);
    expect(heard).toEqual({ isError: false, text: "[line: nothing runs]\n", starts: 1 });
    expect(await isKept(repl, repl.a)).toBe(true);
  });

  it("28: an interrupt is delivered whatever its state", async () => {
    const repl = await idle(lab());
    const counted = async () => (await repl.call("print $interrupts", repl.a)).text;
    for (const [before, meta] of [MALFORMED, undefined].entries()) {
      expect(await repl.call("\u0003", meta)).toEqual({ isError: false, text: "", starts: 1 });
      await expect.poll(counted).toBe(String(before + 1));
    }
  });

  it("29: an interrupt with another state is delivered and changes nothing", async () => {
    const repl = await idle(lab());
    expect(await repl.call("\u0003", repl.b)).toMatchObject({ isError: false, starts: 1 });
    const counted = async () => (await repl.call("print $interrupts", repl.a)).text;
    await expect.poll(counted).toBe("1");
    expect(await isKept(repl, repl.a)).toBe(true);
  });

  it("30: an interrupt with code and another state restarts, and runs the code", async () => {
    const repl = await idle(lab());
    const heard = await repl.call(`\u0003print "i$interrupts;"; put("${repl.cwd}/f")`, repl.b);
    expect(heard).toMatchObject({ isError: false, starts: 2 });
    expect(heard.text).toMatch(/i0;denied;$/);
    expect(existsSync(path.join(repl.cwd, "f"))).toBe(false);
  });

  it.each([
    [31, "absent", undefined],
    [32, "malformed", MALFORMED],
  ])("%i: refuses a restart with its state %s, and keeps the session", async (_, _word, meta) => {
    const repl = await idle(lab());
    expect(await repl.call("\u0004", meta)).toMatchObject({ isError: true, starts: 1 });
    expect(await isKept(repl, repl.a)).toBe(true);
  });

  it("33: a restart with another state ends the session and starts none", async () => {
    const repl = await idle(lab());
    const heard = await repl.call("\u0004", repl.b);
    expect(heard).toEqual({ isError: false, text: "[line: fresh session]\n", starts: 1 });
    expect(repl.processes()).toEqual([]);
  });

  it("34: code after it runs under that state, without a notice or anything of before", async () => {
    const repl = await idle(lab());
    await repl.call("\u0004", repl.b);
    const heard = await repl.call(`print "x$x;"; put("${repl.cwd}/f")`, repl.b);
    expect(heard).toEqual({ isError: false, text: "x;denied;", starts: 2 });
  });

  it("35: refuses a restart with code and a malformed state, and runs nothing", async () => {
    const repl = await idle(lab());
    const heard = await repl.call(`\u0004put("${repl.cwd}/f")`, MALFORMED);
    expect(heard).toMatchObject({ isError: true, starts: 1 });
    expect(existsSync(path.join(repl.cwd, "f"))).toBe(false);
    expect(await isKept(repl, repl.a)).toBe(true);
  });

  it.each([["idle"], ["pending"]])(
    "36: a restart with code runs it under the new state (%s)",
    async (was) => {
      const repl = await idle(lab());
      if (was === "pending") await repl.pend('print "begun;"; nap(60)', "begun;");
      const heard = await repl.call(`\u0004put("${repl.cwd}/f")`, repl.b);
      expect(heard).toEqual({
        ...{ isError: false, text: "[line: fresh session]\ndenied;", starts: 2 },
      });
      expect(existsSync(path.join(repl.cwd, "f"))).toBe(false);
    },
  );
});

describe.each(USERS)("a REPL whose call brings what may be the same state (%s)", (user) => {
  const lab = replLab(user);
  const state = (repl: CaseRepl) => repl.a["codex/sandbox-state-meta"] as object;

  it("37: another helper of the client is the same state", async () => {
    const repl = await idle(lab());
    const other = { ...state(repl), codexLinuxSandboxExe: "/elsewhere/codex-linux-sandbox" };
    expect(await isKept(repl, withState(other))).toBe(true);
  });

  it("38: a member that nobody knows is the same state", async () => {
    const repl = await idle(lab());
    expect(await isKept(repl, withState({ ...state(repl), colour: "green" }))).toBe(true);
  });

  it("39: another folder is another state", async () => {
    const repl = await idle(lab());
    const other = path.join(repl.cwd, "sub");
    mkdirSync(other);
    const meta = withState({ ...state(repl), sandboxCwd: `file://${other}` });
    const heard = await repl.call('use Cwd; print "x$x;", getcwd', meta);
    expect(heard).toMatchObject({ isError: false, starts: 2 });
    expect(heard.text.endsWith(`x;${other}`)).toBe(true);
  });

  it("40: another word on Landlock is another state", async () => {
    const repl = await idle(lab());
    expect(await isKept(repl, withState({ ...state(repl), useLegacyLandlock: true }))).toBe(false);
  });

  it("41: writable roots in another order, or twice, are the same state", async () => {
    const roots = (repl: CaseRepl) =>
      [repl.cwd, repl.outside].map((one) => [one, "write"] as const);
    const meta = (repl: CaseRepl, entries: ReturnType<typeof roots>) =>
      withState(stateOf(managed([[":root", "read"], ...entries]), repl.cwd));
    const repl = await idle(lab(), (one) => meta(one, roots(one)));
    const [first, second] = roots(repl);
    if (first === undefined || second === undefined) throw new Error("there are two");
    expect(await isKept(repl, meta(repl, [second, first, second]))).toBe(true);
  });

  it("42: entries in another order are the same state, reducible or not (stricter than the case)", async () => {
    const entries = (repl: CaseRepl) =>
      [
        [":root", "read"],
        [repl.cwd, "write"],
        [path.join(repl.cwd, "secret"), "deny"],
        [path.join(repl.cwd, "docs"), "read"],
        [`glob:${repl.cwd}/**/*.env`, "deny"],
      ] as const;
    const meta = (repl: CaseRepl, all: ReturnType<typeof entries>[number][]) =>
      withState(stateOf(managed(all), repl.cwd));
    const repl = await idle(lab(), (one) => meta(one, [...entries(one)]));
    expect(await isKept(repl, meta(repl, [...entries(repl)].reverse()))).toBe(true);
  });

  it("43: the workspace as a symbol or as its path is the same state", async () => {
    const meta = (repl: CaseRepl, root: string) =>
      withState(
        stateOf(
          managed([
            [":root", "read"],
            [root, "write"],
          ]),
          repl.cwd,
        ),
      );
    const repl = await idle(lab(), (one) => meta(one, one.cwd));
    expect(await isKept(repl, meta(repl, ":project_roots"))).toBe(true);
  });
});
