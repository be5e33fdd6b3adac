/**
 * Cases 1 to 22: what a server says of itself, and the first calls to a worker that never ran.
 *
 * Cases 5 and 7 have no counterpart: they are about the order of operations on a command line, and a
 * worker's policy here is one value that is given once.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { WorkerPolicy } from "../../../../src/mcp/index.ts";
import { readSandboxState } from "../../../../src/policy/index.ts";
import { USERS } from "../../support/sandbox-user.ts";
import { MALFORMED, managed, stateOf } from "./support/call-states.ts";
import { startServer } from "./support/repl-client.ts";
import { replLab, workspaceWrite } from "./support/repl-lab.ts";

const INHERIT = { kind: "inherit", writableRoots: [] } as const;
const VERSION = { version: "1.0.0" };

describe.each(USERS)("a REPL that was just made (%s)", (user) => {
  const lab = replLab(user);

  it("1: a server that inherits advertises it as experimental, with an object", async () => {
    const { initialized } = await startServer(lab().place, INHERIT);
    expect(initialized.capabilities.experimental).toMatchObject({
      "codex/sandbox-state-meta": VERSION,
    });
  });

  it("2: it advertises the second name of the capability just so", async () => {
    const { initialized } = await startServer(lab().place, INHERIT);
    expect(initialized.capabilities.experimental).toMatchObject({ "codex/sandbox-state": VERSION });
  });

  it("3: a server with a policy of its own advertises nothing", async () => {
    const { place } = lab();
    const { initialized } = await startServer(place, explicitly(place.workspace));
    expect(JSON.stringify(initialized.capabilities)).not.toContain("sandbox-state");
  });

  it("4: a server with a policy of its own runs code under it without a state", async () => {
    const { place } = lab();
    const { workspace: cwd, outside } = place;
    const { call } = await startServer(place, explicitly(cwd));
    const inside = await call(`put("${cwd}/inside"); put("${outside}/case-4")`);
    expect(inside).toMatchObject({ isError: false, text: "wrote;denied;" });
    expect(existsSync(path.join(outside, "case-4"))).toBe(false);
  });

  it("6: no process is there before the first call", async () => {
    const { server, processes } = await startServer(lab().place, INHERIT);
    expect(server.exitCode).toBe(null);
    expect(processes()).toEqual([]);
  });

  it("8: refuses code without state, and starts nothing", async () => {
    const repl = await lab().open();
    const heard = await repl.call(`put("${repl.cwd}/f")`, undefined);
    expect(heard).toMatchObject({ isError: true, starts: 0 });
    expect(heard.text).toContain("without sandbox state");
    expect([repl.processes(), existsSync(path.join(repl.cwd, "f"))]).toEqual([[], false]);
  });

  it("9: refuses code with a state that is a string, and starts nothing", async () => {
    const repl = await lab().open();
    const heard = await repl.call("print 1", MALFORMED);
    expect(heard).toMatchObject({ isError: true, starts: 0 });
    expect(heard.text).toContain("sandboxState");
    expect(repl.processes()).toEqual([]);
  });

  it("10: takes other keys for no state", async () => {
    const repl = await lab().open();
    const heard = await repl.call("print 1", { threadId: "t", progressToken: 1 });
    expect(heard).toMatchObject({ isError: true, starts: 0 });
    expect(heard.text).toContain("without sandbox state");
  });

  it("11: reads the state under its second name (stricter than the case)", async () => {
    const repl = await lab().open();
    const alias = { "codex/sandbox-state": stateOf(managed([[":root", "read"]]), repl.cwd) };
    const heard = await repl.call(`put("${repl.cwd}/f"); print "ran"`, alias);
    expect(heard).toMatchObject({ isError: false, text: "denied;ran", starts: 1 });
    const differ = { ...alias, ...repl.a };
    expect(await repl.call("print 1", differ)).toMatchObject({ isError: true, starts: 1 });
  });

  it("12: starts a worker under the state, without a notice", async () => {
    const repl = await lab().open();
    const code = `put("${repl.cwd}/f"); put("${repl.outside}/case-12")`;
    const heard = await repl.call(code, repl.a);
    expect(heard).toEqual({ isError: false, text: "wrote;denied;", starts: 1 });
    expect(existsSync(path.join(repl.cwd, "f"))).toBe(true);
    expect(existsSync(path.join(repl.outside, "case-12"))).toBe(false);
  });

  it("13: starts a worker for empty input with a state", async () => {
    const repl = await lab().open();
    expect(await repl.call("", repl.a)).toMatchObject({ isError: false, starts: 1 });
    await expect.poll(repl.workers).toHaveLength(1);
  });

  it.each([
    [14, "", "absent", undefined],
    [15, "", "malformed", MALFORMED],
    [16, "\u0004", "absent", undefined],
  ])("%i: refuses %j with its state %s", async (_, input, _word, meta) => {
    const repl = await lab().open();
    expect(await repl.call(input, meta)).toMatchObject({ isError: true, starts: 0 });
    expect(repl.processes()).toEqual([]);
  });

  it("17: a restart with a state says so and starts nothing", async () => {
    const repl = await lab().open();
    const restarted = await repl.call("\u0004", repl.a);
    expect(restarted).toEqual({ isError: false, text: "[line: fresh session]\n", starts: 0 });
    expect(repl.processes()).toEqual([]);
  });

  it("18: empty input with a state starts what a restart was for, without a notice", async () => {
    const repl = await lab().open();
    await repl.call("\u0004", repl.a);
    const idle = await repl.call("", repl.a);
    expect(idle).toMatchObject({ isError: false, starts: 1 });
    expect(idle.text).not.toContain("another policy");
    await expect.poll(repl.workers).toHaveLength(1);
  });

  it("19: a restart with a state is no licence for the next call", async () => {
    const repl = await lab().open();
    await repl.call("\u0004", repl.a);
    for (const input of ["", "print 1"]) {
      expect(await repl.call(input, undefined)).toMatchObject({ isError: true, starts: 0 });
    }
    expect(repl.processes()).toEqual([]);
  });

  it("20: a restart with code runs it under the state", async () => {
    const repl = await lab().open();
    const heard = await repl.call(`\u0004put("${repl.cwd}/f"); put("${repl.outside}/x")`, repl.a);
    expect(heard).toMatchObject({ isError: false, starts: 1 });
    expect(heard.text).toBe("[line: fresh session]\nwrote;denied;");
  });

  it("21: an interrupt of nothing does nothing", async () => {
    const repl = await lab().open();
    for (const meta of [undefined, repl.a]) {
      expect(await repl.call("\u0003", meta)).toEqual({ isError: false, text: "", starts: 0 });
    }
    expect(repl.processes()).toEqual([]);
  });

  it("22: refuses an interrupt with code without a state", async () => {
    const repl = await lab().open();
    expect(await repl.call("\u0003print 1", undefined)).toMatchObject({ isError: true, starts: 0 });
  });
});

function explicitly(cwd: string): WorkerPolicy {
  return { kind: "explicit", state: readSandboxState(stateOf(workspaceWrite(cwd), cwd)) };
}
