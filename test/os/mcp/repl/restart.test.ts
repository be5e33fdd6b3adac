/** Cases 63 to 79: sessions that are restarted, that end, and that die. */
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { foldersOf, killAll, stillRunning } from "./support/left-behind.ts";
import { openRepl, replIn } from "./support/open-repl.ts";

const STARTED = "[repl] new session started";
const ENDED = "[repl] session ended";
const BUSY = /<<repl status: busy, /;

describe("an R session", () => {
  const r = replIn("r", { restarts: false });

  it("63: has forgotten everything after a restart", async () => {
    await r.call("x <- 1");
    expect((await r.call("\u0004")).items).toEqual([{ type: "text", text: STARTED }]);
    expect((await r.call('exists("x")')).text).toBe("[1] FALSE\n> ");
  });

  it("65: runs the code that came with a restart, in the same reply", async () => {
    await r.call("x <- 1");
    const { items } = await r.call('\u0004print(exists("x"))\n');
    expect(items.map(({ text }) => text)).toEqual([STARTED, "[1] FALSE\n> "]);
  });

  it.each(["quit()", 'q("yes")'])(
    "70: %s ends it without a question, and the next call has another",
    async (code) => {
      await r.call("x <- 1");
      const { text } = await r.call(code);
      expect(text).toContain(ENDED);
      expect(text).not.toContain("Save workspace");
      expect((await r.call('exists("x")')).text).toBe("[1] FALSE\n> ");
    },
  );
});

describe("a Python session", () => {
  const python = replIn("python");
  const file = (name: string) => path.join(python.client.place.workspace, name);
  const fresh = async () =>
    expect((await python.call("'x' in globals()")).text).toMatch(/^False\n$/);

  it("64: is restarted without any time", async () => {
    await python.call("x = 1");
    expect((await python.call("\u0004", { timeoutMs: 0 })).text).toBe(STARTED);
    await fresh();
  });

  it("66: is restarted while it is busy", async () => {
    await python.call("import time\nx = 1\ntime.sleep(30)", { timeoutMs: 50 });
    const { text } = await python.call("\u0004");
    expect(text).toContain(STARTED);
    expect(text).not.toMatch(BUSY);
    await fresh();
  });

  it("67: what it prints as it ends comes before the notice, and never again", async () => {
    await python.call("import atexit\n_ = atexit.register(lambda: print('old'))");
    const { text } = await python.call("\u0004print('F')");
    expect(text).toMatch(/^old\n\[repl\] new session started\n?F\n$/);
    expect(`${(await python.call("")).text}${(await python.call("1")).text}`).not.toContain("old");
  });

  it("68: the time of a call is that of its restart and its code together", async () => {
    await python.client.until(
      "begun",
      "import signal, time\n_ = signal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('begun')\ntime.sleep(60)",
    );
    // The code alone has the time for it, and the end of the one before takes longer than what is left.
    const tail = "import time\ntime.sleep(5.9)\nprint('T')";
    const { text } = await python.call(`\u0004${tail}`, { timeoutMs: 6000 });
    expect(text).toContain(STARTED);
    expect(text).toMatch(BUSY);
    expect((await python.call("")).text).toBe("T\n");
  });

  it("69: a question that is open at a restart has no answer", async () => {
    await python.call(
      "try:\n    got = input('q ')\nexcept EOFError:\n    open('eof69', 'w').close()\nelse:\n    open('got69', 'w').close()",
    );
    expect((await python.call("\u0004'next'")).text).toMatch(/'next'\n$/);
    expect(existsSync(file("got69"))).toBe(false);
    await fresh();
  });

  it("71: an exit is told with its code and no traceback", async () => {
    const { text, facts } = await python.call("import sys\nx = 1\nsys.exit(7)");
    expect(text).toMatch(/\[repl\] session ended \(exit 7\)/);
    expect(text).not.toContain("Traceback");
    expect(facts).toMatchObject({ status: "ended", end: "exit 7" });
    await fresh();
  });

  it("72: what exit functions print comes before the end", async () => {
    const { text } = await python.call(
      "import atexit, sys\n_ = atexit.register(lambda: print('bye'))\nsys.exit()",
    );
    expect(text).toMatch(/^bye\n\[repl\] session ended/);
    await fresh();
  });

  it("73: it is busy until its last thread is over", async () => {
    const exiting = await python.call(
      [
        "import os, sys, threading, time",
        "def late():",
        "    while not os.path.exists('go73'): time.sleep(0.01)",
        "threading.Thread(target=late).start()",
        "x = 1",
        "sys.exit()",
      ].join("\n"),
      { timeoutMs: 300 },
    );
    expect(exiting.text).toMatch(BUSY);
    expect((await python.call("1", { timeoutMs: 100 })).text).toMatch(BUSY);
    writeFileSync(file("go73"), "");
    expect((await python.call("")).text).toContain(ENDED);
    await fresh();
  });

  it.each([
    ["os._exit(3)", /exited with status 3/],
    ["os.kill(os.getpid(), 9)", /signal 9/],
  ])("74: %s is told as it was, and the next call has another session", async (code, how) => {
    const { text, isError } = await python.call(`import os\nx = 1\n${code}`);
    expect(text).toMatch(how);
    expect(isError).toBe(false);
    await fresh();
  });

  it("75: a reply says that it died while it was idle", async () => {
    await python.call("x = 1");
    killAll(python.client.workers());
    // The server may hear of it later than the host.
    const died = "previous session died while it was idle";
    const text = await python.client.until(died, "", { timeoutMs: 30_000 });
    expect(text).not.toMatch(BUSY);
    await fresh();
  });

  it("76: its end does not wait for a child that holds its output", async () => {
    const { text, facts } = await python.call(
      "import subprocess, sys\n_ = subprocess.Popen(['sleep', '600'], start_new_session=True)\nsys.exit()",
    );
    expect(text).toContain(ENDED);
    expect(facts.status).toBe("ended");
  });

  it("77: its temporary folder is empty each time, and can be written to", async () => {
    const look =
      "import os, tempfile\n'mine' in os.listdir(os.environ['TMPDIR']), os.environ['TMPDIR'] == tempfile.gettempdir()";
    const write = "open(os.path.join(os.environ['TMPDIR'], 'mine'), 'w').close()";
    for (const _ of [1, 2]) {
      expect((await python.call(look)).text).toBe("(False, True)\n");
      await python.call(write);
      await python.call("\u0004");
    }
  });
});

