/** Cases 53 to 62: what an interrupt stops, and what it leaves alone. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { replIn } from "./support/open-repl.ts";

const INTERRUPTED = "[repl] interrupted";

describe("an R session that is interrupted", () => {
  const r = replIn("r", { restarts: false });
  const LOOP =
    'tryCatch({ cat("begun\\n"); repeat Sys.sleep(0.01) }, interrupt = function(e) cat("handled\\n"))';

  it("53: is back at its prompt, and takes code", async () => {
    await r.client.until("begun", 'cat("begun\\n"); Sys.sleep(60)');
    expect((await r.call("\u0003")).text).toMatch(/> $/);
    expect((await r.call("1")).text).toBe("[1] 1\n> ");
  });

  it("54: runs the handler of the user's", async () => {
    await r.client.until("begun", LOOP);
    expect((await r.call("\u0003")).text).toMatch(/^handled\n[\s\S]*> $/);
  });

  it("55: runs the handler, then the code that came with it, in one reply", async () => {
    await r.client.until("begun", LOOP);
    expect((await r.call('\u0003cat("T\\n")')).text).toMatch(/handled\n[\s\S]*T\n> $/);
  });

  it("60: leaves a question unanswered", async () => {
    expect((await r.call("readline('q> ')")).text).toBe("q> ");
    expect((await r.call("\u0003")).text).toMatch(/> $/);
    expect((await r.call("2")).text).toBe("[1] 2\n> ");
  });

  it("62: is told that it was, without an empty line of errors", async () => {
    await r.client.until("begun", 'cat("begun\\n"); Sys.sleep(60)');
    const { text } = await r.call("\u0003");
    expect(text).toContain(INTERRUPTED);
    expect(text).not.toMatch(/stderr: *\n/);
  });
});

describe("a Python session that is interrupted", () => {
  const python = replIn("python");
  const file = (name: string) => path.join(python.client.place.workspace, name);

  it("56: stops, and what followed is never run", async () => {
    await python.client.until("begun", "import time\nprint('begun')\ntime.sleep(30)\nprint('X')");
    const { text } = await python.call("\u0003");
    expect(text).toContain("KeyboardInterrupt");
    expect(text).toContain(INTERRUPTED);
    expect(`${text}${(await python.call("")).text}${(await python.call("1")).text}`).not.toContain(
      "X",
    );
  });

  it("57: has nothing to stop while it is idle", async () => {
    await python.call("1");
    const { text } = await python.call("\u0003print('A')");
    expect(text).toContain("A\n");
    expect(text).not.toContain("KeyboardInterrupt");
  });

  it("58: leaves a question, and the next input is code", async () => {
    expect((await python.call("input('p> ')")).text).toBe("p> ");
    await python.call("\u0003");
    expect((await python.call("'co' + 'de'")).text).toBe("'code'\n");
  });

  it("59: runs a handler of the user's once", async () => {
    await python.client.until(
      "begun",
      [
        "import signal, time",
        "def handler(*_):",
        "    with open('hits', 'a') as hits: hits.write('hit;')",
        "_ = signal.signal(signal.SIGINT, handler)",
        "print('begun')",
        "import os",
        "while not os.path.exists('hits'): time.sleep(0.01)",
        "time.sleep(0.2)",
      ].join("\n"),
    );
    await python.call("\u0003");
    expect(readFileSync(file("hits"), "utf8")).toBe("hit;");
  });

  it("61: stops the program, not the debugger it had left", async () => {
    expect((await python.call("import time\nbreakpoint()\ntime.sleep(0)")).text).toMatch(
      /\(Pdb\) $/,
    );
    await python.call("c");
    await python.client.until("begun", "print('begun')\ntime.sleep(30)");
    const { text } = await python.call("\u0003");
    expect(text).toContain("KeyboardInterrupt");
    expect(text).not.toContain("(Pdb)");
  });

  it("53: stops the program that it waits for, and what followed is never run", async () => {
    await python.client.until("begun", "import os\nos.system('echo begun; sleep 60')\nprint('X')");
    const { text } = await python.call("\u0003");
    expect(text).toContain("KeyboardInterrupt");
    expect(text).not.toContain("X");
    expect((await python.call("'on'")).text).toBe("'on'\n");
  });

  it("is interrupted at once while another call waits for it", async () => {
    const begun = file("begun-at-once");
    const running = python.call(
      "open('begun-at-once', 'w').close()\nimport time\ntime.sleep(60)\nopen('over', 'w')",
    );
    await expect.poll(() => existsSync(begun)).toBe(true);
    await python.call("\u0003");
    expect((await running).text).toContain("KeyboardInterrupt");
    expect(existsSync(file("over"))).toBe(false);
  });
});

describe.each([
  ["python", "import os\nos.system('echo begun; sleep 60')\nprint('X')", "'on'"],
  ["bash", "sh -c 'echo begun; exec sleep 60'; echo X", "echo on"],
])("a %s session without a sandbox that is interrupted", (language, code, next) => {
  const flags = ["--oversized-output", "files", "--sandbox", "danger-full-access"];
  const repl = replIn(language, { flags });

  it("53: stops the program that it waits for, and what followed is never run", async () => {
    await repl.client.until("begun", code);
    const { text } = await repl.call("\u0003");
    expect(text).toContain(INTERRUPTED);
    expect(text).not.toContain("X");
    expect((await repl.call(next)).text).toContain("on");
  });
});

describe.each([
  ["node", "console.log('begun'); await new Promise(() => setTimeout(() => {}, 60_000))", "'on'"],
  ["node", "console.log('begun'); for (;;) {}", "'on'"],
  ["node", "child_process.execSync('echo begun; sleep 60', { stdio: 'inherit' }); 'X'", "'on'"],
  ["bash", "sh -c 'echo begun; exec sleep 60'; echo X", "echo on"],
  ["bash", "echo begun; while :; do :; done", "echo on"],
])("a %s session that is interrupted", (language, code, next) => {
  const repl = replIn(language);

  it(`53: stops ${code}, and takes code`, async () => {
    await repl.client.until("begun", code);
    const { text } = await repl.call("\u0003");
    expect(text).toContain(INTERRUPTED);
    expect(text).not.toContain("X");
    expect((await repl.call(next)).text).toContain("on");
  });
});

describe("a bash session in a loop of very short programs", () => {
  const repl = replIn("bash");

  it.each([
    ["itself", "while :; do /bin/true; done"],
    ["in a copy of itself", "(while :; do /bin/true; done); echo X"],
    ["beside a program in the background", "sleep 60 & while :; do /bin/true; done"],
  ])(
    "53: stops with the first interrupt, hardly ever with another, when it runs %s",
    async (_, loop) => {
      let lost = 0;
      for (let round = 0; round < 10; round += 1) {
        await repl.client.until("begun", `echo begun; ${loop}`);
        const { text } = await repl.call("\u0003", { timeoutMs: 3000 });
        expect(text).not.toContain("X");
        // Said once a third is, or more where the machine has more to do than processors.
        if (text.includes("status: busy")) {
          lost += 1;
          await repl.call("\u0004");
        }
        expect((await repl.call("echo on")).text).toContain("on");
      }
      expect(lost).toBeLessThan(3);
    },
  );

  it("runs a trap of the user's once", async () => {
    const loop = "trap 'echo heard; stop=1' INT; until [ $stop ]; do :; done";
    await repl.client.until("begun", `echo begun; ${loop}; sleep 0.2; trap - INT`);
    expect((await repl.call("\u0003")).text.split("heard")).toHaveLength(2);
  });

  it("leaves alone what a program that heard the interrupt still does", async () => {
    const program =
      "trap 'sleep 0.3; echo tidied; exit 3' INT; echo begun; while :; do sleep 0.01; done";
    await repl.client.until("begun", `sh -c "${program}"`);
    expect((await repl.call("\u0003")).text).toContain("tidied");
  });

  const HANDLER =
    "import signal, time; n = 0\n" +
    "def hear(*_):\n  global n; n += 1\n" +
    'signal.signal(signal.SIGINT, hear); print("begun", flush=True)\n' +
    "end = time.time() + 2\n" +
    "while time.time() < end: time.sleep(0.05)\n" +
    'print("told", n)\n';

  it.each([
    ["is waited for by one that ignores interrupts", `perl -e 'system(@ARGV)' python3 -c`],
    ["took the place of the shell", "exec python3 -c"],
  ])("tells a program once that %s", async (_, start) => {
    await repl.client.until("begun", `${start} '${HANDLER}'`);
    expect((await repl.call("\u0003", { timeoutMs: 5000 })).text).toContain("told 1");
    await repl.call("\u0004");
  });
});
