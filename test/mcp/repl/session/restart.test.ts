import { describe, expect, it } from "vitest";
import { BAD, NONE, pagedOutput, replLab } from "./support/repl-lab.ts";

const D = "\u0004";
const NEW = "[repl] new session started";

describe("a restart", () => {
  it("ends the worker and starts none before the next call", async () => {
    const { executor, call, run } = replLab();
    await run("one");
    expect(await call(D)).toMatchObject({ text: NEW, facts: { status: "idle" } });
    expect([executor.requests.length, executor.alive]).toEqual([1, []]);
    expect(await run("two")).toBe("ran two\n");
    expect(executor.workers.map(({ inputs }) => inputs)).toEqual([["one"], ["two"]]);
  });

  it("runs its tail in the new session", async () => {
    const { executor, run } = replLab();
    await run("one");
    expect(await run(`${D}\ntwo`)).toBe(`${NEW}\nran \ntwo\n`);
    expect(executor.workers.map(({ inputs }) => inputs)).toEqual([["one"], ["\ntwo"]]);
  });

  it("is all that a first call may be, and takes no time", async () => {
    const { executor, run } = replLab();
    expect(await run(D, { timeoutMs: 0 })).toBe(NEW);
    expect(executor.requests).toEqual([]);
  });

  it("ends what runs, and shows what it printed until then and never later", async () => {
    const { executor, run } = replLab();
    await run("hang", { timeoutMs: 0 });
    executor.last.print("begun\n");
    const old = executor.last;
    old.process.onLine = (line) => {
      if (!line.includes("shutdown")) return;
      old.print("bye\n");
      old.process.exit(0);
    };
    expect(await run(`${D}two`)).toBe(`begun\nbye\n${NEW}\nran two\n`);
    old.print("ghost\n");
    old.process.complain("ghost\n");
    expect(await run("")).toBe("<<repl status: idle>>");
  });

  it("does not wait for a call that waits for what it ends", async () => {
    const { executor, run } = replLab();
    const first = run("hang begun\n");
    await expect.poll(() => executor.workers[0]?.inputs).toHaveLength(1);
    const second = run("hang again\n");
    expect(await run(D)).toMatch(/\[repl\] new session started$/);
    expect(await first).toMatch(/^begun\n<<repl status: busy/);
    expect(await second).toMatch(/^<<repl status: busy.*\[repl\] input discarded/s);
    expect(executor.alive).toEqual([]);
  });

  it("ends one that does not end by itself", async () => {
    const { executor, run } = replLab();
    await run("hang", { timeoutMs: 0 });
    const { process } = executor.last;
    process.polite = false;
    process.onLine = () => {};
    expect(await run(D)).toBe(NEW);
    expect(process.done).toEqual(["closeInput", "terminate", "exit 137"]);
  });

  it("without a good state touches nothing", async () => {
    const { executor, call, run } = replLab();
    await run("hang", { timeoutMs: 0 });
    for (const context of [NONE, BAD]) {
      for (const input of [D, `${D}two`]) {
        const reply = await call(input, { context });
        expect(reply).toMatchObject({ isError: true, facts: { status: "refused" } });
        expect(reply.text).toMatch(/^Cannot run this call: /);
      }
    }
    expect([executor.last.inputs, executor.last.process.done]).toEqual([["hang"], []]);
    executor.last.ready();
    expect(await run("")).toBe("<<repl status: idle>>");
  });

  it("is meant by one among several controls", async () => {
    const { executor, run } = replLab();
    await run("one");
    expect(await run(`\u0003${D}two`)).toBe(`${NEW}\nran two\n`);
    expect(executor.workers[0]?.interrupts).toBe(0);
  });

  it("leaves the pages of what was printed before it", async () => {
    const { run } = replLab(pagedOutput());
    expect(await run("x".repeat(300))).toMatch(/--More--/);
    expect((await run(D)).trimEnd()).toBe(NEW);
    expect((await run("")).trimEnd()).toBe("<<repl status: idle>>");
  });

  it("is told at once, also where what nobody has read yet is more than a page", async () => {
    const { executor, run } = replLab(pagedOutput());
    await run(`hang ${"x".repeat(100)}`, { timeoutMs: 20 });
    executor.last.print("unread\n".repeat(20));
    executor.last.end("exit 4", 4);
    expect(await run(":q")).toMatch(/END/);
    expect(await run(D)).toMatch(/^unread\n[^x]*--More-- .*\n\[repl\] new session started$/s);
    expect(await run(":a")).toMatch(/unread\n\[repl\] new session started\n\(END, /);
    expect(await run("two")).toBe("ran two\n");
  });
});

describe("a session that ends", () => {
  it("says so with the status, and the next call finds a new one", async () => {
    const { executor, call, run } = replLab();
    expect(await call("exit 7")).toMatchObject({
      text: "[repl] session ended (exit 7)",
      isError: false,
      facts: { status: "ended", end: "exit 7" },
    });
    expect(executor.requests).toHaveLength(2);
    expect(await run("two")).toBe("ran two\n");
    expect(executor.requests).toHaveLength(2);
  });

  it.each([
    ["die 3", "[repl] worker exited with status 3"],
    ["die 137", "[repl] worker was ended by signal 9"],
    ["die 255", "[repl] worker exited with status 255"],
  ])("unexpectedly (%s) says how", async (input, text) => {
    const { call, run } = replLab();
    expect(await call(input)).toMatchObject({ text, isError: false, facts: { status: "ended" } });
    expect(await run("two")).toBe("ran two\n");
  });

  it.each([
    ["exit 7", "1"],
    ["die 3", "1"],
    ["hang", "1"],
    [D, "1"],
    [`${D}two`, "2"],
  ])("with %j is on record under a receipt that the reply names: %s", async (input, receiptId) => {
    const { executor, session, run, full } = replLab();
    executor.onStart = (worker) => {
      worker.process.receiptId = String(executor.workers.length);
      worker.greet();
    };
    await run("one");
    const { signal } = new AbortController();
    const asked = { input, timeoutMs: 20, context: full(), signal };
    expect(await session.serve(asked)).toMatchObject({ receiptId });
    expect(await session.serve({ ...asked, input: "" })).toMatchObject({
      receiptId: String(executor.workers.length),
    });
  });

  it("is told of by whichever call comes first", async () => {
    const { executor, run } = replLab();
    await run("hang begun\n", { timeoutMs: 20 });
    executor.last.end("exit 7", 7);
    await expect.poll(() => executor.alive).toEqual([]);
    expect(await run("two")).toBe("[repl] session ended (exit 7)\nran two\n");
    await run("hang", { timeoutMs: 0 });
    executor.last.process.exit(1);
    expect(await run("")).toBe("[repl] worker exited with status 1");
    expect(await run("")).toBe("<<repl status: idle>>");
  });

  it("while nobody used it is announced, to whoever runs something or only looks", async () => {
    const { executor, run } = replLab();
    const died = "[repl] the previous session died while it was idle (was ended by signal 9)";
    for (const [input, rest] of [
      ["two", "\nran two\n"],
      ["", ""],
    ]) {
      await run("one");
      executor.last.process.exit(137);
      await expect.poll(() => executor.last.process.taken).toBeGreaterThan(4);
      expect(await run(input ?? "")).toBe(`${died}; its state is lost${rest}`);
    }
  });

  it("says nothing more of it where a restart wanted it", async () => {
    const { executor, run } = replLab();
    await run("one");
    executor.last.process.exit(1);
    expect(await run(D)).toBe(NEW);
    expect(await run("two")).toBe("ran two\n");
  });

  it.each([
    ["no JSON", "nonsense"],
    ["a type that is not there", '{"type":"hello"}'],
    ["a second greeting", '{"type":"worker_ready"}'],
    ["an unknown member", '{"type":"ready","since":1}'],
    ["what is no base64", '{"type":"output_text","stream":"stdout","data_b64":"*"}'],
  ])("because its worker sent %s says so, and ends the worker", async (_, line) => {
    const { executor, run } = replLab();
    await run("hang", { timeoutMs: 0 });
    const { process } = executor.last;
    process.say(`${line}\n{"type":"output_text","stream":"stdout","data_b64":"Z2hvc3Q="}\n`);
    const text = await run("");
    expect(text).toMatch(/^\[repl\] worker broke its protocol \(.+\)$/);
    expect(process.done).toEqual(["terminate", "exit 137"]);
    expect(await run("two")).toBe("ran two\n");
  });

  it("before it began is told once, and not tried again and again", async () => {
    const { executor, call, run } = replLab();
    executor.onStart = (worker) => {
      worker.process.complain("not found\n");
      worker.process.exit(127);
    };
    const text = "not found\n[repl] worker exited with status 127 before it was ready";
    expect(await call("one")).toMatchObject({ text, isError: false, facts: { status: "ended" } });
    expect(executor.requests).toHaveLength(1);
    executor.onStart = (worker) => worker.greet();
    expect(await run("two")).toBe("ran two\n");
  });

  it("takes its request with it: nobody counts its time for the next session", async () => {
    const { executor, call } = replLab();
    await call("hang", { timeoutMs: 30 });
    executor.last.process.exit(1);
    executor.onStart = () => {};
    await expect.poll(() => executor.last.process.taken).toBeGreaterThan(3);
    const reply = await call("two", { timeoutMs: 0 });
    expect(reply).toMatchObject({ facts: { status: "busy", elapsedMs: 0 } });
    expect(reply.text).toMatch(/^\[repl\] worker exited with status 1\n/);
  });

  it("while a call waits to run something has that run in a new one", async () => {
    for (const input of ["two", "\u0003two"]) {
      const { executor, run } = replLab();
      await run("hang", { timeoutMs: 0 });
      const first = executor.last;
      first.process.onLine = () => first.process.exit(130);
      if (input === "two") setTimeout(() => first.process.exit(130), 60);
      const text = await run(input);
      expect(text).toMatch(/^\[repl\] worker was ended by signal 2\nran two\n$|interrupted/);
      expect(text).toMatch(/ran two\n$/);
      expect(executor.workers.map(({ inputs }) => inputs)).toEqual([["hang"], ["two"]]);
    }
  });
});
