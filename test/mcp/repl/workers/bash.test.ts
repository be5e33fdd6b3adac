import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { keepWorker } from "./support/keep-worker.ts";
import { WorkerDriver, type WorkerOptions } from "./support/worker-driver.ts";

const WORKER = path.resolve(import.meta.dirname, "support/shell-as-worker.ts");
const start = (options?: WorkerOptions) => WorkerDriver.start([process.execPath, WORKER], options);
const startOnSockets = () => WorkerDriver.start([process.execPath, WORKER, "sockets"]);
const session = keepWorker(start);
/** Sleeps once it has said so, so that an interrupt finds it. */
const SLEEP = "sh -c 'echo on; exec sleep 1000'";
const READY = { type: "ready" };

describe("a cell of bash", () => {
  it("leaves its variables, functions, aliases and folder to the next", async () => {
    const bash = await session();
    expect(bash.greeting).toMatchObject({ text: "", end: READY });
    await bash.run("x=5; f() { echo f$1; }; cd /; set +e; alias ll='echo alias'");
    expect((await bash.run("ll")).stdout).toBe("alias\n");
    expect(await bash.run("echo $x $PWD; f 2")).toMatchObject({ stdout: "5 /\nf2\n", end: READY });
  });

  it("shows a status other than 0, also in $? of the next", async () => {
    const bash = await session();
    expect(await bash.run("printf partial; (exit 3)")).toMatchObject({
      stdout: "partial",
      stderr: "[exit status 3]\n",
      end: READY,
    });
    expect(await bash.run("echo $?")).toMatchObject({ stdout: "3\n", stderr: "" });
  });

  it("tells a status behind all that was printed", async () => {
    const bash = await session();
    expect((await bash.run("printf partial >&2; false")).stderr).toBe("partial[exit status 1]\n");
  });

  it.each(["echo a )", 'echo "a', "if true"])("has status 2 for %s", async (cell) => {
    const bash = await session();
    const { stderr, end } = await bash.run(cell);
    expect(stderr).toMatch(/^bash: (?:.*\n)+\[exit status 2\]\n$/);
    expect(end).toEqual(READY);
    expect((await bash.run("echo next")).stdout).toBe("next\n");
  });

  it("takes any text: quotes, here-documents, exclamation marks, line ends of other systems", async () => {
    const bash = await session();
    const cell = "cat <<'E'\nit's \"$x\" `here`\nE\necho \"hi!!\" 'a'\\''b'\r\n# last";
    expect((await bash.run(cell)).stdout).toBe("it's \"$x\" `here`\nhi!! a'b\n");
  });

  it("forwards what it and its programs print, by stream, before it is done", async () => {
    const bash = await session();
    const cell = "echo o; sh -c 'echo e >&2'; echo d > /dev/stderr; seq 1 20000";
    const { stdout, stderr } = await bash.run(cell);
    expect(stdout.split("\n").length).toBe(20_002);
    expect(stderr).toBe("e\nd\n");
  });

  it("ends after its output, each time", async () => {
    const bash = await session();
    for (let count = 0; count < 300; count += 1) {
      expect((await bash.run(`echo ${count}`)).stdout).toBe(`${count}\n`);
    }
  });

  it("forwards what a job in the background prints later", async () => {
    const bash = await start();
    await bash.run(
      'go=$(mktemp -u); (until [ -e "$go" ]; do sleep 0.01; done; rm "$go"; echo late) &',
    );
    await bash.run('touch "$go"');
    await bash.sees("late\n");
  });

  it("says nothing of a terminal where a signal ends a job", async () => {
    const bash = await session();
    for (const cell of ["yes | head -1", "printf partial >&2; (kill -9 $BASHPID); echo y"]) {
      const { stdout, stderr } = await bash.run(cell);
      expect([stdout, stderr.replace("partial", "")]).toEqual(["y\n", ""]);
    }
    const other = "bash: [x] tcsetattr: no";
    expect((await bash.run(`echo '${other}' >&2`)).stderr).toBe(`${other}\n`);
  });

  it("hides what only an interactive shell says", async () => {
    const bash = await start();
    const said = [bash.greeting, await bash.run("set -x; true"), await bash.run("set +x; exit")];
    expect(said.map(({ text }) => text)).toEqual(["", "++ true\n", "++ set +x\n"]);
    expect(bash.raw).toBe("");
  });

  it("sees no variable and no descriptor of the worker", async () => {
    const bash = await start({
      env: { MCP_REPL_SECRET: "s", WRIT_SECRET: "s", KEPT: "k" },
    });
    const { stdout } = await bash.run(
      'env; readlink /proc/$$/fd/3 /proc/$$/fd/4; echo "[$HISTFILE]"',
    );
    expect(stdout).not.toMatch(/MCP_REPL_|WRIT_|socket:/);
    expect(stdout).toMatch(/^KEPT=k$/m);
    expect(stdout).toMatch(/\[\]\n$/);
  });
});