describe.each([
  ["node", "globalThis.x = 1", "process.exit(7)", "typeof globalThis.x", "'undefined'\n"],
  ["bash", "x=1", "exit 7", "test -v x || echo none", "none\n"],
])("a %s session", (language, sets, exits, looks, seen) => {
  const repl = replIn(language);

  it("63, 71: has forgotten everything after a restart and after an exit, which is told", async () => {
    await repl.call(sets);
    expect((await repl.call("\u0004")).text).toBe(STARTED);
    expect((await repl.call(looks)).text).toBe(seen);
    await repl.call(sets);
    expect((await repl.call(exits)).text).toMatch(/session ended \(exit 7\)/);
    expect((await repl.call(looks)).text).toBe(seen);
  });
});

describe("a server that ends", () => {
  const languages = ["python", "node", "bash", "r"];
  const flags = [
    ...languages.flatMap((language) => ["--language", language]),
    ...["--oversized-output", "files"],
  ];
  const busy: Record<string, string> = {
    python:
      "print('x' * 9000)\nimport subprocess\n_ = subprocess.Popen(['sleep', '600'], start_new_session=True)\nwhile True: pass",
    node: "for (;;) {}",
    bash: "sleep 600 & while :; do :; done",
    r: "repeat {}",
  };

  it.each(["input", "SIGKILL"])("78, 79: by its %s takes all its workers with it", async (how) => {
    const client = await openRepl({ flags });
    const { child } = client;
    for (const language of languages) {
      await client.call("1", { language });
      await client.call(busy[language] ?? "", { language, timeoutMs: 100 });
    }
    const pids = client.processes();
    expect(pids.length).toBeGreaterThan(languages.length);
    expect(foldersOf(child.pid ?? 0)).not.toEqual([]);
    if (how === "input") {
      expect(await client.end()).toBe(0);
      expect(foldersOf(child.pid ?? 0)).toEqual([]);
    } else {
      child.kill("SIGKILL");
      await client.exit;
    }
    await expect.poll(() => stillRunning(pids)).toEqual([]);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "by %s does so though its client keeps the input open, and leaves nothing",
    async (signal) => {
      const client = await openRepl({ flags: ["--language", "bash"] });
      const { child } = client;
      await client.call("sleep 600 &");
      const pids = client.processes();
      child.kill(signal);
      expect(await client.exit).toBe(0);
      await expect.poll(() => stillRunning(pids)).toEqual([]);
      expect(foldersOf(child.pid ?? 0)).toEqual([]);
    },
    20_000,
  );
});
