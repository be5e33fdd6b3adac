import { describe, expect, it } from "vitest";
import { pagedOutput, replLab } from "./support/repl-lab.ts";

const BUSY = /^<<repl status: busy, write_stdin timeout reached; elapsed_ms=\d+>>/;

describe("a call to a session", () => {
  it("starts its worker and runs what it came with", async () => {
    const { executor, call } = replLab();
    expect(await call("one")).toMatchObject({
      text: "ran one\n",
      isError: false,
      facts: { status: "idle", sandbox: { boundDigest: expect.any(String) } },
    });
    expect(executor.requests).toHaveLength(1);
  });

  it("finds the worker of the call before it", async () => {
    const { executor, run } = replLab();
    for (const input of ["one", "two", " \n"]) await run(input);
    expect(executor.last.inputs).toEqual(["one", "two", " \n"]);
    expect(executor.requests).toHaveLength(1);
  });

  it("replies with an empty text where nothing was printed", async () => {
    const { executor, session, full } = replLab();
    executor.onStart = (worker) => {
      worker.greet();
      worker.process.onLine = () => worker.ready();
    };
    const request = { input: "x = 1", timeoutMs: undefined, context: full() };
    const reply = await session.serve({ ...request, signal: new AbortController().signal });
    expect(reply.content).toEqual([{ type: "text", text: "" }]);
  });

  it("tells the limits of its profile to whoever starts the worker", async () => {
    const { executor, run, full } = replLab();
    const limits = { processes: 40 };
    await run("one", { context: full(".", { writ: { limits } }) });
    expect(executor.requests[0]?.sandbox).toMatchObject({ context: { profile: { limits } } });
  });

  it("gives one that only looks the status, and starts a worker where none was", async () => {
    const { executor, call } = replLab();
    expect(await call("")).toMatchObject({ text: "<<repl status: idle>>" });
    expect(await call("")).toMatchObject({ text: "<<repl status: idle>>" });
    expect(executor.requests).toHaveLength(1);
  });

  it("shows what was printed while nobody called, once", async () => {
    const { executor, run } = replLab();
    await run("one");
    executor.last.print("later\n");
    await expect.poll(() => run("", { timeoutMs: 0 })).toBe("later\n");
    executor.last.print("again\n");
    await expect.poll(() => executor.last.process.taken).toBeGreaterThan(5);
    expect(await run("two")).toBe("again\nran two\n");
    expect(await run("")).toBe("<<repl status: idle>>");
  });

  it("shows what reached a descriptor that nobody claims, without a mark", async () => {
    const { executor, run } = replLab();
    executor.onStart = (worker) => {
      worker.process.complain("from a child\n");
      worker.greet();
    };
    expect(await run("one")).toBe("from a child\nran one\n");
  });

  it("answers the program that asks, with the next input", async () => {
    const { executor, call } = replLab();
    expect(await call("ask name: ")).toMatchObject({
      text: "name: ",
      facts: { status: "waiting", prompt: "name: " },
    });
    expect(await call("")).toMatchObject({ text: "<<repl status: idle>>\nname: " });
    expect(await call("Ada")).toMatchObject({ text: "got Ada\n", facts: { status: "idle" } });
    expect(executor.last.inputs).toEqual(["ask name: ", "Ada"]);
  });

  it("says that a program waits that asks without a prompt", async () => {
    const { call } = replLab();
    const waiting = { text: "<<repl status: waiting for input>>" };
    expect(await call("ask ")).toMatchObject({ ...waiting, facts: { status: "waiting" } });
    expect(await call("")).toMatchObject(waiting);
    expect(await call("Ada")).toMatchObject({ text: "got Ada\n" });
  });

  it("moves in pages without a worker's help, and leaves them for other input", async () => {
    const { executor, run } = replLab(pagedOutput());
    const long = "x".repeat(300);
    expect(await run(long)).toMatch(/--More--/);
    expect(await run("")).toMatch(/--More--/);
    expect(await run(":q")).toMatch(/END/);
    expect(executor.last.inputs).toEqual([long]);
    await run(long);
    expect(await run("one")).toBe("ran one\n");
  });
});

