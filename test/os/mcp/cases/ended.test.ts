/** Cases 63 to 71: a session that ended with a request, or while nobody looked. */
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { USERS } from "../../support/sandbox-user.ts";
import { type CaseRepl, type ReplLab, replLab } from "./support/repl-lab.ts";

/** A REPL whose pending request has ended its session. */
async function ended(lab: ReplLab): Promise<CaseRepl> {
  const repl = await lab.open();
  await repl.pend(`print "begun;"; ${repl.waits("go")} print "last;"; exit 4`, "begun;");
  repl.goOn("go");
  await expect.poll(repl.processes).toEqual([]);
  return repl;
}

/** A REPL whose worker was killed while it did nothing. */
async function killed(lab: ReplLab): Promise<CaseRepl> {
  const repl = await lab.open();
  await repl.call("$x = 5", repl.a);
  for (const pid of repl.workers()) process.kill(pid, "SIGKILL");
  await expect.poll(repl.processes).toEqual([]);
  return repl;
}

const LAST = "last;[line: session ended, 4]\n";

describe.each(USERS)("a REPL whose session has ended (%s)", (user) => {
  const lab = replLab(user);

  it("63: a poll with another state drains it and starts a worker under that", async () => {
    const repl = await ended(lab());
    const heard = await repl.call("", repl.b);
    expect(heard).toMatchObject({ isError: false, starts: 2 });
    expect(heard.text).toBe(`${LAST}[line: fresh session]\n`);
    const next = await repl.call(`put("${repl.cwd}/f")`, repl.b);
    expect(next).toEqual({ isError: false, text: "denied;", starts: 2 });
  });

  it("64: a poll without a state drains it and starts nothing", async () => {
    const repl = await ended(lab());
    expect(await repl.call("", undefined)).toEqual({ isError: false, text: LAST, starts: 1 });
    expect(repl.processes()).toEqual([]);
  });

  it("65: a second poll without a state is refused", async () => {
    const repl = await ended(lab());
    await repl.call("", undefined);
    const heard = await repl.call("", undefined);
    expect(heard).toMatchObject({ isError: true, starts: 1 });
    expect(heard.text).toContain("without sandbox state");
    expect(repl.processes()).toEqual([]);
  });

  it("66: a second poll with another state starts a worker under it", async () => {
    const repl = await ended(lab());
    await repl.call("", undefined);
    const heard = await repl.call("", repl.b);
    expect(heard).toMatchObject({ isError: false, starts: 2 });
    expect(heard.text).toMatch(/\[line: nothing runs\]\n$/);
    const next = await repl.call(`put("${repl.cwd}/f")`, repl.b);
    expect(next).toEqual({ isError: false, text: "denied;", starts: 2 });
  });

  it("67: code with another state runs in a worker under it", async () => {
    const repl = await ended(lab());
    const heard = await repl.call(`put("${repl.cwd}/f")`, repl.b);
    expect(heard.text).toMatch(/^last;[\s\S]*denied;$/);
    expect(heard).toMatchObject({ isError: false, starts: 2 });
    expect(existsSync(path.join(repl.cwd, "f"))).toBe(false);
  });

  it("68: code with another state that ends its session is followed by a worker under that state", async () => {
    const repl = await lab().open();
    await repl.call("$x = 5", repl.a);
    const heard = await repl.call(`put("${repl.cwd}/f"); exit 0`, repl.b);
    expect(heard.text).toMatch(/denied;\[line: session ended, 0\]\n\[line: fresh session\]\n$/);
    expect(heard.starts).toBe(3);
    const next = await repl.call(`put("${repl.cwd}/f")`, repl.b);
    expect(next).toEqual({ isError: false, text: "denied;", starts: 3 });
  });

  it("69: refuses a poll without a state once the worker died", async () => {
    const repl = await killed(lab());
    // The server may hear of it later than the host.
    const heard = async () => repl.call("", undefined);
    await expect.poll(heard).toMatchObject({ isError: true, starts: 1 });
    expect(repl.processes()).toEqual([]);
  });

  it.each([
    ["code", 'print "x$x;served"', /x;served$/],
    ["a poll", "", /nothing runs/],
    ["a restart with code", '\u0004print "served"', /served$/],
  ])(
    "70: a worker that dies after the look at it is replaced once under the state of the call (%s)",
    async (_, input, text) => {
      const repl = await lab().open();
      await repl.call("$x = 5", repl.a);
      const heard = await repl.call(input, repl.a, { dies: true });
      expect(heard).toMatchObject({ isError: false, starts: 2 });
      expect(heard.text).toMatch(text);
    },
  );

  it.each([
    ["a poll", ""],
    ["code", "print 1"],
    ["a restart", "\u0004"],
  ])(
    "71: refuses %s without a state where the worker dies after the look at it",
    async (_, input) => {
      const repl = await lab().open();
      await repl.call("$x = 5", repl.a);
      const heard = await repl.call(input, undefined, { dies: true });
      expect(heard).toMatchObject({ isError: true, starts: 1 });
      expect(heard.text).toContain("without sandbox state");
      expect(repl.processes()).toEqual([]);
    },
  );
});
