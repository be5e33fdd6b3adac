/** Cases 30 to 38: the two streams, their order, and bytes that are no text. */
import { describe, expect, it } from "vitest";
import { replIn } from "./support/open-repl.ts";

const ESCAPE = "\u001b";

describe("the streams of an R session", () => {
  const r = replIn("r", { restarts: false });

  it("30: both streams keep their order", async () => {
    const { text } = await r.call("cat('o1\\n'); message('e'); cat('o2\\n')");
    expect(text).toBe("o1\nstderr: e\no2\n> ");
  });

  it("32: what a child prints is shown as it is, before the prompt", async () => {
    const { text } = await r.call(`invisible(system("printf '> '"))`);
    expect(text).toBe("> > ");
  });

  it("33: output that looks like input is shown once", async () => {
    const { text } = await r.call(`invisible(system("echo '> 1 + 1'"))\n1 + 1`);
    expect(text).toBe("> 1 + 1\n[1] 2\n> ");
  });
});

describe("the streams of a Python session", () => {
  const python = replIn("python");

  it("31: the streams keep their order, and text that looks like a prompt is kept", async () => {
    const { text } = await python.call(
      "import sys\n_ = sys.stdout.write('foo >>> ')\n_ = sys.stderr.write('ERR\\n')\n_ = sys.stdout.write('bar\\n')",
    );
    expect(text).toBe("foo >>> \nstderr: ERR\nbar\n");
  });

  it("34: what a child writes is there, in its place", async () => {
    const { text } = await python.call(
      "import subprocess\nprint('before')\n_ = subprocess.run(['sh', '-c', 'echo child; echo bad >&2'])\nprint('after')",
    );
    expect(text).toMatch(/^before\n/);
    expect(text).toContain("child\n");
    expect(text).toContain("stderr: bad\n");
    expect(text).toMatch(/after\n$/);
  });

  it("35: half a character at the end of a session is shown as its byte", async () => {
    const { text } = await python.call(
      "import sys\n_ = sys.stdout.buffer.write(b'end\\xc3')\nsys.exit(0)",
    );
    expect(text).toMatch(/^end\\xC3\n?\[repl\] session ended/);
  });

  it("36: a character in two writes is whole, whatever came between", async () => {
    const { text } = await python.call(
      "import os, time\n_ = os.write(1, b'a\\xc3')\ntime.sleep(0.05)\n_ = os.write(2, b'err\\n')\ntime.sleep(0.05)\n_ = os.write(1, b'\\xa9z\\n')",
    );
    expect(text).toContain("é");
    expect(text).toContain("err\n");
    expect(text).not.toMatch(/\\x|\ufffd/);
  });

  it("37: half of a pair is replaced", async () => {
    const { text, isError } = await python.call("print('a\\ud800b')");
    expect(text).toMatch(/^a.+b\n$/);
    expect(isError).toBe(false);
  });

  it("38: an exception has no colours, and neither has what is printed in them", async () => {
    const { text } = await python.call("print('\\x1b[31mred\\x1b[0m')\n1/0");
    expect(text).toContain("red\n");
    expect(text).toContain("ZeroDivisionError");
    expect(text).not.toContain(ESCAPE);
  });
});

describe.each([
  ["node", "process.stderr.write('e\\n'); console.log('o')"],
  ["bash", "echo e >&2; echo o"],
])("the streams of a %s session", (language, code) => {
  const repl = replIn(language);

  it("30: both streams are told apart", async () => {
    const { text } = await repl.call(code);
    expect(text).toContain("stderr: e\n");
    expect(text).toContain("o\n");
  });
});
