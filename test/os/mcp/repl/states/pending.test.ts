/**
 * Inherit cases 44 to 78 on Python: sessions that are busy, that have ended, and pages.
 *
 * Cases 70 and 71 (a worker that dies between the look at it and its use) need a hook that the real
 * server does not have; the cases on the test REPL have them.
 */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { USERS } from "../../../support/sandbox-user.ts";
import { MALFORMED } from "../../cases/support/call-states.ts";
import { killAll } from "../support/left-behind.ts";
import {
  keptStateRepls,
  put,
  type StateRepl,
  type StateReplOptions,
} from "../support/state-repl.ts";

const [USER = "ordinary"] = USERS;
const openRepl = keptStateRepls(USER);
const BUSY = "<<repl status: busy";
const CHANGED = "sandbox policy changed; new session started";
const ABORTED = "previous request aborted because sandbox policy changed";
const STARTED = "[repl] new session started";
const FILES = { flags: ["--sandbox", "inherit", "--oversized-output", "files"] };
const LONG = "for i in range(200): print(f'L{i:04}', 'x' * 60)\n";

async function pending(then: string, options?: StateReplOptions): Promise<StateRepl> {
  const repl = await openRepl(options);
  await repl.pend(then);
  return repl;
}

describe("a REPL whose session is busy", () => {
  it.each([
    ["44: a poll without a state", () => undefined],
    ["45: a poll with another state", ({ b }: StateRepl) => b],
    ["46: a poll with a malformed one", () => MALFORMED],
  ])("%s reads on, and changes nothing", async (_, meta) => {
    const repl = await pending("x = 5\nprint('end')");
    expect(await repl.call("", meta(repl), 50)).toMatchObject({ isError: false });
    repl.goOn();
    expect((await repl.call("", meta(repl))).text).toBe("end\n");
    expect(await repl.isKept()).toBe(true);
  });

  it("47: code with the same state is discarded, and the request goes on", async () => {
    const { call, goOn, a } = await pending("print('end')");
    const { text } = await call("print('no')", a, 100);
    expect(text).toContain(BUSY);
    expect(text).toContain("discarded");
    goOn();
    expect((await call("", a)).text).toBe("end\n");
  });

  it("48: code with another state ends the request, says so, and runs", async () => {
    const { call, cwd, b } = await pending(put("unused"));
    const { text } = await call(put(`${cwd}/f`), b);
    expect(text).toContain(CHANGED);
    expect(text).toContain(ABORTED);
    expect(text).toMatch(/denied;$/);
  });

  it.each([
    ["49: code", "print('no')"],
    ["55: an interrupt with code", "\u0003print('no')"],
    ["57: a restart with code", "\u0004print('no')"],
  ])("%s with a malformed state is refused, and the request goes on", async (_, input) => {
    const { call, goOn, a } = await pending("print('end')", FILES);
    expect((await call(input, MALFORMED)).isError).toBe(true);
    goOn();
    expect((await call("", a)).text).toBe("end\n");
  });

  it("50, 51: an interrupt needs no state, and another one changes nothing", async () => {
    const { call, pend, cwd, a, b } = await pending("");
    const first = await call("\u0003", undefined);
    expect([first.isError, first.text]).toEqual([false, expect.stringContaining("KeyboardInt")]);
    await pend("");
    expect((await call("\u0003", b)).text).toContain("KeyboardInterrupt");
    expect((await call(put(`${cwd}/f`), a)).text).toBe("wrote;");
    expect((await call(put(`${cwd}/g`), b)).text).toContain(CHANGED);
  });

  it("52: where an interrupt ends the session, the next runs under the state it brought", async () => {
    const { call, cwd, b, client } = await exitsWhenInterrupted();
    expect((await call("\u0003", b)).text).toContain("session ended (exit 3)");
    await expect.poll(() => client.workers()).not.toEqual([]);
    expect((await call(put(`${cwd}/f`), b)).text).toMatch(/denied;$/);
  });

  it("53: where it brought none, nothing is started", async () => {
    const { call, client } = await exitsWhenInterrupted();
    expect(await call("\u0003", undefined)).toMatchObject({ isError: false });
    await expect.poll(() => client.workers()).toEqual([]);
    expect((await call("", undefined)).isError).toBe(true);
    expect(client.workers()).toEqual([]);
  });

  it.each([
    ["54: pages", undefined],
    ["54: files", FILES],
  ])("%s: an interrupt with code and another state runs it under that", async (_, options) => {
    const { call, cwd, b } = await pending("", options);
    expect((await call(`\u0003${put(`${cwd}/f`)}`, b)).text).toMatch(/denied;$/);
  });

  it("56: code after an interrupt that ends the session runs under the new state only", async () => {
    const { call, cwd, b } = await exitsWhenInterrupted();
    expect((await call(`\u0003${put(`${cwd}/f`)}`, b)).text).toMatch(/denied;$/);
    expect(existsSync(`${cwd}/f`)).toBe(false);
  });

  it("58: a restart with another state waits for nothing, and nothing comes later", async () => {
    const { call, goOn, b } = await pending("print('late')");
    const { text } = await call("\u0004", b);
    expect(text).toContain(STARTED);
    goOn();
    expect(`${(await call("", b)).text}${(await call("1", b)).text}`).not.toContain("late");
  });

  it("59, 61: what is over is told, and code with another state runs under that", async () => {
    const { call, goOn, cwd, b } = await pending("print('end')\nopen('over', 'w').close()");
    goOn();
    await expect.poll(() => existsSync(`${cwd}/over`)).toBe(true);
    const { text } = await call(put(`${cwd}/f`), b);
    expect(text).toMatch(/^end\n/);
    expect(text).toMatch(/denied;$/);
    expect(existsSync(`${cwd}/f`)).toBe(false);
  });

  it("60: code with a narrower state never runs under the older one, at any moment", async () => {
    for (const seconds of [0, 0.005, 0.01, 0.02, 0.03]) {
      const { call, cwd, a, b } = await openRepl();
      await call("import time", a);
      await call(`time.sleep(${seconds})`, a, 0);
      expect((await call(put(`${cwd}/f`), b)).text).toMatch(/denied;$/);
      expect(existsSync(`${cwd}/f`)).toBe(false);
    }
  });

  it("62: a file of output that was told gets nothing more", async () => {
    const repl = await openRepl(FILES);
    await repl.call("import time", repl.a);
    const code = `${LONG}print('told', flush=True)\nwhile True: print('more'); time.sleep(0.01)`;
    const said = await repl.client.until("transcript.txt", code, { meta: repl.a });
    const [file = ""] = /\/\S*transcript\.txt/.exec(said) ?? [];
    await repl.call("print('other')", repl.b);
    const kept = readFileSync(file, "utf8");
    await repl.call(LONG, repl.b);
    expect(kept).not.toContain("other");
    expect(readFileSync(file, "utf8")).toBe(kept);
  });
});

