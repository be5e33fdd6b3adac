/** Cases 44 to 62: a request that timed out and still runs, or has just finished. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { USERS } from "../../support/sandbox-user.ts";
import { MALFORMED } from "./support/call-states.ts";
import { type CaseRepl, type OpenOptions, type ReplLab, replLab } from "./support/repl-lab.ts";

const BUSY = "[line: still running]\n";
const NEVER = () => "nap(60)";
const LEAVES = () => '$SIG{INT} = sub { print "bye"; exit 3 }; nap(60)';

/** A REPL with a request under A that is pending; without code of its own it waits to go on. */
async function pending(
  lab: ReplLab,
  code = (repl: CaseRepl) => `${repl.waits("go")} print "done"`,
  options?: OpenOptions,
): Promise<CaseRepl> {
  const repl = await lab.open(options);
  await repl.call("$x = 5", repl.a);
  const heard = await repl.pend(`print "begun;"; ${code(repl)}`, "begun;");
  expect(heard).toEqual({ isError: false, text: `begun;${BUSY}`, starts: 1 });
  return repl;
}

/** Lets the request go on, and what it then prints. */
async function rest(repl: CaseRepl): Promise<string> {
  repl.goOn("go");
  return (await repl.call("", undefined)).text;
}

/** Makes a file, after all that was printed before. */
const SAYS = 'open(my $said, ">", "said");';
/** Settles once the code of a request has made it. */
const said = (repl: CaseRepl) =>
  expect.poll(() => existsSync(path.join(repl.cwd, "said"))).toBe(true);

/** A REPL with a request that has printed `text` since it was last looked at, and then runs `then`. */
async function unread(lab: ReplLab, text: string, then: string): Promise<CaseRepl> {
  const repl = await pending(lab, (one) => `${one.waits("go")} print "${text}"; ${SAYS} ${then}`);
  repl.goOn("go");
  await said(repl);
  return repl;
}

