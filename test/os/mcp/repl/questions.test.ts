/** Cases 80 to 94: programs that ask, debuggers, help, and standard input of children. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { replIn } from "./support/open-repl.ts";

const WAITING = "<<repl status: waiting for input>>";

describe("a Python session that asks", () => {
  const python = replIn("python");

  it("80: shows the question, and the next input answers it", async () => {
    const asked = await python.call('n=input("name: ")\nprint("hello",n)');
    expect(asked).toMatchObject({ text: "name: ", facts: { status: "waiting", prompt: "name: " } });
    expect((await python.call("Ada")).text).toBe("hello Ada\n");
  });

  it("81, 82: says that it waits where there is no question, and goes on waiting", async () => {
    const asked = await python.call("import sys\nline = sys.stdin.readline()\nprint(repr(line))");
    expect(asked.text).toBe(WAITING);
    const polled = await python.call("");
    expect(polled.text).toMatch(/<<repl status: (idle|waiting for input)>>/);
    expect((await python.call("the line")).text).toBe("'the line\\n'\n");
  });

  it("83: several lines answer several questions", async () => {
    await python.call("a = input()\nb = input()\nprint(a, b)");
    expect((await python.call("one\ntwo")).text).toBe("one two\n");
  });

  it("84: lines that nobody read are gone with the cell", async () => {
    await python.call("a = input()\nprint(a)");
    expect((await python.call("one\ntwo")).text).toBe("one\n");
    expect((await python.call("b = input('next? ')\nprint(b)")).text).toBe("next? ");
    expect((await python.call("three")).text).toBe("three\n");
  });

  it("85: a poll finds a question that came later", async () => {
    const waits = "import os, time\nwhile not os.path.exists('go85'): time.sleep(0.01)";
    await python.call(`${waits}\nx = input()`, { timeoutMs: 100 });
    writeFileSync(path.join(python.client.place.workspace, "go85"), "");
    expect((await python.call("")).text).toBe(WAITING);
    await python.call("x");
  });

  it("86: a debugger is led from call to call", async () => {
    const stopped = await python.call("value = 41\nbreakpoint()\nvalue += 1\nprint('end', value)");
    expect(stopped.text).toMatch(/\(Pdb\) $/);
    expect((await python.call("p value")).text).toBe("41\n(Pdb) ");
    expect((await python.call("n")).text).toMatch(/\(Pdb\) $/);
    expect((await python.call("c")).text).toBe("end 42\n");
  });

  it("87: help is text in the reply, and its own session can be left", async () => {
    expect((await python.call("help(len)")).text).toContain("Return the number of items");
    expect((await python.call("help()")).text).toMatch(/help> $/);
    expect((await python.call("len")).text).toMatch(/Return the number of items[\s\S]*help> $/);
    await python.call("q");
    expect((await python.call("6 * 7")).text).toBe("42\n");
  });

  it("92: a child that reads finds nothing, and does not hang", async () => {
    const { text, facts } = await python.call(
      "import subprocess\nprint('cat', subprocess.run(['cat'], capture_output=True).stdout)",
    );
    expect(text).toBe("cat b''\n");
    expect(facts.status).toBe("idle");
  });

  it("93: a fork that reads finds the end, and its parent is as before", async () => {
    const { text } = await python.call(
      [
        "import os, sys",
        "pid = os.fork()",
        "if pid == 0:",
        "    try: line = sys.stdin.readline()",
        "    except BaseException: line = ''",
        "    os._exit(3 if line == '' else 4)",
        "print('child', os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))",
      ].join("\n"),
    );
    expect(text).toBe("child 3\n");
    await python.call("n = input('? ')\nprint(n)");
    expect((await python.call("parent")).text).toBe("parent\n");
  });

  it("94: a thread that asks after its cell gets the answer", async () => {
    const code = [
      "import threading",
      "def ask():",
      "    got = input('thread? ')",
      "    print('got', got)",
      "thread = threading.Thread(target=ask)",
      "thread.start()",
    ].join("\n");
    await python.client.until("thread? ", code);
    expect(await python.client.until("got it", "it")).toContain("got it\n");
    expect((await python.call("thread.is_alive()")).text).toBe("False\n");
  });
});

/** No other thread runs between the answer and the end of the cell: the reader is woken and waits. */
const ENDS_WITH_ITS_ANSWER = `
import sys, threading
sys.setswitchinterval(1000)
from writ_python import inbox as parts
parts.start_thread = lambda run: None
class Wire:
    def send(self, kind, **members):
        sent.append(kind)
sent, got = [], []
inbox = parts.Inbox(Wire(), 0)
inbox.is_running = True
thread = threading.Thread(target=lambda: got.append(inbox.ask("thread? ")), daemon=True)
thread.start()
while "input_wait" not in sent:
    threading.Event().wait(0.001)
inbox._take_batch("it")
inbox.discard_lines()
thread.join(5)
print(sent, got)
`;

it("94: an answer reaches a thread though its cell ends in the same moment", () => {
  const cwd = path.resolve(import.meta.dirname, "../../../../workers");
  const env = { PATH: process.env.PATH ?? "", PYTHONDONTWRITEBYTECODE: "1" };
  const said = execFileSync("python3", ["-c", ENDS_WITH_ITS_ANSWER], { cwd, env });
  expect(said.toString()).toBe("['input_wait', 'input_line'] ['it\\n']\n");
});

describe("an R session that asks", () => {
  const r = replIn("r", { restarts: false });

  it("88: a browser is led from call to call", async () => {
    const stopped = await r.call("f <- function() { y <- 5; browser(); y + 1 }\nf()");
    expect(stopped.text).toMatch(/Browse\[1\]> $/);
    expect((await r.call("y")).text).toBe("[1] 5\nBrowse[1]> ");
    expect((await r.call("n")).text).toMatch(/Browse\[\d+\]> $/);
    expect((await r.call("c")).text).toBe("[1] 6\n> ");
  });

  it("89: questions come one at a time, and answers are not echoed", async () => {
    expect((await r.call("a<-readline('A> ');b<-readline('B> ')")).text).toBe("A> ");
    expect((await r.call("x")).text).toBe("B> ");
    expect((await r.call("y")).text).toBe("> ");
    expect((await r.call("cat(a, b)")).text).toBe("x y> ");
  });

  it("90: a later line of the input answers a question", async () => {
    expect((await r.call('v <- readline("q ")\nans\nv')).text).toMatch(/\[1\] "ans"\n> $/);
  });

  it.each([
    ["?mean", "Arithmetic Mean"],
    ["vignette()", "> "],
    ['RShowDoc("COPYING")', "GNU GENERAL PUBLIC LICENSE"],
  ])("91: %s is text in the reply", async (code, text) => {
    const heard = await r.call(code);
    expect(heard.text).toContain(text);
    expect(heard.text).not.toMatch(/stderr: Error/);
  });
});

describe("a bash session that asks", () => {
  const bash = replIn("bash");

  it("80: the next input answers it", async () => {
    const asked = await bash.call("read -r name; echo hello $name");
    expect(asked.facts.status).toBe("waiting");
    expect(await bash.client.until("hello Ada", "Ada")).toContain("hello Ada\n");
  });

  it("92: a child that reads its own standard input does not hang the session", async () => {
    expect((await bash.call("cat </dev/null; echo after")).text).toBe("after\n");
  });
});
