import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { keepWorker } from "./support/keep-worker.ts";
import { startPython } from "./support/start-python.ts";
import type { WorkerDriver } from "./support/worker-driver.ts";

const session = keepWorker(startPython);

/** Runs cells in a session of their own and returns what each printed. */
const texts = async (...cells: string[]) => textsOf(await startPython(), cells);
const keptTexts = async (...cells: string[]) => textsOf(await session(), cells);

async function textsOf(python: WorkerDriver, cells: readonly string[]): Promise<string[]> {
  const replies: string[] = [];
  for (const cell of cells) {
    const { text, end } = await python.run(cell);
    expect(end).toEqual({ type: "ready" });
    replies.push(text);
  }
  return replies;
}

describe("a Python cell", () => {
  it("shows its last expression and keeps its names", async () => {
    expect(await keptTexts("1+1", "x = 1", "x", "_ + 1")).toEqual(["2\n", "", "1\n", "2\n"]);
  });

  it("is one unit, whatever its blocks", async () => {
    const cell = "for i in range(2):\n    print(i)\nprint('done')";
    expect(await keptTexts(cell, cell.replaceAll("\n", "\r\n"))).toEqual([
      "0\n1\ndone\n",
      "0\n1\ndone\n",
    ]);
  });

  it("that is incomplete or wrong is an error, and nothing of it runs", async () => {
    const [first, second, third, fourth, fifth] = await texts(
      "def f(:",
      "if True:",
      "a=1\nreturn 5",
      "a",
      "'a\0b'",
    );
    expect(first).toMatch(/^ {2}File "<repl>", line 1\n[\s\S]*SyntaxError: /);
    expect(second).toContain("IndentationError: ");
    expect(third).toContain("SyntaxError: 'return' outside function");
    expect(fourth).toContain("NameError: name 'a' is not defined");
    expect(fifth).toMatch(/(SyntaxError|ValueError): source code .*null bytes/);
  });

  it("without anything in it does nothing", async () => {
    expect(await keptTexts(" ", "\n\n", "# a comment")).toEqual(["", "", ""]);
  });

  it("that raises shows its own frames, with their lines, and no frame of the worker", async () => {
    const [, , error] = await keptTexts("def f():\n    raise KeyError('k')", "pass", "f()");
    expect(error).toMatch(
      /^Traceback \(most recent call last\):\n {2}File "<repl>", line 1, in <module>\n {4}f\(\)\n/,
    );
    expect(error).toMatch(
      /File "<repl>", line 2, in f\n {4}raise KeyError\('k'\)\nKeyError: 'k'\n$/,
    );
    expect(error).not.toContain("workers");
    expect(error).not.toContain("\u001b");
  });

  it("leaves its error where debuggers look for it", async () => {
    const look = "import sys\nprint(sys.last_type.__name__, sys.last_exc is sys.last_value)";
    const trace = "print(sys.last_exc.__traceback__ is sys.last_traceback)";
    const [, after, same] = await keptTexts("1/0", look, trace);
    expect([after, same]).toEqual(["ZeroDivisionError True\n", "True\n"]);
  });

  it("uses the hooks of the user", async () => {
    const [, shown, , raised] = await texts(
      "import sys\nsys.displayhook = lambda v: print('hook', v)",
      "5",
      "sys.excepthook = lambda kind, *rest: print('raised', kind.__name__)",
      "1/0",
    );
    expect([shown, raised]).toEqual(["hook 5\n", "raised ZeroDivisionError\n"]);
  });

  it("keeps the future features of cells before it", async () => {
    const [, shown] = await texts(
      "from __future__ import annotations",
      "def g(a: int): pass\ng.__annotations__",
    );
    expect(shown).toBe("{'a': 'int'}\n");
  });

  it("may take any name, and finds none of the worker's", async () => {
    const [names, , again, input] = await texts(
      "sorted(n for n in dir() if not n.startswith('__'))",
      "ast=1;globals=2;compile=3;print=4;sys=5;exec=6",
      "1+1",
      "import sys as s\nprint = s.stdout.write\nlen(print('x\\n') and s.argv + s.path[:1])",
    );
    expect([names, again, input]).toEqual(["[]\n", "2\n", "x\n2\n"]);
  });

  it("sees none of the variables of the worker, and no colours", async () => {
    const python = await startPython({ env: { MCP_REPL_X: "1", WRIT_SECRET: "2" } });
    const { text } = await python.run(
      "import os\nprint([n for n in os.environ if n.startswith(('MCP_REPL_', 'WRIT_'))])\nos.environ['NO_COLOR']",
    );
    expect(text).toBe("[]\n'1'\n");
  });

  it("is run in the folder of the worker, and imports from it", async () => {
    const folder = temporaryFolder({ "mine.py": "value = 7" });
    const python = await startPython({ cwd: folder });
    expect((await python.run("import mine\nmine.value")).text).toBe("7\n");
  });
});