describe.each(USERS)("a REPL with a pending request (%s)", (user) => {
  const lab = replLab(user);

  it.each([
    [44, "no state", () => undefined],
    [45, "another state", (repl: CaseRepl) => repl.b],
    [46, "a malformed state", () => MALFORMED],
  ])("%i: a poll with %s drains it and restarts nothing", async (_, _word, meta) => {
    const repl = await pending(lab());
    repl.goOn("go");
    expect(await repl.call("", meta(repl))).toEqual({ isError: false, text: "done", starts: 1 });
    expect((await repl.call('print "x$x"', repl.a)).text).toBe("x5");
  });

  it("47: code with the same state is not run, and the request goes on", async () => {
    const repl = await pending(lab());
    const heard = await repl.call(`put("${repl.cwd}/f")`, repl.a);
    expect(heard).toMatchObject({ isError: false, starts: 1 });
    expect(heard.text).toBe(`[line: this input was not run]\n${BUSY}`);
    expect(await rest(repl)).toBe("done");
    expect(existsSync(path.join(repl.cwd, "f"))).toBe(false);
  });

  it("48: code with another state ends the request, says so, and runs under it", async () => {
    const repl = await pending(lab(), NEVER);
    const heard = await repl.call(`put("${repl.cwd}/f")`, repl.b);
    expect(heard).toMatchObject({ isError: false, starts: 2 });
    expect(heard.text).toMatch(
      /another policy.*\n.*what ran was ended.*\n.*policy now.*\ndenied;$/,
    );
    await expect.poll(repl.workers).toHaveLength(1);
  });

  it("49: refuses code with a malformed state, and all that the request prints is kept", async () => {
    const repl = await lab().open({ longOutput: "file" });
    const long = `print "y" x 3000; ${SAYS} ${repl.waits("go")} print "end"`;
    await repl.pend(`print "begun;"; ${repl.waits("first")} ${long}`, "begun;");
    repl.goOn("first");
    await said(repl);
    expect(await repl.call("print 1", MALFORMED)).toMatchObject({ isError: true, starts: 1 });
    const text = await rest(repl);
    const bundle = /\[all of it: (.*)\]/.exec(text)?.[1] ?? "";
    expect(readFileSync(bundle, "utf8")).toBe(`begun;${"y".repeat(3000)}end`);
  });

  it("50: an interrupt without a state is delivered, and its output returned", async () => {
    const repl = await pending(lab(), NEVER);
    const heard = await repl.call("\u0003", undefined);
    expect(heard).toEqual({ isError: false, text: "interrupted\n", starts: 1 });
    expect((await repl.call('print "x$x"', repl.a)).text).toBe("x5");
  });

  it("51: a worker that survives an interrupt with another state stays; code with it restarts", async () => {
    const repl = await pending(lab(), NEVER);
    const heard = await repl.call("\u0003", repl.b);
    expect(heard).toEqual({ isError: false, text: "interrupted\n", starts: 1 });
    const next = await repl.call(`print "x$x;"; put("${repl.cwd}/f")`, repl.b);
    expect(next.text).toMatch(/another policy[\s\S]*x;denied;$/);
    expect(next.starts).toBe(2);
  });

  it("52: a worker that leaves on an interrupt with another state is replaced under it", async () => {
    const repl = await pending(lab(), LEAVES);
    const heard = await repl.call("\u0003", repl.b);
    expect(heard).toMatchObject({ isError: false, starts: 2 });
    expect(heard.text).toBe("bye[line: session ended, 3]\n[line: fresh session]\n");
    const next = await repl.call(`put("${repl.cwd}/f")`, repl.b);
    expect(next).toEqual({ isError: false, text: "denied;", starts: 2 });
  });

  it("53: a worker that leaves on an interrupt without a state is not replaced", async () => {
    const repl = await pending(lab(), LEAVES);
    const heard = await repl.call("\u0003", undefined);
    expect(heard).toEqual({ isError: false, text: "bye[line: session ended, 3]\n", starts: 1 });
    for (const input of ["", "print 1", "\u0004"]) {
      expect(await repl.call(input, undefined)).toMatchObject({ isError: true, starts: 1 });
    }
    expect(repl.processes()).toEqual([]);
  });

  it.each([["file"], ["pager"]] as const)(
    "54: an interrupt with code and another state restarts and runs it (%s)",
    async (longOutput) => {
      const repl = await pending(lab(), NEVER, { longOutput });
      const heard = await repl.call(`\u0003put("${repl.cwd}/f")`, repl.b);
      expect(heard.text).toMatch(/another policy[\s\S]*denied;$/);
      expect(heard).toMatchObject({ isError: false, starts: 2 });
    },
  );

  it("55: refuses an interrupt with code and a malformed state, and does not interrupt", async () => {
    const repl = await pending(lab());
    expect(await repl.call("\u0003print 1", MALFORMED)).toMatchObject({ isError: true, starts: 1 });
    expect(await rest(repl)).toBe("done");
    expect((await repl.call("print $interrupts", repl.a)).text).toBe("0");
  });

  it("56: with a worker that leaves on interrupts, one ran under the old state and one under the new", async () => {
    const repl = await pending(lab(), LEAVES);
    const heard = await repl.call(`\u0003put("${repl.cwd}/f")`, repl.b);
    expect(heard).toMatchObject({ isError: false, starts: 2 });
    expect(heard.text).toMatch(/denied;$/);
    await expect.poll(repl.workers).toHaveLength(1);
  });

  it("57: refuses a restart with code and a malformed state, and keeps the session", async () => {
    const repl = await pending(lab());
    expect(await repl.call("\u0004print 1", MALFORMED)).toMatchObject({ isError: true, starts: 1 });
    expect(await rest(repl)).toBe("done");
    expect((await repl.call('print "x$x"', repl.a)).text).toBe("x5");
  });

  it("58: a restart with another state tells what was printed, waits for no more, and leaks nothing", async () => {
    const repl = await unread(lab(), "more;", 'nap(60); print "late"');
    const heard = await repl.call("\u0004", repl.b);
    expect(heard).toEqual({
      isError: false,
      text: "more;[line: fresh session]\n",
      starts: 1,
    });
    expect(repl.processes()).toEqual([]);
    expect((await repl.call('print "new"', repl.b)).text).toBe("new");
  });

  it("59: a request that has just finished does not stand in the way of code with another state", async () => {
    const repl = await unread(lab(), "", "");
    const heard = await repl.call(`put("${repl.cwd}/f")`, repl.b);
    expect(heard.text).toMatch(/another policy[\s\S]*policy now.*\ndenied;$/);
    expect(heard).toMatchObject({ isError: false, starts: 2 });
  });

  it("60: code with a read-only state never runs under the older one, whenever the request finishes", async () => {
    const repl = await lab().open();
    for (const wait of [0, 20, 35, 45, 50, 55, 60, 70, 90, 120]) {
      await repl.call("nap(0.12)", repl.a, { timeoutMs: 60 });
      await sleep(wait);
      const heard = await repl.call(`put("${repl.cwd}/f")`, repl.b);
      expect(heard.text).toMatch(/another policy[\s\S]*denied;$/);
    }
    expect(existsSync(path.join(repl.cwd, "f"))).toBe(false);
  });

  it("61: what a finished request printed is told with the code that changes the state", async () => {
    const repl = await unread(lab(), "unread;", "");
    const heard = await repl.call(`put("${repl.cwd}/f")`, repl.b);
    expect(heard.text).toMatch(/^unread;[\s\S]*another policy[\s\S]*denied;$/);
    expect(heard.starts).toBe(2);
  });

  it("62: a file of output that was shown gets nothing of another session", async () => {
    const repl = await lab().open({ longOutput: "file" });
    const shown = await repl.pend(`print "y" x 3000; nap(60)`, "all of it");
    const bundle = /\[all of it: (.*)\]/.exec(shown.text)?.[1] ?? "";
    expect(readFileSync(bundle, "utf8")).toBe("y".repeat(3000));
    const heard = await repl.call('print "z" x 3000', repl.b);
    expect(heard.text).toMatch(/z\n\[all of it: /);
    expect(heard.text).not.toMatch(new RegExp(`z\\n\\[all of it: ${bundle}\\]`));
    expect(readFileSync(bundle, "utf8")).toBe("y".repeat(3000));
  });
});