async function exitsWhenInterrupted(): Promise<StateRepl> {
  const repl = await openRepl();
  await repl.call("1", repl.a);
  const code =
    "import os, time\ntry:\n    print('begun;', flush=True)\n    time.sleep(60)\nexcept KeyboardInterrupt:\n    raise SystemExit(3)";
  await repl.client.until("begun;", code, { meta: repl.a });
  return repl;
}

describe("a REPL whose session has ended", () => {
  async function ended(options?: StateReplOptions): Promise<StateRepl> {
    const repl = await pending("print('last')\nraise SystemExit(4)", options);
    repl.goOn();
    await expect.poll(() => repl.client.workers()).toEqual([]);
    return repl;
  }
  const LAST = /^last\n\[repl\] session ended \(exit 4\)/;

  it("63: a poll with another state drains it, and the next runs under that", async () => {
    const { call, cwd, b } = await ended();
    expect((await call("", b)).text).toMatch(LAST);
    expect((await call(put(`${cwd}/f`), b)).text).toMatch(/denied;$/);
  });

  it("64, 65, 66: a poll without a state drains it once, and starts nothing", async () => {
    const { call, client, cwd, b } = await ended();
    const first = await call("", undefined);
    expect([first.isError, first.text]).toEqual([false, expect.stringMatching(LAST)]);
    expect((await call("", undefined)).isError).toBe(true);
    expect(client.workers()).toEqual([]);
    expect(await call("", b)).toMatchObject({ isError: false });
    expect((await call(put(`${cwd}/f`), b)).text).toBe("denied;");
  });

  it("67: code with another state runs under that", async () => {
    const { call, cwd, b } = await ended();
    const { text } = await call(put(`${cwd}/f`), b);
    expect(text).toMatch(LAST);
    expect(text).toMatch(/denied;$/);
  });

  it("68: code that ends its session is followed by one under the same state", async () => {
    const { call, client, cwd, a, b } = await openRepl();
    await call("x = 5", a);
    expect((await call(`${put(`${cwd}/f`)}raise SystemExit(0)`, b)).text).toMatch(/denied;/);
    await expect.poll(() => client.workers()).not.toEqual([]);
    expect((await call(put(`${cwd}/f`), b)).text).toBe("denied;");
  });

  it("69: a poll without a state is refused once the worker died", async () => {
    const { call, client, a } = await openRepl();
    await call("x = 5", a);
    killAll(client.workers());
    await expect.poll(async () => (await call("", undefined)).isError).toBe(true);
    expect(client.workers()).toEqual([]);
  });
});

