/**
 * Cases 101 to 106: what the server's operator adds, or says instead of the client, and workers that
 * something kills from outside.
 */
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readSandboxState } from "../../../../src/policy/index.ts";
import { USERS } from "../../support/sandbox-user.ts";
import { MALFORMED, managed, stateOf, withState } from "./support/call-states.ts";
import { type CaseRepl, type ReplLab, replLab, workspaceWrite } from "./support/repl-lab.ts";

const FULL = (repl: CaseRepl) => withState(stateOf({ type: "disabled" }, repl.cwd));

/** A REPL whose operator has added a folder. */
async function withRoot(lab: ReplLab): Promise<CaseRepl & { readonly root: string }> {
  const root = path.join(lab.place.outside, `root-${Math.random()}`);
  mkdirSync(root);
  return { ...(await lab.open({ writableRoots: [root] })), root };
}

/** A REPL whose policy is the operator's alone. */
function explicit(lab: ReplLab): Promise<CaseRepl> {
  return lab.open({
    policy: (cwd) => ({
      kind: "explicit",
      state: readSandboxState(stateOf(workspaceWrite(cwd), cwd)),
    }),
  });
}

describe.each(USERS)("a REPL whose operator has a word (%s)", (user) => {
  const lab = replLab(user);

  it("101: a folder that was added is writable under workspace-write", async () => {
    const { call, root, outside, a } = await withRoot(lab());
    const heard = await call(`put("${root}/f"); put("${outside}/case-101")`, a);
    expect(heard).toEqual({ isError: false, text: "wrote;denied;", starts: 1 });
    expect([existsSync(`${root}/f`), existsSync(`${outside}/case-101`)]).toEqual([true, false]);
  });

  it.each([
    ["read-only", (repl: CaseRepl) => withState(stateOf(managed([[":root", "read"]]), repl.cwd))],
    ["full access", FULL],
  ])("102: refuses %s where a folder was added, and keeps what there is", async (_, meta) => {
    const repl = await withRoot(lab());
    await repl.call("$x = 5", repl.a);
    const heard = await repl.call(`put("${repl.outside}/case-102")`, meta(repl));
    expect(heard).toMatchObject({ isError: true, starts: 1 });
    expect(existsSync(path.join(repl.outside, "case-102"))).toBe(false);
    expect(await repl.call('print "x$x"', repl.a)).toEqual({
      ...{ isError: false, text: "x5", starts: 1 },
    });
  });

  it("103: full access that a call brings is ignored under a policy of the operator's own", async () => {
    const repl = await explicit(lab());
    const heard = await repl.call(
      `put("${repl.cwd}/f"); put("${repl.outside}/case-103")`,
      FULL(repl),
    );
    expect(heard).toEqual({ isError: false, text: "wrote;denied;", starts: 1 });
    expect(existsSync(path.join(repl.outside, "case-103"))).toBe(false);
  });

  it("104: under a policy of the operator's own no call needs a state, nor does one do harm", async () => {
    const repl = await explicit(lab());
    await repl.call("$x = 5", undefined);
    for (const meta of [MALFORMED, undefined, repl.b]) {
      expect(await repl.call('print "x$x"', meta)).toEqual({
        ...{ isError: false, text: "x5", starts: 1 },
      });
    }
    expect(await repl.call("\u0004print 'new'", MALFORMED)).toMatchObject({
      ...{ isError: false, text: "[line: fresh session]\nnew", starts: 2 },
    });
  });
});

/** Kills what runs, as a guard over memory does, and waits until it is gone. */
async function guard(repl: CaseRepl): Promise<void> {
  for (const pid of repl.workers()) process.kill(pid, "SIGKILL");
  await expect.poll(repl.processes).toEqual([]);
}

describe.each(USERS)("a REPL whose worker is killed from outside (%s)", (user) => {
  const lab = replLab(user);

  it("105: refuses code without a state, and starts nothing", async () => {
    const repl = await lab().open();
    await repl.call("$x = 5", repl.a);
    await guard(repl);
    const heard = await repl.call("print 1", undefined);
    expect(heard).toMatchObject({ isError: true, starts: 1 });
    expect(heard.text).toContain("without sandbox state");
    expect(repl.processes()).toEqual([]);
  });

  it("106: a poll without a state tells of it as an error, and starts nothing (stricter than the case)", async () => {
    const repl = await lab().open();
    await repl.pend('print "begun;"; nap(60)', "begun;");
    await guard(repl);
    const heard = await repl.call("", undefined);
    expect(heard).toEqual({ isError: true, text: "[line: session ended, 137]\n", starts: 1 });
    expect(repl.processes()).toEqual([]);
    expect(await repl.call("", undefined)).toMatchObject({ isError: true, starts: 1 });
    expect(repl.processes()).toEqual([]);
  });
});