describe("a call whose time is over", () => {
  it("leaves what runs alone, and a later one takes up where it left", async () => {
    const { executor, call, run } = replLab();
    const reply = await call("hang begun\n", { timeoutMs: 50 });
    expect(reply).toMatchObject({ isError: false, facts: { status: "busy" } });
    expect(reply.text).toMatch(/^begun\n<<repl status: busy/);
    expect(await run("", { timeoutMs: 10 })).toMatch(BUSY);
    executor.last.print("done\n");
    executor.last.ready();
    expect(await run("")).toBe("done\n");
    expect(await run("")).toBe("<<repl status: idle>>");
    expect(executor.last.interrupts).toBe(0);
  });

  it("counts from the begin of the request, in steps", async () => {
    const { call } = replLab();
    await call("hang", { timeoutMs: 120 });
    const { text, facts } = await call("", { timeoutMs: 400 });
    expect(text).toMatch(/elapsed_ms=\d+00>>$/);
    expect(facts.elapsedMs).toBeGreaterThanOrEqual(200);
  });

  it("throws input away while something runs, and says so", async () => {
    const { executor, call } = replLab();
    await call("hang", { timeoutMs: 0 });
    const { text, facts } = await call("two", { timeoutMs: 30 });
    expect(text).toMatch(BUSY);
    expect(text).toMatch(/\[repl\] input discarded while worker busy$/);
    expect(facts.status).toBe("busy");
    expect(executor.last.inputs).toEqual(["hang"]);
  });

  it("runs input that came while something ran which then was over in time", async () => {
    const { executor, call, run } = replLab();
    await call("hang", { timeoutMs: 0 });
    const second = run("two");
    executor.last.print("first\n");
    executor.last.ready();
    expect(await second).toBe("first\nran two\n");
  });

  it("has its input run, be it 0 and the worker not there yet", async () => {
    const { executor, run } = replLab();
    executor.onStart = (worker) => void setTimeout(() => worker.greet(), 60);
    expect(await run("hang begun\n", { timeoutMs: 0 })).toMatch(/<<repl status: busy/);
    executor.last.ready();
    expect(await run("")).toMatch(/^(begun\n|<<repl status: idle>>)$/);
    expect(executor.last.inputs).toEqual(["hang begun\n"]);
  });

  it("says that its input reached nobody where a worker starts too slowly", async () => {
    const { executor, run } = replLab();
    executor.onStart = () => {};
    const text = await run("one", { timeoutMs: 0 });
    expect(text).toMatch(BUSY);
    expect(text).toMatch(/\[repl\] input discarded: the worker is still starting, send it again$/);
    executor.last.greet();
    expect(await run("two")).toBe("ran two\n");
    expect(executor.last.inputs).toEqual(["two"]);
  });

  it("is not run when it is interrupted before its worker has started", async () => {
    const { executor, run } = replLab();
    executor.onStart = () => {};
    const first = run("one");
    const second = run("\u0003");
    await expect.poll(() => executor.workers.length).toBe(1);
    executor.last.greet();
    expect(await first).toBe("[repl] interrupted before it ran; input discarded");
    expect(await second).toBe("<<repl status: idle>>");
    expect(await run("two")).toBe("ran two\n");
    expect(executor.last.inputs).toEqual(["two"]);
  });

  it("is run after an interrupt that found nothing to stop", async () => {
    const { executor, run } = replLab();
    await run("one");
    await run("\u0003");
    expect(await run("two")).toBe("ran two\n");
    expect(await run("\u0003three")).toBe("ran three\n");
    expect(executor.last.inputs).toEqual(["one", "two", "three"]);
  });

  it("may be longer than a timer can be set to", async () => {
    const { executor, run } = replLab();
    executor.onStart = (worker) => void setTimeout(() => worker.greet(), 20);
    expect(await run("one", { timeoutMs: Number.MAX_SAFE_INTEGER })).toBe("ran one\n");
  });

  it("is answered in its time also while another call waits, and costs that one nothing", async () => {
    const { executor, call, run } = replLab();
    const first = run("hang begun\n");
    await expect.poll(() => executor.workers[0]?.inputs).toEqual(["hang begun\n"]);
    expect(await call("two", { timeoutMs: 0 })).toMatchObject({
      text: expect.stringMatching(/^<<repl status: busy.*\n\[repl\] input discarded/),
      facts: { status: "busy" },
    });
    expect(await run("", { timeoutMs: 0 })).toMatch(BUSY);
    executor.last.ready();
    expect(await first).toBe("begun\n");
    expect(await run("three")).toBe("ran three\n");
    expect(executor.last.inputs).toEqual(["hang begun\n", "three"]);
  });
});