describe("a REPL with pages", () => {
  async function paged(code = LONG): Promise<StateRepl> {
    const repl = await openRepl();
    await repl.keep();
    expect((await repl.call(code, repl.a)).text).toContain("--More--");
    return repl;
  }

  it.each([
    ["72: pages are left without a state", () => undefined],
    ["73: pages are left with another", ({ b }: StateRepl) => b],
  ])("%s, and nothing changes", async (_, meta) => {
    const repl = await paged();
    const { isError, text } = await repl.call(":q", meta(repl));
    expect([isError, text]).toEqual([false, expect.stringContaining("(END, ")]);
    expect(await repl.isKept()).toBe(true);
  });

  it("74: the next comes without a state", async () => {
    const { call } = await paged();
    const { isError, text } = await call("", undefined);
    expect([isError, text]).toEqual([false, expect.stringMatching(/L00\d\d[\s\S]*--More--/)]);
  });

  it("75: they are left while the request goes on", async () => {
    const repl = await openRepl();
    await repl.call("import os, time", repl.a);
    const code = `${LONG}\nwhile not os.path.exists("${repl.cwd}/go"): time.sleep(0.005)\nprint('done')`;
    await repl.client.until("--More--", code, { meta: repl.a });
    expect((await repl.call(":q", undefined)).text).toContain("(END, ");
    repl.goOn();
    expect(await repl.client.until("done", "")).toContain("done\n");
  });

  it("76: they are left where the session has ended, and nothing is started", async () => {
    const repl = await openRepl();
    await repl.call("import os, time", repl.a);
    const waits = `while not os.path.exists("${repl.cwd}/go"): time.sleep(0.005)\n`;
    const late = `for i in range(100): print(f'late {i}', 'x' * 60)\nraise SystemExit(4)`;
    await repl.client.until("--More--", `${LONG}${waits}${late}`, { meta: repl.a });
    repl.goOn();
    await expect.poll(() => repl.client.workers()).toEqual([]);
    expect((await repl.call(":q", repl.b)).text).toContain("(END, ");
    expect(repl.client.workers()).toEqual([]);
    // What nobody had read yet is more than a page, and the restart is told with the first.
    const { text } = await repl.call("\u0004", repl.b);
    expect(text).toContain("--More--");
    expect(text).toContain(STARTED);
    expect((await repl.call("print('new')", repl.b)).text).toBe("new\n");
  });

  it("77: a restart with another state tells no change and shows no page", async () => {
    const { call, b } = await paged();
    const { text } = await call("\u0004", b);
    expect(text).toContain(STARTED);
    expect(text).not.toMatch(/L0\d{3}|policy changed/);
  });

  it("78: code with another state leaves them, and runs under that", async () => {
    const { call, cwd, b } = await paged();
    const { text } = await call(put(`${cwd}/f`), b);
    expect(text).toContain(CHANGED);
    expect(text).toMatch(/denied;$/);
  });
});
