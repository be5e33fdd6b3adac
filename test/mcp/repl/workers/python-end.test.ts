import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { keepWorker } from "./support/keep-worker.ts";
import { startPython } from "./support/start-python.ts";
import type { WorkerDriver } from "./support/worker-driver.ts";

const ended = (status: number) => ({
  type: "session_end",
  reason: "runtime_exit",
  message: `exit ${status}`,
});
const ready = { type: "ready" };
/** Makes the next compilation of a cell wait for a file. */
const slowly = (file: string) => `
import builtins, os, time
def slow(*args, plain=compile, **more):
    builtins.compile = plain
    print("S")
    while not os.path.exists(${JSON.stringify(file)}): time.sleep(0.01)
    return plain(*args, **more)
builtins.compile = slow`;
const session = keepWorker(startPython);

describe("an interrupt of a Python session", () => {
  it("ends a sleep, and nothing of the cell runs after it", async () => {
    const python = await session();
    python.send({
      type: "input_batch",
      input: "import time\nprint('S')\ntime.sleep(600)\nprint('X')",
    });
    await python.sees("S\n");
    python.interrupt();
    const { stderr, stdout, end } = await python.reply();
    expect(stderr).toMatch(
      /^Traceback [\s\S]*line [23], in <module>\n[\s\S]*\nKeyboardInterrupt\n$/,
    );
    expect({ stdout, end }).toEqual({ stdout: "S\n", end: ready });
    expect((await python.run("1+1")).text).toBe("2\n");
  });

  it("ends a busy loop", async () => {
    const python = await session();
    python.send({ type: "input_batch", input: "print('S')\nwhile True: pass" });
    await python.sees("S\n");
    python.interrupt();
    expect((await python.reply()).stderr).toContain("KeyboardInterrupt");
  });

  it.each([
    ["its word", (python: WorkerDriver) => python.send({ type: "interrupt" })],
    ["its signal", (python: WorkerDriver) => process.kill(python.pid, "SIGINT")],
  ])(
    "ends a cell that is being compiled, once, where only %s is heard by then",
    async (_, tell) => {
      const python = await session();
      const file = path.join(temporaryFolder(), "go");
      await python.run(slowly(file));
      python.send({ type: "input_batch", input: "print('ran')" });
      await python.sees("S\n");
      tell(python);
      // Whatever is taken while a cell is compiled has been taken.
      await new Promise((resolve) => setTimeout(resolve, 100));
      writeFileSync(file, "");
      const { stdout, stderr, end } = await python.reply();
      expect({ stdout, end }).toEqual({ stdout: "S\n", end: ready });
      expect(stderr).toMatch(/\nKeyboardInterrupt\n$|^KeyboardInterrupt\n$/);
      expect((await python.run("print('ran')")).text).toBe("ran\n");
    },
  );

  it("that comes while a cell is compiled is up to the handler that the user has for it", async () => {
    const python = await startPython();
    await python.run("import signal\nsignal.signal(signal.SIGINT, lambda *_: print('mine'))");
    const file = path.join(temporaryFolder(), "go");
    await python.run(slowly(file));
    python.send({ type: "input_batch", input: "print('ran')" });
    await python.sees("S\n");
    python.interrupt();
    await python.sees("mine\n");
    writeFileSync(file, "");
    expect(await python.reply()).toMatchObject({ text: "S\nmine\nran\n", end: ready });
  });

  it("leaves the question it meets; the next batch is a cell", async () => {
    const python = await session();
    await python.run("input('p> ')");
    python.interrupt();
    const { text, end } = await python.reply();
    expect(end).toEqual(ready);
    expect(text).toMatch(/^Traceback .*\n {2}File "<repl>", line 1, in <module>\n/);
    expect(text).toMatch(/\nKeyboardInterrupt\n$/);
    expect(text).not.toContain("workers");
    expect((await python.run("print('source')")).text).toBe("source\n");
  });

  it("between cells hurts no cell", async () => {
    const python = await session();
    for (let round = 0; round < 50; round++) {
      python.interrupt();
      expect((await python.run("print('A')")).text).toBe("A\n");
    }
  });

  it("reaches the handler of the user once, within a cell and between cells", async () => {
    const python = await startPython();
    await python.run(
      "import signal, time\nseen = []\n_ = signal.signal(signal.SIGINT, lambda *_: seen.append(1))",
    );
    python.send({
      type: "input_batch",
      input: "print('S')\nwhile not seen: time.sleep(0.001)\nprint(len(seen))",
    });
    await python.sees("S\n");
    python.interrupt();
    expect((await python.reply()).text).toBe("S\n1\n");
    python.interrupt();
    expect((await python.run("len(seen)")).text).toBe("2\n");
  });

  it("raises after a debugger was told to continue", async () => {
    const python = await startPython();
    await python.run("import time\nimport pdb; pdb.set_trace()\nprint('S')\ntime.sleep(600)");
    python.send({ type: "input_batch", input: "c" });
    await python.sees("S\n");
    python.interrupt();
    const { stderr, end } = await python.reply();
    expect(stderr).toMatch(/KeyboardInterrupt\n$/);
    expect(end).toEqual(ready);
    const handler = await python.run("import signal\nsignal.getsignal(signal.SIGINT)");
    expect(handler.text).toContain("default_int_handler");
  });

  it("forgets the lines nobody has read", async () => {
    const python = await startPython();
    await python.run("import time\ninput(); print('S'); time.sleep(600)");
    python.send({ type: "input_batch", input: "one\ntwo" });
    await python.sees("S\n");
    python.interrupt();
    await python.reply();
    expect((await python.run("input('new ')")).end).toEqual({ type: "input_wait", prompt: "new " });
  });
});