describe("a cell of bash that waits for input", () => {
  it("is announced, and gets the next batch", async () => {
    const bash = await session();
    const cell = 'f() { local a; read -r a; echo "got $a"; }; f; python3 -c "print(input())"';
    expect((await bash.run(cell)).end).toEqual({ type: "input_wait", prompt: "" });
    const reply = await bash.run("one");
    expect(reply).toMatchObject({ stdout: "got one\n", end: { type: "input_wait" } });
    expect(await bash.run("two\n")).toMatchObject({ stdout: "two\n", end: READY });
  });

  it("does not leave what it did not read to the next cell", async () => {
    const bash = await session();
    await bash.run("read -r a");
    expect(await bash.run("one\necho two")).toMatchObject({ text: "", end: READY });
    expect((await bash.run("read -r b")).end.type).toBe("input_wait");
    await bash.run("three");
    expect((await bash.run("echo $a $b")).stdout).toBe("one three\n");
  });

  it("sees the end of its input at U+0004", async () => {
    const bash = await session();
    expect((await bash.run("wc -c")).end).toEqual({ type: "input_wait", prompt: "" });
    expect(await bash.run("abc\u0004")).toMatchObject({ stdout: "3\n", end: READY });
    expect((await bash.run("wc -l")).end.type).toBe("input_wait");
    expect((await bash.run("a\nb\n\u0004")).stdout).toBe("2\n");
  });

  it("is left by an interrupt", async () => {
    const bash = await session();
    await bash.run("read -r a; echo never");
    bash.interrupt();
    expect(await bash.reply()).toMatchObject({ text: "[exit status 130]\n", end: READY });
    expect((await bash.run("echo source")).stdout).toBe("source\n");
  });
});

describe("an interrupt of bash", () => {
  it("runs nothing of a cell that the shell has not read to its end", async () => {
    const bash = await session();
    const cell = `if false; then\n${"echo torn\n".repeat(5000)}fi`;
    for (let round = 0; round < 10; round++) {
      await bash.run(`kept=${round}`);
      bash.send({ type: "input_batch", input: cell });
      await new Promise((resolve) => setTimeout(resolve, 3 * round));
      bash.send({ type: "interrupt" });
      expect(await bash.reply()).toMatchObject({ stdout: "", end: READY });
      expect(await bash.run("echo $kept")).toMatchObject({ stdout: `${round}\n`, end: READY });
    }
  });

  it.each([
    `${SLEEP}; echo never`,
    "echo on; while :; do :; done; echo never",
    `f() { while :; do ${SLEEP}; done; }; f; echo never`,
    `set -m; ${SLEEP}; echo never`,
    `set -m; sleep 1000 & ${SLEEP}; echo never`,
  ])("brings %s back to top level", async (cell) => {
    const bash = await start();
    bash.send({ type: "input_batch", input: cell });
    await bash.sees("on\n");
    bash.interrupt();
    const { text, end } = await bash.reply();
    expect(text).toMatch(/\[exit status 130\]\n$/);
    expect(text).not.toContain("never");
    expect(end).toEqual(READY);
    // A job of its own outlives a shell that no sandbox holds.
    expect((await bash.run("echo alive; kill $! 2> /dev/null")).stdout).toBe("alive\n");
  });

  it("is said again to a shell that took it for heard by its program, and reads itself now", async () => {
    const bash = await session();
    const program = `perl -e '$| = 1; $SIG{INT} = sub { exit 0 }; print "on\\n"; sleep 1000'`;
    bash.send({ type: "input_batch", input: `${program}; read -r x; echo "got $x"` });
    await bash.sees("on\n");
    bash.interrupt();
    // Whoever looked in between was told of a question.
    let { text, end } = await bash.reply();
    if (end.type === "input_wait") ({ text, end } = await bash.reply());
    expect({ text, end }).toEqual({
      text: expect.stringMatching(/\[exit status 130\]\n$/),
      end: READY,
    });
    expect((await bash.run("echo next")).stdout).toBe("next\n");
  });

  it("runs a trap of the user once", async () => {
    const bash = await start();
    bash.send({
      type: "input_batch",
      input: `trap 'echo caught' INT; ${SLEEP}; echo end`,
    });
    await bash.sees("on\n");
    bash.interrupt();
    expect((await bash.reply()).stdout).toBe("on\ncaught\nend\n");
  });

  it("that comes late does not end the next cell", async () => {
    const bash = await session();
    process.kill(Number((await bash.run("echo $$")).stdout), "SIGINT");
    expect((await bash.run("sleep 0.2; echo end")).stdout).toBe("end\n");
  });

  it("does nothing between cells", async () => {
    const bash = await session();
    bash.interrupt();
    expect(await bash.run("echo a")).toMatchObject({ text: "a\n", end: READY });
  });
});

