import { describe, expect, it } from "vitest";
import { startPython } from "./support/start-python.ts";

/** Runs cells in a session of their own and returns what each printed; none may end it. */
async function texts(...cells: readonly string[]): Promise<string[]> {
  const python = await startPython();
  const replies: string[] = [];
  for (const cell of cells) {
    const { text, end } = await python.run(cell);
    expect(end).toEqual({ type: "ready" });
    replies.push(text);
  }
  return replies;
}

describe("an error of a Python cell", () => {
  it("may have more frames than the interpreter allows calls", async () => {
    const again =
      "e = ValueError('again')\nfor i in range(3000):\n  try: raise e\n  except ValueError: pass\nraise e";
    const [deep, long, after] = await texts("def f(): return f()\nf()", again, "print('alive')");
    expect(deep).toMatch(/^Traceback \(most recent call last\):\n {2}File "<repl>", line 2/);
    expect(deep).toMatch(/\nRecursionError: maximum recursion depth exceeded[^\n]*\n$/);
    expect(deep).not.toContain("writ_python");
    expect(long).toMatch(/\nValueError: again\n$/);
    expect(after).toBe("alive\n");
  });

  it("is shown where standard error was closed or is no stream", async () => {
    const [, closed, replaced, after] = await texts(
      "import sys\nsys.stderr.close()",
      "1/0",
      "sys.stderr = 'nothing'\n1/0",
      "print('alive')",
    );
    expect(closed).toMatch(/\nZeroDivisionError: division by zero\n$/);
    expect(replaced).toMatch(/\nZeroDivisionError: division by zero\n$/);
    expect(after).toBe("alive\n");
  });

  it("is shown where the hook for it fails in any way", async () => {
    const [, error] = await texts(
      "import sys\ndef hook(*_): raise KeyboardInterrupt\nsys.excepthook = hook",
      "1/0",
    );
    expect(error).toMatch(/\nKeyboardInterrupt\n[\s\S]*ZeroDivisionError: division by zero\n$/);
  });
});

describe("a Python session", () => {
  it("goes on without the names that a cell deletes from sys", async () => {
    const [, error, after] = await texts(
      "import sys\ndel sys.stdout, sys.stderr, sys.excepthook",
      "1/0",
      "sys.stdout = sys.__stdout__\nprint('alive')",
    );
    expect(error).toMatch(/\nZeroDivisionError: division by zero\n$/);
    expect(after).toBe("alive\n");
  });

  it("goes on with streams that were taken apart", async () => {
    const wrap = (name: string) => `sys.${name} = io.TextIOWrapper(sys.${name}.detach(), 'utf-8')`;
    const [first, out, error, last] = await texts(
      `import io, sys\n${wrap("stdout")}\n${wrap("stdin")}`,
      "print('out')",
      "print('error', file=sys.stderr)",
      "1/0",
    );
    expect([first, out, error]).toEqual(["", "out\n", "error\n"]);
    expect(last).toMatch(/\nZeroDivisionError: division by zero\n$/);
  });

  it("ends with status 1 where its last words cannot be said", async () => {
    const python = await startPython();
    const cell = "class Mute:\n  def __str__(self): raise KeyError\nraise SystemExit(Mute())";
    const { text, end } = await python.run(cell);
    expect([text, end]).toEqual([
      "",
      { type: "session_end", reason: "runtime_exit", message: "exit 1" },
    ]);
  });

  it("does not use what the user replaces in modules", async () => {
    const python = await startPython();
    const names = ["os.write", "os.read", "json.dumps", "json.loads", "select.poll", "time.sleep"];
    await python.run(
      `from unittest import mock\nfor name in ${JSON.stringify(names)}: mock.patch(name).start()`,
    );
    expect((await python.run("print(input('name: '))")).end).toEqual({
      type: "input_wait",
      prompt: "name: ",
    });
    expect((await python.run("Ada")).text).toBe("Ada\n");
    await python.run("clock = mock.patch('time.monotonic', side_effect=[1, 2]).start()");
    const { text } = await python.run("import time\nprint('x')\nprint(time.monotonic())");
    expect(text).toBe("x\n1\n");
  });

  it("runs cells beside a stand-in for a library of pictures", async () => {
    const stub =
      "import sys, unittest.mock\nsys.modules['matplotlib.pyplot'] = unittest.mock.MagicMock()";
    expect(await texts(stub, "1 + 1")).toEqual(["", "2\n"]);
  });

  it("does not wait busily for output of a descriptor that was closed", async () => {
    const hungUp = `import select
poll = select.poll()
for name in os.listdir('/proc/self/fd'): poll.register(int(name), 0)
[fd for fd, event in poll.poll(0) if event & select.POLLHUP]`;
    expect(await texts("import os\nos.close(1)\nos.close(2)", hungUp)).toEqual(["", "[]\n"]);
  });
});

describe("a forked child of a Python cell", () => {
  it("ends where the cell ends, as a program does", async () => {
    const [plain, failed] = await texts(
      "import os\npid = os.fork()\nif pid: print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))",
      "pid = os.fork()\nif pid: print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\nelse: 1/0",
    );
    expect(plain).toBe("0\n");
    expect(failed).toMatch(/\nZeroDivisionError: division by zero\n1\n$/);
  });

  it("may exit, and says nothing of the worker", async () => {
    const cell =
      "import os, sys\npid = os.fork()\nif pid == 0: sys.exit(3)\nos.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])";
    expect(await texts(cell, "1")).toEqual(["3\n", "1\n"]);
  });
});
