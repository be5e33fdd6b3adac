/** Cases 9 to 29: what input means, and what a reply shows of it. */
import { describe, expect, it } from "vitest";
import { replIn } from "./support/open-repl.ts";

describe("an R session", () => {
  const r = replIn("r", { restarts: false });

  it("9: one text item has the value and the prompt", async () => {
    const { items, isError } = await r.call("1+1\n");
    expect(items).toEqual([{ type: "text", text: "[1] 2\n> " }]);
    expect(isError).toBe(false);
  });

  it("10, 11: an assignment shows the prompt, and the next call has its value", async () => {
    expect((await r.call("x <- 1\n")).text).toBe("> ");
    expect((await r.call("x + 1")).text).toBe("[1] 2\n> ");
  });

  it("15: lines may end as on other systems", async () => {
    const { text } = await r.call("cat('A\\n')\r\ncat('B\\n')");
    expect(text).toBe("A\nB\n> ");
  });

  it("16: an error is told as text, and the session goes on", async () => {
    const { text, isError } = await r.call("stop('boom')");
    expect(text).toMatch(/^stderr: Error: boom\n> $/);
    expect(isError).toBe(false);
    expect((await r.call("1")).text).toBe("[1] 1\n> ");
  });

  it("17: what follows an error is not run", async () => {
    expect((await r.call("stop('x')\ncat('never')\n")).text).not.toContain("never");
  });

  it("18: an expression over two lines is not echoed", async () => {
    expect((await r.call("1+\n1")).text).toBe("[1] 2\n> ");
  });

  it("19: an expression that is not over asks on, and the next call completes it", async () => {
    expect((await r.call("f <- function() {")).text).toMatch(/\+ $/);
    expect((await r.call("1}")).text).toBe("> ");
    expect((await r.call("f()")).text).toBe("[1] 1\n> ");
  });

  it("29: a batch shows its outputs in order and none of its lines", async () => {
    const { text } = await r.call("cat('a\\n')\ncat('b\\n')\ncat('c\\n')\n");
    expect(text).toBe("a\nb\nc\n> ");
  });
});

describe("a Python session", () => {
  const python = replIn("python");

  it("12: shows the value of a cell, without a prompt", async () => {
    expect((await python.call("1+1")).text).toBe("2\n");
  });

  it("13, 14: an assignment shows nothing, and the next call has its value", async () => {
    expect(await python.call("x = 1")).toMatchObject({ text: "", isError: false });
    expect((await python.call("x")).text).toBe("1\n");
  });

  it("20: a block and what follows it are one cell", async () => {
    const { text } = await python.call("for i in range(2):\n    print(i)\nprint('done')");
    expect(text).toBe("0\n1\ndone\n");
  });

  it.each([
    ["def f(:", "SyntaxError"],
    ["if True:", "IndentationError"],
  ])("21: %j is told as %s, and the session goes on", async (cell, error) => {
    const { text, isError } = await python.call(cell);
    expect(text).toContain(error);
    expect(text).not.toMatch(/>>> |\.\.\. /);
    expect(isError).toBe(false);
    expect((await python.call("1")).text).toBe("1\n");
  });

  it("22: a cell with an error in its syntax does nothing at all", async () => {
    expect((await python.call("a=1\nreturn 5")).text).toContain("SyntaxError");
    expect((await python.call("a")).text).toContain("NameError");
  });

  it("23, 24: a traceback names the cell and no frame of ours, and is left for debuggers", async () => {
    const { text } = await python.call("1/0");
    expect(text).toContain('File "<repl>", line 1');
    expect(text).toContain("ZeroDivisionError");
    expect(text.match(/File "/g)).toHaveLength(1);
    const later = await python.call(
      "import sys\nprint(sys.last_type.__name__, sys.last_exc.__traceback__ is sys.last_traceback)",
    );
    expect(later.text).toBe("ZeroDivisionError True\n");
  });

  it("25: a display hook of the user's gets the value", async () => {
    await python.call(
      "import sys\ndef hook(value): print('hooked', value)\nsys.displayhook = hook",
    );
    expect((await python.call("40 + 2")).text).toBe("hooked 42\n");
  });

  it("26: features of the future hold for later cells", async () => {
    await python.call("from __future__ import annotations");
    await python.call("def f(x: undefined_name): pass");
    expect((await python.call("f.__annotations__")).text).toBe("{'x': 'undefined_name'}\n");
  });

  it("27: names of the worker can be taken", async () => {
    await python.call("ast=1;globals=2;compile=3");
    expect((await python.call("ast + globals + compile")).text).toBe("6\n");
  });

  it.each([" ", "\n", "  \n\n"])("28: %j runs nothing and is no poll", async (input) => {
    expect(await python.call(input)).toMatchObject({ text: "", isError: false });
  });
});

describe("a Node session", () => {
  const node = replIn("node");

  it("9, 11: shows values, and keeps names from call to call", async () => {
    expect((await node.call("const x: number = 1; x + 1")).text).toBe("2\n");
    expect((await node.call("const x = await Promise.resolve(20); x + 1")).text).toBe("21\n");
  });

  it("16: an error is told as text, and the session goes on", async () => {
    const { text, isError } = await node.call("throw new TypeError('boom')");
    expect(text).toMatch(/^stderr: [\s\S]*TypeError: boom/);
    expect(isError).toBe(false);
    expect((await node.call("1")).text).toBe("1\n");
  });
});

describe("a bash session", () => {
  const bash = replIn("bash");

  it("11: keeps variables, functions and its folder", async () => {
    await bash.call("x=7; f() { echo f$x; }; cd /usr");
    expect((await bash.call("f; pwd")).text).toBe("f7\n/usr\n");
  });

  it("16: a status other than zero is told, and the session goes on", async () => {
    expect((await bash.call("false")).text).toMatch(/1/);
    expect((await bash.call("echo on")).text).toBe("on\n");
  });

  it("21: an error in the syntax is told, and the session goes on", async () => {
    expect((await bash.call("if then")).text).toMatch(/syntax error/);
    expect((await bash.call("echo on")).text).toBe("on\n");
  });
});