describe("a cell that breaks what the worker needs", () => {
  it.each([
    "PS1='$ '",
    "unset PS1 PS2",
    'PS1="(venv) $PS1"',
    "shopt -u promptvars",
    "PROMPT_COMMAND='false'",
    "exec 0<&- 3>&- 4>&- 5>&- 9>&-",
    "exec >/dev/null 2>&1",
    "eval() { echo mine; }; alias eval=false builtin=false",
    "set -o noclobber -o nounset",
    "kill $$",
    "trap 'false' DEBUG; trap 'false' ERR",
    "IFS=; GLOBIGNORE='*'; set -f",
  ])("is survived: %s", async (cell) => {
    const bash = await start();
    expect((await bash.run(cell)).end).toEqual(READY);
    expect(await bash.run("(exit 4)")).toMatchObject({ stderr: "[exit status 4]\n" });
    expect((await bash.run("echo alive")).stdout).toBe("alive\n");
  });

  it.each([
    ["exit 7", "exit 7"],
    ["exit 137", "exit 137"],
    ["set -e; false", "exit 1"],
    ["kill -9 $$", "signal SIGKILL"],
    ["readonly PS1=x", "the shell no longer reports the end of a cell"],
  ])("ends the session, and says why: %s", async (cell, message) => {
    const bash = await start();
    const { text, end } = await bash.run(`echo last; ${cell}`);
    expect(text).toBe("last\n");
    expect(end).toEqual({ type: "session_end", message });
    expect(await bash.message()).toEqual({ type: "lost" });
  });

  it("goes on with the program the shell was replaced by", async () => {
    const bash = await start();
    expect((await bash.run("exec cat")).end.type).toBe("input_wait");
    expect((await bash.run("hello")).stdout).toBe("hello\n");
  });
});

describe("the end of a bash worker", () => {
  const gone = async (pid: number) => {
    const alive = () => {
      try {
        return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
      } catch {
        return false;
      }
    };
    while (alive()) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  const shellOf = async (bash: WorkerDriver) => Number((await bash.run("echo $$")).stdout);

  it("runs the EXIT trap when asked to shut down", async () => {
    const bash = await start();
    await bash.run("trap 'echo bye' EXIT");
    bash.send({ type: "shutdown" });
    expect(await bash.reply()).toMatchObject({ stdout: "bye\n", end: { type: "session_end" } });
  });

  it("does not wait for a cell when asked to shut down", async () => {
    const bash = await start();
    bash.send({ type: "input_batch", input: "trap '' HUP; echo on; while :; do :; done" });
    await bash.sees("on\n");
    bash.send({ type: "shutdown" });
    expect((await bash.reply()).end).toMatchObject({ type: "session_end" });
  });

  it("takes a busy shell with it when its input ends", async () => {
    const bash = await start();
    const shell = await shellOf(bash);
    bash.send({ type: "input_batch", input: "while :; do :; done" });
    bash.closeInput();
    expect((await bash.exited).code).toBe(0);
    await gone(shell);
  });

  it("takes a busy shell with it when it is killed", async () => {
    const bash = await start();
    const shell = await shellOf(bash);
    bash.send({ type: "input_batch", input: "echo on; while :; do :; done" });
    await bash.sees("on\n");
    bash.kill();
    await gone(shell);
  });
});

describe("a shell whose output is sockets", () => {
  it("is heard as one whose output is pipes, and its cells can open their streams by name", async () => {
    const bash = await startOnSockets();
    const cell = "echo o; echo e > /dev/stderr; seq 1 20000 > /dev/stdout; (exit 3)";
    const { stdout, stderr } = await bash.run(cell);
    expect(stdout.split("\n").length).toBe(20_002);
    expect(stderr).toBe("e\n[exit status 3]\n");
    expect((await bash.run("read -r a; echo $a")).end.type).toBe("input_wait");
    expect((await bash.run("fed")).stdout).toBe("fed\n");
  });

  it("ends with its status", async () => {
    const bash = await startOnSockets();
    expect((await bash.run("echo last; exit 4")).end).toEqual({
      type: "session_end",
      message: "exit 4",
    });
  });

  it("has programs beside it that carry it, and no other has", async () => {
    const cell =
      "for kid in $(</proc/$PPID/task/$PPID/children); do read -r name </proc/$kid/comm; echo $name; done";
    const besideSockets = await (await startOnSockets()).run(cell);
    const besidePipes = await (await session()).run(cell);
    expect(besideSockets.stdout.match(/^cat$/gm)).toHaveLength(2);
    expect(besidePipes.stdout).not.toMatch(/^cat$/m);
  });
});
