import { describe, expect, it } from "vitest";
import { keepWorker } from "./support/keep-worker.ts";
import { startPython } from "./support/start-python.ts";

const waits = (prompt: string) => ({ type: "input_wait", prompt });
const ready = { type: "ready" };
const session = keepWorker(startPython);

describe("a Python cell that asks", () => {
  it("is answered by the next batch", async () => {
    const python = await session();
    const asked = await python.run('n=input("name: ")\nprint("hello",n)');
    expect(asked).toMatchObject({ text: "", end: waits("name: ") });
    const answered = await python.run("Ada");
    expect(answered).toMatchObject({ text: "hello Ada\n", end: ready });
    expect(answered.inputLines).toEqual([{ type: "input_line", prompt: "name: ", text: "Ada\n" }]);
  });

  it("shows what it printed before the question first", async () => {
    const python = await startPython();
    expect(await python.run("print('a', end='')\ninput('q ')")).toMatchObject({
      text: "a",
      end: waits("q "),
    });
  });

  it("may read standard input itself", async () => {
    const python = await session();
    expect((await python.run("import sys\nsys.stdin.readline()")).end).toEqual(waits(""));
    expect(await python.run("é\r\n")).toMatchObject({ text: "'é\\n'\n", end: ready });
    expect((await python.run("sys.stdin.buffer.read1()")).end).toEqual(waits(""));
    expect((await python.run("x")).text).toBe("b'x\\n'\n");
  });

  it("takes several lines of one batch, and forgets those nobody asked for", async () => {
    const python = await session();
    await python.run("[input(), input()]");
    expect((await python.run("one\ntwo\nthree")).text).toBe("['one', 'two']\n");
    expect((await python.run("input('again ')")).end).toEqual(waits("again "));
    expect((await python.run("1+1")).text).toBe("'1+1'\n");
    expect((await python.run("import sys\nsys.stdin.read(1)")).end).toEqual(waits(""));
    expect((await python.run("abc")).text).toBe("'a'\n");
    expect((await python.run("sys.stdin.readline()")).end).toEqual(waits(""));
    expect((await python.run("x")).text).toBe("'x\\n'\n");
    expect((await python.run("1+1")).text).toBe("2\n");
  });

  it("may be a debugger", async () => {
    const python = await session();
    const stopped = await python.run("value = 41\nbreakpoint()\nvalue += 1\nprint(value)");
    expect(stopped.end).toEqual(waits("(Pdb) "));
    expect(await python.run("p value")).toMatchObject({ text: "41\n", end: waits("(Pdb) ") });
    expect((await python.run("c")).text).toBe("42\n");
  });

  it("may be the help", async () => {
    const python = await session();
    expect((await python.run("help(len)")).text).toMatch(/^Help on built-in function len/);
    expect((await python.run("help()")).end).toEqual(waits("help> "));
    const page = await python.run("len");
    expect(page.text).toMatch(/^Help on built-in function len/);
    expect(page.end).toEqual(waits("help> "));
    expect((await python.run("q")).end).toEqual(ready);
  });

  it("leaves nothing to read for the programs it starts and the children it forks", async () => {
    const python = await startPython();
    expect((await python.run("import subprocess\nsubprocess.run(['cat']).returncode")).text).toBe(
      "0\n",
    );
    const fork =
      "import os\npid = os.fork()\nif pid == 0:\n  try: input('c> ')\n  except EOFError: os._exit(9)\nos.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])";
    expect(await python.run(fork)).toMatchObject({ text: "9\n", end: ready });
    expect((await python.run("input('p> ')")).end).toEqual(waits("p> "));
  });

  it("may leave a thread that asks", async () => {
    const python = await startPython();
    const thread = "t = threading.Thread(target=lambda: print('got', input('t> ')))\nt.start()";
    const started = await python.run(`import threading\n${thread}`);
    const asked = started.end.type === "ready" ? await python.reply() : started;
    expect(asked.end).toEqual(waits("t> "));
    python.send({ type: "input_batch", input: "yes" });
    await python.sees("got yes\n");
    expect((await python.reply()).end).toEqual(ready);
  });

  it("uses what the user put in the place of standard input", async () => {
    const python = await startPython();
    const cell = "import io, sys\nown, sys.stdin = sys.stdin, io.StringIO('theirs\\n')\ninput()";
    expect((await python.run(cell)).text).toBe("'theirs'\n");
    expect((await python.run("sys.stdin = own\ninput('mine ')")).end).toEqual(waits("mine "));
  });
});
