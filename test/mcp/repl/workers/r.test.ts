import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { keepWorker } from "./support/keep-worker.ts";
import { WorkerDriver, type WorkerOptions } from "./support/worker-driver.ts";

const WORKER = path.resolve(import.meta.dirname, "../../../../workers/r.mjs");
const temporary = mkdtempSync(path.join(tmpdir(), "writ-r-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));
const start = ({ env, ...options }: WorkerOptions = {}) =>
  WorkerDriver.start([process.execPath, WORKER], {
    env: { TMPDIR: temporary, R_PROFILE_USER: "", ...env },
    ...options,
  });
const session = keepWorker(start);
const at = (prompt: string) => ({ type: "input_wait", prompt });
const TOP = at("> ");

/** Width and height, from the header of a PNG. */
function sizeOf(image: { readonly data_b64: string } | undefined): number[] {
  const png = Buffer.from(image?.data_b64 ?? "", "base64");
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

describe("a batch of R", () => {
  it("is read line by line, and ends at the prompt R shows", async () => {
    const r = await session();
    expect(r.greeting).toMatchObject({ text: "", end: TOP });
    expect(await r.run("1+1")).toMatchObject({ stdout: "[1] 2\n", stderr: "", end: TOP });
    expect(await r.run("x <- 1\r\nx + 1\n\n# a comment\nx + 2")).toMatchObject({
      stdout: "[1] 2\n[1] 3\n",
      end: TOP,
    });
    expect(await r.run("f <- function(a) {")).toMatchObject({ text: "", end: at("+ ") });
    expect(await r.run("a + 1 }\nf(1)")).toMatchObject({ stdout: "[1] 2\n", end: TOP });
  });

  it("tells which line answered which prompt", async () => {
    const r = await session();
    const { inputLines } = await r.run("f <- function() {\n1 }");
    expect(inputLines.map(({ prompt, text }) => prompt + text)).toEqual([
      "> f <- function() {",
      "+ 1 }",
    ]);
  });

  it("separates the streams and keeps their order", async () => {
    const r = await session();
    const { text, stdout, stderr } = await r.run(
      'cat("a\\n"); message("b"); system("echo c; echo d >&2"); cat("e\\n"); warning("w")',
    );
    expect(stdout).toBe("a\nc\ne\n");
    expect(stderr).toBe("b\nd\nWarning message:\nw \n");
    expect(text.indexOf("b\n")).toBeGreaterThan(text.indexOf("a\n"));
    expect(text.indexOf("e\n")).toBeGreaterThan(text.indexOf("d\n"));
  });

  it("keeps the order of what R and its programs print to one stream", async () => {
    const r = await session();
    const { stdout } = await r.run(
      'for (i in 1:20) { cat("a\\n"); system("echo b"); cat("c\\n") }',
    );
    expect(stdout).toBe("a\nb\nc\n".repeat(20));
  });

  it("keeps characters whole, in lines of any length", async () => {
    const r = await session();
    const word = "é€😀".repeat(3000);
    expect((await r.run(`nchar("${word}"); "é"`)).stdout).toBe('[1] 9000\n[1] "é"\n');
  });

  it.each([
    ['stop("boom")\ncat("never\\n")', "Error: boom\n"],
    ['1; stop("boom"); 3\ncat("never\\n")', "[1] 1\nError: boom\n"],
    ['1 +* 2\ncat("never\\n")', "Error: unexpected '*' in \"1 +*\"\n"],
    ['f <- function() f(); f()\ncat("never\\n")', expect.stringMatching(/^Error: .*\n/)],
    ['options(error = quote(cat("hook\\n"))); stop("boom")\n1', "Error: boom\nhook\n"],
  ])("drops what follows an error: %s", async (input, text) => {
    const r = await session();
    const reply = await r.run(input);
    expect(reply.text).toEqual(text);
    expect(reply.text).not.toContain("never");
    expect(reply.end).toEqual(TOP);
    expect((await r.run("2")).stdout).toBe("[1] 2\n");
    await r.run("options(error = NULL)");
  });

  it("goes on after an error that was caught", async () => {
    const r = await session();
    const { stdout } = await r.run(
      'try(stop("a"), silent = TRUE)\ntryCatch(stop("b"), error = \\(e) 2)\n3',
    );
    expect(stdout).toBe("[1] 2\n[1] 3\n");
  });

  it("sees no variable and no descriptor of the worker", async () => {
    const r = await start({
      env: { MCP_REPL_SECRET: "s", WRIT_SECRET: "s", KEPT: "k" },
    });
    const { stdout } = await r.run(
      "cat(names(Sys.getenv()))\nls()\nsystem('readlink /proc/self/fd/*')",
    );
    expect(stdout).not.toMatch(/MCP_REPL_|WRIT_|socket:/);
    expect(stdout).toMatch(/\bKEPT\b/);
    expect(stdout).toContain("character(0)\n");
  });

  it("forwards all that a program prints, however much", async () => {
    const r = await session();
    const { stdout, stderr } = await r.run('system("seq 1 100000")');
    expect({ lines: stdout.split("\n").length, stderr }).toEqual({ lines: 100_001, stderr: "" });
  });

  it("gives programs no input to wait for", async () => {
    const r = await start();
    expect((await r.run('system("cat"); readLines(file("stdin"))')).end).toEqual(TOP);
  });

  it("forwards what processes that R forked print", async () => {
    const r = await session();
    const { stdout } = await r.run(
      'library(parallel)\nx <- mclapply(1:2, \\(i) { cat(paste0("in", i, "\\n")); i * 2 })\nsum(unlist(x))',
    );
    expect(stdout).toContain("in1\n");
    expect(stdout).toContain("in2\n");
    expect(stdout).toMatch(/\[1\] 6\n$/);
  });
});

describe("R that waits for input", () => {
  it("takes an answer from a later batch", async () => {
    const r = await session();
    expect((await r.run("a <- readline('A> '); b <- readline('B> ')")).end).toEqual(at("A> "));
    expect(await r.run("x")).toMatchObject({ text: "", end: at("B> ") });
    expect(await r.run("y")).toMatchObject({ text: "", end: TOP });
    expect((await r.run("paste(a, b)")).stdout).toBe('[1] "x y"\n');
  });

  it("takes an answer from the same batch", async () => {
    const r = await session();
    const { stdout, inputLines } = await r.run('v <- readline("q ")\nans\nv');
    expect(stdout).toBe('[1] "ans"\n');
    expect(inputLines[1]).toMatchObject({ prompt: "q ", text: "ans" });
  });

  it("steps through a function in the browser", async () => {
    const r = await session();
    const reply = await r.run("g <- function() { v <- 41; browser(); v + 1 }; g()");
    expect(reply).toMatchObject({ stdout: "Called from: g()\n", end: at("Browse[1]> ") });
    expect(await r.run("v")).toMatchObject({ stdout: "[1] 41\n", end: at("Browse[1]> ") });
    expect((await r.run("n")).end).toEqual(at("Browse[2]> "));
    expect(await r.run("c")).toMatchObject({ stdout: "[1] 42\n", end: TOP });
  });
});

describe("help of R", () => {
  it("is in the reply, as plain text", async () => {
    const r = await session();
    const { stdout, end } = await r.run("?mean");
    expect(stdout).toContain("Arithmetic Mean");
    expect(stdout).not.toContain("\b");
    expect(end).toEqual(TOP);
  });

  it("opens nothing", async () => {
    const r = await session();
    const page = "p <- tempfile(); writeLines('<head>no</head><h1>Title</h1><p>a &lt; b</p>', p)";
    const { stdout } = await r.run(`${page}\nbrowseURL(p)\nbrowseURL("https://example.com/x")`);
    expect(stdout).toBe("\n# Titlea < b\n[repl] browseURL blocked: https://example.com/x\n");
    expect((await r.run("edit(1)")).stderr).toContain("Cannot open an editor");
  });

  it("is as wide as a reply", async () => {
    const r = await session();
    expect((await r.run('unlist(options("width", "max.print"))')).stdout).toContain(
      "120       200",
    );
  });
});

describe("a NUL in a batch of R", () => {
  it("is left out, also where it begins a line, and the session goes on", async () => {
    const r = await session();
    expect(await r.run('"\0on\0e"\n\0"two"')).toMatchObject({
      stdout: '[1] "one"\n[1] "two"\n',
      end: TOP,
    });
  });
});

describe("an interrupt of R", () => {
  it.each(["Sys.sleep(1000)", "repeat {}", "for (i in 1:1e9) Sys.sleep(0.001)"])(
    "brings %s back to its prompt",
    async (code) => {
      const r = await session();
      r.send({ type: "input_batch", input: `cat("on\\n"); ${code}\ncat("never\\n")` });
      await r.sees("on\n");
      r.interrupt();
      const { stdout, stderr, end } = await r.reply();
      expect({ stdout, stderr, end }).toEqual({
        stdout: "on\n",
        stderr: "[interrupted]\n",
        end: TOP,
      });
      expect((await r.run("1")).stdout).toBe("[1] 1\n");
    },
  );

  it("is handled by a handler of the user", async () => {
    const r = await session();
    const code =
      'tryCatch({ cat("on\\n"); repeat Sys.sleep(1) }, interrupt = \\(e) cat("handled\\n"))';
    r.send({ type: "input_batch", input: code });
    await r.sees("on\n");
    r.interrupt();
    expect(await r.reply()).toMatchObject({ text: "on\nhandled\n", end: TOP });
  });

  it("reaches a program that R waits for", async () => {
    const r = await session();
    r.send({ type: "input_batch", input: 'system("echo on; exec sleep 1000")' });
    await r.sees("on\n");
    r.send({ type: "interrupt" });
    expect((await r.reply()).end).toEqual(TOP);
  });

  it("ends what R does as well where R ignores its signal while it waits for the program", async () => {
    const r = await session();
    r.send({ type: "input_batch", input: 'for (i in 1:2) system("echo on; exec sleep 1000")' });
    await r.sees("on\n");
    r.send({ type: "interrupt" });
    // To R alone, as the server does.
    process.kill(r.pid, "SIGINT");
    expect(await r.reply()).toMatchObject({ text: "on\n[interrupted]\n", end: TOP });
    expect((await r.run("1")).stdout).toBe("[1] 1\n");
  });

  it.each([
    'system("echo on >&2; exec sleep 1000", intern = TRUE)',
    'system2("sh", c("-c", shQuote("echo on >&2; exec sleep 1000")), stdout = TRUE)',
  ])("is heard by R before the program that it reads from ends: %s", async (code) => {
    const r = await session();
    r.send({ type: "input_batch", input: `x <- ${code}; cat("went on\\n")` });
    await r.sees("on\n");
    r.send({ type: "interrupt" });
    await sleep(10);
    process.kill(r.pid, "SIGINT");
    expect(await r.reply()).toMatchObject({ text: "on\n[interrupted]\n", end: TOP });
    expect((await r.run("1")).stdout).toBe("[1] 1\n");
  });

  it("leaves readline, with nothing assigned", async () => {
    const r = await session();
    await r.run('v <- "before"; v <- readline("q ")');
    r.interrupt();
    expect(await r.reply()).toMatchObject({ text: "[interrupted]\n", end: TOP });
    expect((await r.run("v")).stdout).toBe('[1] "before"\n');
  });

  it.each(["1 +", 'x <- "open', "f <- function() {"])("drops the unfinished %s", async (code) => {
    const r = await session();
    expect((await r.run(code)).end).toEqual(at("+ "));
    r.interrupt();
    expect(await r.reply()).toMatchObject({ text: "", end: TOP });
    expect((await r.run("7")).stdout).toBe("[1] 7\n");
  });

  it("does nothing between batches", async () => {
    const r = await session();
    r.interrupt();
    expect(await r.run("Sys.sleep(0.01); 1")).toMatchObject({ text: "[1] 1\n", end: TOP });
  });
});

describe("plots of R", () => {
  it("come before the text that was printed after them", async () => {
    const r = await session();
    r.send({ type: "input_batch", input: 'plot(1:3); cat("after\\n")' });
    const seen: string[] = [];
    for (let type = ""; type !== "input_wait"; seen.push(type)) type = (await r.message()).type;
    expect(seen).toEqual(["input_line", "output_image", "output_text", "input_wait"]);
  });

  it("are shown once, again when they change, and each page as itself", async () => {
    const r = await start();
    const shown = async (code: string) =>
      (await r.run(code)).images.map(({ is_update, source }) => `${source} ${is_update}`);
    expect(await shown("plot(1:3)")).toEqual(["plot-1 false"]);
    expect(await shown("1 + 1")).toEqual([]);
    expect(await shown("lines(3:1)")).toEqual(["plot-1 true"]);
    expect(await shown("for (i in 1:2) plot(i)")).toEqual(["plot-2 false", "plot-3 false"]);
    expect(await shown("par(mfrow = c(1, 2)); plot(1); plot(2)")).toHaveLength(2);
    expect(await shown("grid::grid.newpage(); grid::grid.rect()")).toHaveLength(1);
  });

  it("are 800 by 600, or as the options say from the next page on", async () => {
    const r = await start();
    const size = async (code: string) => (await r.run(code)).images.map(sizeOf);
    expect(await size("plot(1)")).toEqual([[800, 600]]);
    expect(await size("options(console.plot.width = 400, console.plot.height = 300)")).toEqual([]);
    expect(await size("plot(2)")).toEqual([[400, 300]]);
    const inches =
      'options(console.plot.width = 5, console.plot.height = 4, console.plot.units = "in")';
    expect(await size(`${inches}\noptions(console.plot.dpi = 100)\nplot(3)`)).toEqual([[500, 400]]);
  });

  it("are shown although what drew them failed, or waits", async () => {
    const r = await start();
    expect((await r.run('{ plot(1); stop("x") }')).images).toHaveLength(1);
    expect((await r.run('{ plot(2); readline("q ") }')).images).toHaveLength(1);
  });

  it("of a device of the user are the user's", async () => {
    const r = await session();
    const { images, stdout } = await r.run(
      "p <- tempfile(); png(p); plot(1); invisible(dev.off()); file.exists(p)",
    );
    expect({ images, stdout }).toEqual({ images: [], stdout: "[1] TRUE\n" });
  });
});

describe("the end of an R worker", () => {
  it.each([
    ["quit()", "exit 0"],
    ['q("yes")', "exit 0"],
    ['q("no", 7)', "exit 7"],
    ['f <- function() { browser(); q("ask", 3) }; f()\nc', "exit 3"],
  ])("follows %s, without a question", async (code, message) => {
    const r = await start();
    await r.run('.Last <- function() cat("last\\n")');
    const { stdout, end } = await r.run(code);
    expect(stdout).toMatch(/last\n$/);
    expect(end).toEqual({ type: "session_end", reason: "runtime_exit", message });
    expect(await r.message()).toEqual({ type: "lost" });
  });

  it("is told with what .Last printed when it fails", async () => {
    const r = await start();
    const { stderr, end } = await r.run('.Last <- function() stop("no")\nq()');
    expect(stderr).toBe("Error in .Last() : no\n");
    expect(end).toMatchObject({ message: "exit 0" });
  });

  it("comes when asked, also while R works", async () => {
    const r = await start();
    r.send({ type: "input_batch", input: 'cat("on\\n"); repeat try(Sys.sleep(1000))' });
    await r.sees("on\n");
    r.send({ type: "shutdown" });
    expect((await r.reply()).end).toMatchObject({ type: "session_end", reason: "shutdown" });
  });

  it("comes at once when its input ends, with the programs R waits for", async () => {
    const r = await start();
    r.send({ type: "input_batch", input: 'cat("on\\n"); system("sleep 1000")' });
    await r.sees("on\n");
    r.closeInput();
    expect(await r.exited).toEqual({ code: 0, signal: null });
  });

  it("is lost without a word where R is killed", async () => {
    const r = await start();
    expect((await r.run("tools::pskill(Sys.getpid(), 9)")).end).toEqual({ type: "lost" });
  });

  it.each([4, 7, 11])("comes at once where R crashes, with signal %i", async (number) => {
    const r = await start();
    expect((await r.run(`tools::pskill(Sys.getpid(), ${number})`)).end).toEqual({ type: "lost" });
    expect((await r.exited).signal).toMatch(/^SIG(ILL|BUS|SEGV)$/);
  });

  it("is told where there is no R", async () => {
    const r = await start({ env: { R_HOME: import.meta.dirname } });
    const message = expect.stringMatching(
      /^Cannot start R: .*, expected an R with a shared library$/,
    );
    expect(r.greeting.end).toEqual({ type: "session_end", reason: "crash", message });
  });
});
