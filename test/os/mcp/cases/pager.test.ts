/** Cases 72 to 78: output that is read a page at a time. */
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { USERS } from "../../support/sandbox-user.ts";
import { type CaseRepl, type ReplLab, replLab } from "./support/repl-lab.ts";

const LONG = '$x = 5; print "1" x 2000, "2" x 2000, "3" x 2000;';
const MORE = "\n[line: more]";
const LEFT = { isError: false, text: "[line: output left]\n" };

/** A REPL that shows the first page of something. */
async function paging(lab: ReplLab, then?: string): Promise<CaseRepl> {
  const repl = await lab.open();
  const heard = await (then === undefined
    ? repl.call(LONG, repl.a)
    : repl.pend(`${LONG} ${repl.waits("go")} ${then}`, "1"));
  expect(heard.text).toBe(`${"1".repeat(2000)}${MORE}`);
  return repl;
}

describe.each(USERS)("a REPL that shows pages (%s)", (user) => {
  const lab = replLab(user);

  it("72: `:q` without a state leaves the pages", async () => {
    const repl = await paging(lab());
    expect(await repl.call(":q", undefined)).toEqual({ ...LEFT, starts: 1 });
    expect((await repl.call("", undefined)).text).toBe("[line: nothing runs]\n");
  });

  it("73: `:q` with another state leaves the pages and changes nothing", async () => {
    const repl = await paging(lab());
    expect(await repl.call(":q", repl.b)).toEqual({ ...LEFT, starts: 1 });
    expect(await repl.call('print "x$x"', repl.a)).toEqual({
      ...{ isError: false, text: "x5", starts: 1 },
    });
  });

  it("74: empty input without a state shows the next page", async () => {
    const repl = await paging(lab());
    const heard = await repl.call("", undefined);
    expect(heard).toEqual({ isError: false, text: `${"2".repeat(2000)}${MORE}`, starts: 1 });
    expect((await repl.call("", undefined)).text).toBe("3".repeat(2000));
  });

  it("75: `:q` without a state leaves the pages of a request that goes on", async () => {
    const repl = await paging(lab(), 'print "done"');
    expect(await repl.call(":q", undefined)).toEqual({ ...LEFT, starts: 1 });
    repl.goOn("go");
    expect((await repl.call("", undefined)).text).toBe("done");
  });

  it("76: `:q` with another state leaves the pages of a session that ended, and starts nothing", async () => {
    const repl = await paging(lab(), "exit 4");
    repl.goOn("go");
    await expect.poll(repl.processes).toEqual([]);
    expect(await repl.call(":q", repl.b)).toEqual({ ...LEFT, starts: 1 });
    expect(repl.processes()).toEqual([]);
  });

  it("77: a restart with another state turns no page and gives no notice of a change", async () => {
    const repl = await paging(lab());
    const heard = await repl.call("\u0004", repl.b);
    expect(heard).toEqual({ isError: false, text: "[line: fresh session]\n", starts: 1 });
    expect(await repl.call('print "new"', repl.b)).toEqual({
      ...{ isError: false, text: "new", starts: 2 },
    });
  });

  it("78: code with another state leaves the pages and runs under it", async () => {
    const repl = await paging(lab());
    const heard = await repl.call(`put("${repl.cwd}/f")`, repl.b);
    expect(heard.text).toMatch(/^\[line: another policy[\s\S]*\ndenied;$/);
    expect(heard.starts).toBe(2);
    expect(existsSync(path.join(repl.cwd, "f"))).toBe(false);
  });
});