describe("the end of a Python session", () => {
  it.each([
    ["exit()", 0, ""],
    ["import sys\nsys.exit(7)", 7, ""],
    ["raise SystemExit(300)", 300 & 255, ""],
    ["quit('sorry')", 1, "sorry\n"],
  ])("after %j is said with its status", async (cell, status, text) => {
    const python = await startPython();
    expect(await python.run(cell)).toMatchObject({ text, end: ended(status) });
    expect((await python.exited).code).toBe(status);
    expect(python.raw).toBe("");
  });

  it("waits for threads, then runs exit functions, then closes files", async () => {
    const folder = temporaryFolder();
    const python = await startPython({ cwd: folder });
    const { text } = await python.run(
      "import atexit, threading, time\n_ = atexit.register(print, 'bye')\nf = open('f', 'w')\n_ = f.write('kept')\nthreading.Thread(target=lambda: (time.sleep(0.05), print('thread'))).start()\nexit(2)",
    );
    expect(text).toBe("thread\nbye\n");
    expect((await python.exited).code).toBe(2);
    expect(readFileSync(path.join(folder, "f"), "utf8")).toBe("kept");
  });

  it.each([
    ["os.kill(os.getpid(), 9)", "SIGKILL"],
    ["__import__('ctypes').string_at(0)", "SIGSEGV"],
  ])("by %s loses the channel, and no line before it", async (cell, signal) => {
    const python = await startPython();
    const reply = await python.run(`import os\nprint('before')\n${cell}`);
    expect(reply).toMatchObject({ text: "before\n", end: { type: "lost" } });
    expect((await python.exited).signal).toBe(signal);
    if (signal === "SIGSEGV") await expect.poll(() => python.raw).toContain("Segmentation fault");
  });

  it("comes at once when nobody is there to read it, busy or not", async () => {
    for (const cell of ["print('S')", "print('S')\nwhile True: pass"]) {
      const python = await startPython();
      python.send({ type: "input_batch", input: cell });
      await python.sees("S\n");
      python.closeInput();
      await python.exited;
    }
  });

  it("may be asked for: when idle, in a question, in a busy loop", async () => {
    const idle = await startPython();
    await idle.run("import atexit\n_ = atexit.register(print, 'bye')");
    idle.send({ type: "shutdown" });
    expect(await idle.reply()).toMatchObject({ text: "bye\n", end: { reason: "shutdown" } });
    const asking = await startPython();
    await asking.run("try: input()\nexcept EOFError: print('end of input')");
    asking.send({ type: "shutdown" });
    expect((await asking.reply()).text).toBe("end of input\n");
    await asking.exited;
    const busy = await startPython();
    busy.send({ type: "input_batch", input: "print('S')\nwhile True: pass" });
    await busy.sees("S\n");
    busy.send({ type: "shutdown" });
    expect((await busy.exited).signal).toBe("SIGTERM");
  });

  it("comes on a message it does not know", async () => {
    const python = await startPython();
    python.send({ type: "surprise" });
    expect((await python.exited).code).toBe(1);
  });
});