describe("what a Python cell prints", () => {
  it("keeps the order of the two streams, also without newlines", async () => {
    const python = await session();
    const write = (name: string, text: string) => `_ = sys.${name}.write(${JSON.stringify(text)})`;
    const { text, stderr } = await python.run(
      `import sys\n${write("stdout", "foo >>> ")}\n${write("stderr", "ERR\n")}\n${write("stdout", "bar\n")}`,
    );
    expect(text).toBe("foo >>> ERR\nbar\n");
    expect(stderr).toBe("ERR\n");
  });

  it("stands in line with what its children print", async () => {
    const python = await session();
    const { text, stderr } = await python.run(
      "import subprocess\nfor i in range(3):\n  print('a')\n  _ = subprocess.run('echo b; echo e >&2', shell=True)\n  print('c')",
    );
    expect(text).toBe("a\nb\ne\nc\n".repeat(3));
    expect(stderr).toBe("e\n".repeat(3));
  });

  it("keeps the order of its streams where neither ends its lines", async () => {
    const python = await session();
    const { text } = await python.run(
      "print('a', end='')\nprint('b', end='', file=sys.stderr)\nprint('c', end='')\nprint('d', file=sys.stderr)",
    );
    expect(text).toBe("abcd\n");
  });

  it("comes after what was written to its descriptor before", async () => {
    const python = await session();
    const cell = "import os\nfor i in range(40):\n  _ = os.write(1, b'raw\\n')\n  print('text')";
    expect((await python.run(cell)).text).toBe("raw\ntext\n".repeat(40));
  });

  it("is complete when the cell is, however it was written", async () => {
    const python = await session();
    const { text } = await python.run("import os\nprint('x', end='')\n_ = os.write(1, b'raw')");
    expect(text.length).toBe("xraw".length);
    expect((await python.run("_ = os.write(2, b'raw')")).stderr).toBe("raw");
  });

  it("may be anything: lone surrogates, half characters, a flood", async () => {
    const python = await session();
    expect((await python.run("print('\\udc80')")).text).toBe("\\udc80\n");
    expect(
      (
        await python.run(
          "import sys\n_ = sys.stdout.buffer.write(b'\\xc3'); print(end='e\\n', file=sys.stderr); _ = sys.stdout.buffer.write(b'\\xa9\\n')",
        )
      ).stdout,
    ).toBe("é\n");
    const { text } = await python.run("for i in range(100000): print(i)");
    expect(text).toBe(Array.from({ length: 100_000 }, (_, i) => `${i}\n`).join(""));
  });

  it("is not lost when the interpreter dies right after it", async () => {
    const python = await startPython();
    const reply = await python.run("import os\nprint('one')\nprint('two')\nos._exit(3)");
    expect(reply.text).toBe("one\ntwo\n");
    expect(reply.end.type).toBe("lost");
    expect((await python.exited).code).toBe(3);
  });

  it("may come from a thread after the cell, and from a forked child", async () => {
    const python = await startPython();
    const late =
      "import threading\ngo = threading.Event()\nthreading.Thread(target=lambda: (go.wait(), print('late'))).start()";
    expect((await python.run(late)).text).toBe("");
    expect(
      (
        await python.run(
          "go.set()\nimport time\nwhile threading.active_count() > 3: time.sleep(0.001)",
        )
      ).text,
    ).toBe("late\n");
    const fork =
      "import os\npid = os.fork()\nif pid == 0:\n  print('child')\n  os._exit(0)\nos.waitpid(pid, 0)[1]";
    expect((await python.run(fork)).text).toBe("child\n0\n");
  });

  it("goes to no descriptor of the protocol", async () => {
    const python = await session();
    const { text } = await python.run(
      `import os, subprocess
own = {os.readlink(f"/proc/self/fd/{n}") for n in (3, 4)}
look = "for f in /proc/self/fd/*; do readlink $f; done"
child = subprocess.run(look, shell=True, close_fds=False, capture_output=True, text=True)
print(len(own), own & set(child.stdout.split()))`,
    );
    expect(text).toBe("2 set()\n");
  });
});

describe("long text of Python", () => {
  const frames = { env: { WRIT_REPL_FRAMES: "1" } };

  it("comes as bytes where the server takes them, and is the same text", async () => {
    const python = await startPython(frames);
    const { stdout, end } = await python.run("print('é 1\\n' * 200_000 + 'end')");
    expect(stdout).toBe(`${"é 1\n".repeat(200_000)}end\n`);
    expect(end).toEqual({ type: "ready" });
    expect(python.frames).toBeGreaterThan(0);
  });

  it.each(["\\r", "\\x1f"])("comes as messages where it has %s in it", async (character) => {
    const python = await startPython(frames);
    const { stdout } = await python.run(`print('a${character}\\n' * 100_000)`);
    expect(stdout).toHaveLength(300_001);
    expect(python.frames).toBe(0);
  });

  it("comes as messages from a worker that was not told otherwise", async () => {
    const python = await startPython();
    expect((await python.run("print('x' * 1_000_000)")).stdout).toHaveLength(1_000_001);
    expect(python.frames).toBe(0);
  });
});
