import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openLocalMachine } from "../../../src/exec/index.ts";
import { SandboxedWorker } from "../../../src/mcp/index.ts";
import { wireState } from "./support/wire-state.ts";

function place() {
  const base = mkdtempSync("/var/tmp/writ-scratch-");
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [home, workspace] = [path.join(base, "home"), path.join(base, "ws")];
  mkdirSync(workspace);
  const machine = openLocalMachine({ home, ceilings: [], waivers: "refused" });
  onTestFinished(() => machine.executor.close());
  const context = { mcpReq: { _meta: { "codex/sandbox-state-meta": wireState(workspace) } } };
  return { machine, context };
}

/** A shell under read-only; `run` gives what a line prints. */
function shellIn({ machine, context }: ReturnType<typeof place>) {
  let heard = (_: string) => {};
  const worker = new SandboxedWorker({
    machine,
    command: { argv: ["/bin/sh"], env: { PATH: "/bin" }, envPolicy: null, terminal: null },
    policy: { kind: "inherit", writableRoots: [] },
    network: "off",
    attach: () => ({ output: (chunk) => heard(String(chunk)), ended: () => heard("ended\0") }),
    graceMs: 1000,
  });
  onTestFinished(() => worker.close());
  const run = (line: string) =>
    worker.call(context, async (call) => {
      expect(await call.apply()).toMatchObject({ kind: "applied" });
      const answer = new Promise<string>((resolve) => {
        let text = "";
        heard = (piece) => {
          text += piece;
          if (text.endsWith("\0")) resolve(text.slice(0, -1));
        };
      });
      await call.write(`{ ${line}\n} 2>&1; printf '\\0'\n`);
      return answer;
    });
  return { run, worker };
}

describe("the temporary folder of a worker", () => {
  it("is there under read-only, and nobody else's is", async () => {
    const here = place();
    const [one, other] = [shellIn(here), shellIn(here)];
    const [mine, theirs] = [
      await one.run("printf %s $TMPDIR"),
      await other.run("printf %s $TMPDIR"),
    ];
    expect(mine).not.toBe(theirs);
    expect(await one.run("touch $TMPDIR/file && mkdir $TMPDIR/.git && ls $TMPDIR")).toBe("file\n");
    expect(readdirSync(mine).sort()).toEqual([".git", "file"]);
    const tried = await other.run(`ls ${mine}; cat ${mine}/file && echo seen; touch ${mine}/other`);
    expect(tried).not.toMatch(/^(file|seen)$/m);
    expect(readdirSync(mine)).not.toContain("other");
    const own = path.resolve(mine, "../../..");
    const base = path.dirname(own);
    expect(await other.run(`ls ${base}`)).not.toContain(path.basename(own));
  });

  it("has nothing laid around it, and may hold what is protected elsewhere", async () => {
    const { run } = shellIn(place());
    const cell = "cd $TMPDIR/.. && ls -A && mkdir .git && touch .envrc && ls -A";
    expect(await run(cell)).toBe("tmp\n.envrc\n.git\ntmp\n");
    expect(await run("grep -c $(dirname $TMPDIR) /proc/self/mountinfo")).toBe("1\n");
  });

  it("is another for the next child, and gone with the last", async () => {
    const { run } = shellIn(place());
    const first = await run("printf %s $TMPDIR; touch $TMPDIR/file");
    await run("kill -9 $$");
    const second = await run("printf %s $TMPDIR");
    expect(second).not.toBe(first);
    expect(() => readdirSync(first)).toThrow("ENOENT");
    expect(readdirSync(second)).toEqual([]);
  });

  it("leads nowhere else when it is swept, whatever code has put in its place", async () => {
    const { run, worker } = shellIn(place());
    const victim = mkdtempSync("/var/tmp/writ-victim-");
    onTestFinished(() => rmSync(victim, { recursive: true, force: true }));
    writeFileSync(path.join(victim, "file"), "");
    const tricks = [
      `t=$TMPDIR; mv $t $t-x; ln -s ${victim} $t`,
      `t=$(dirname $TMPDIR); mv $t $t-x; ln -s ${victim} $t`,
      `rm -rf $TMPDIR; ln -s ${victim} $TMPDIR`,
      `ln -s ${victim} $TMPDIR/inside`,
    ];
    for (const trick of tricks) {
      await run(`{ ${trick}; } 2>/dev/null`);
      await run("kill -9 $$");
      expect(readdirSync(victim)).toEqual(["file"]);
    }
    expect(await run("touch $TMPDIR/file && echo made")).toBe("made\n");
    await worker.close();
    expect(readdirSync(victim)).toEqual(["file"]);
  });

  it("is removed with the worker", async () => {
    const { run, worker } = shellIn(place());
    const folder = await run("printf %s $TMPDIR");
    await worker.close();
    expect(() => readdirSync(folder)).toThrow("ENOENT");
  });
});
