/** A process on this machine between its sandbox, which the test plays, and its events. */
import fs from "node:fs";
import { PassThrough, type Readable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ProcessEvent, ProcessExit } from "../../../src/exec/index.ts";
import { followEvents } from "../../../src/exec/local/event-queue.ts";
import { type LocalParts, LocalProcess } from "../../../src/exec/local/local-process.ts";
import type { LaunchPlan, Receipt, RunOutcome } from "../../../src/sandbox/index.ts";
import { openOutput } from "../../../src/sandbox/run/streams/open-pipe.ts";

type Plan = Pick<LaunchPlan, "tier" | "terminal">;

interface Played {
  readonly plan?: Partial<Plan>;
  readonly pipeStdin?: boolean;
  readonly close?: () => Receipt;
  readonly observe?: NonNullable<LocalParts["observe"]>;
  /** A pipe instead of a stream that the test writes to. */
  readonly printed?: Readable;
}

const RECEIPT = { id: "r" } as Receipt;

function play({ plan, pipeStdin = false, close = () => RECEIPT, observe, printed }: Played = {}) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const outcome = Promise.withResolvers<RunOutcome>();
  const asked: string[] = [];
  const process = new LocalProcess({
    processId: "p",
    plan: { tier: "none", terminal: "none", ...plan } as LaunchPlan,
    ...{ pipeStdin, receiptId: "r" },
    patienceMs: 100,
    close,
    ...(observe && { observe }),
    running: {
      stdin,
      stdout: printed ?? stdout,
      stderr,
      resize: () => void asked.push("resize"),
      signal: (name, reach) => asked.push(`${name} to the ${reach}`) > 0,
      end: (reason) => void asked.push(reason),
      opened: Promise.resolve(true),
      outcome: outcome.promise,
    },
  });
  const endStreams = () => {
    stdout.end();
    stderr.end();
  };
  return { process, stdin, stdout, stderr, asked, endStreams, over: outcome.resolve, outcome };
}

/** One that is over, and the stream that it printed to, which nobody but it could still have. */
async function closedOne() {
  const { inner, outer } = openOutput();
  const { process, stderr, over } = play({ printed: outer, plan: { tier: "namespaces" } });
  fs.writeSync(inner, "said");
  fs.closeSync(inner);
  stderr.end();
  over({ kind: "exited", code: 1 });
  await heard(process);
  return { process, printed: new WeakRef(outer) };
}

async function heard(process: LocalProcess): Promise<ProcessEvent[]> {
  const events: ProcessEvent[] = [];
  for await (const event of process.events) events.push(event);
  return events;
}

const exitIn = (events: readonly ProcessEvent[]) =>
  events.flatMap((event) => (event.kind === "exited" ? [event.exit] : []))[0];

describe("a process", () => {
  it("lets go of what it was made of when it is closed", async () => {
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    const { process, printed } = await closedOne();
    expect(await process.receipt).toBe(RECEIPT);
    const isGone = () => {
      collect();
      return printed.deref() === undefined;
    };
    await expect.poll(isGone).toBe(true);
  });

  it("has told what it printed before its end is told, though the end was heard of first", async () => {
    const { inner, outer } = openOutput();
    const { process, stderr, over } = play({ printed: outer });
    const told: string[] = [];
    const all = followEvents(process.events, ({ kind }) => void told.push(kind));
    fs.writeSync(inner, "early");
    over({ kind: "exited", code: 0 });
    await expect.poll(() => told).toContain("exited");
    expect(told).toEqual(["output", "exited"]);
    fs.closeSync(inner);
    stderr.end();
    await all;
  });

  it("is judged by all that it printed, though the bytes of that were used again", async () => {
    const { inner, outer } = openOutput();
    const { process, stderr, over } = play({ plan: { tier: "namespaces" }, printed: outer });
    const exits: ProcessExit[] = [];
    const pieces: string[] = [];
    const all = followEvents(process.events, (event) => {
      if (event.kind === "exited") exits.push(event.exit);
      if (event.kind === "output") pieces.push(String(event.chunk));
      return undefined;
    });
    for (const text of ["Permission denied", "-----------------"]) {
      fs.writeSync(inner, text);
      await expect.poll(() => pieces.at(-1)).toBe(text);
    }
    fs.closeSync(inner);
    stderr.end();
    over({ kind: "exited", code: 1 });
    await all;
    expect(exits).toEqual([{ exitCode: 1, sandboxDenied: true }]);
  });

  it("45 is closed after its exit and the end of both streams, and not before", async () => {
    const { process, stdout, stderr, over } = play();
    const events: ProcessEvent[] = [];
    const all = followEvents(process.events, (event) => void events.push(event));
    over({ kind: "exited", code: 5 });
    await expect.poll(() => events.length).toBe(1);
    stdout.end("late");
    stderr.end("later");
    await all;
    expect(events.map(({ kind }) => kind)).toEqual(["exited", "output", "output", "closed"]);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(await process.receipt).toBe(RECEIPT);
  });

  it.each([
    ["none", ["stdout", "stderr"]],
    ["pty", ["stdout"]],
  ] as const)(
    "shows all that it prints to who looks, with terminal %s, before its receipt is made",
    async (terminal, names) => {
      const seen: string[] = [];
      const { process, stdout, stderr, over } = play({
        plan: { terminal },
        observe: (chunk, stream) => seen.push(`${stream} ${Buffer.from(chunk)}`),
        close: () => {
          seen.push("receipt");
          return RECEIPT;
        },
      });
      over({ kind: "exited", code: 0 });
      stdout.end("text");
      stderr.end(terminal === "pty" ? undefined : "text");
      await heard(process);
      expect(seen).toEqual([...names.map((name) => `${name} text`), "receipt"]);
    },
  );

  it("is closed though its receipt cannot be kept, which only who asks for it hears", async () => {
    const { process, endStreams, over } = play({
      close: () => {
        throw new Error("the disk is full");
      },
    });
    over({ kind: "exited", code: 0 });
    endStreams();
    expect((await heard(process)).at(-1)?.kind).toBe("closed");
    await expect(process.receipt).rejects.toThrow("the disk is full");
  });

  it("is over though what was made for it could not be taken away", async () => {
    const { process, endStreams, outcome } = play();
    outcome.reject(new Error("a folder is in the way"));
    endStreams();
    expect(exitIn(await heard(process))).toEqual({ exitCode: 137, sandboxDenied: false });
  });

  it("stops its streams while nobody takes what it prints", async () => {
    const { process, stdout, endStreams, over } = play();
    for (let count = 0; count < 64; count += 1) stdout.write(new Uint8Array(64 << 10));
    await new Promise((resolve) => setImmediate(resolve));
    expect(stdout.isPaused()).toBe(true);
    over({ kind: "exited", code: 0 });
    endStreams();
    const bytes = (await heard(process)).reduce(
      (sum, event) => sum + (event.kind === "output" ? event.chunk.length : 0),
      0,
    );
    expect(bytes).toBe(4 << 20);
  });
});

describe("50 the exit code", () => {
  const killed = { kind: "killed", signal: "SIGTERM" } as const;
  it.each<[string, RunOutcome, Partial<Plan>, number]>([
    ["of a command", { kind: "exited", code: 7 }, {}, 7],
    ["after a signal", killed, {}, 143],
    ["after a signal, with a terminal", killed, { terminal: "pty" }, 1],
    ["after it was ended", { kind: "ended", reason: "asked" }, {}, 137],
    ["after a limit", { kind: "limit", limit: "wallTimeMs", value: 1 }, {}, 124],
    ["without a program", { kind: "notStarted", what: "command", reason: "none" }, {}, 127],
    ["without a sandbox", { kind: "notStarted", what: "sandbox", reason: "none" }, {}, 125],
  ])("%s", async (_, outcome, plan, exitCode) => {
    const { process, endStreams, over } = play({ plan });
    over(outcome);
    endStreams();
    expect(exitIn(await heard(process))?.exitCode).toBe(exitCode);
  });
});

describe("86 a denial", () => {
  it.each<[string, LaunchPlan["tier"], string, number, boolean]>([
    ["is what a sandboxed command says", "namespaces", "x: Read-only file system", 1, true],
    ["is nothing else", "namespaces", "x: not found", 7, false],
    ["is none in a command that succeeds", "namespaces", "Permission denied", 0, false],
    ["is a call that the filter ends", "namespaces", "", 159, true],
    ["is none without a sandbox", "none", "Permission denied", 1, false],
    ["is none without a sandbox, whatever ended it", "none", "", 159, false],
  ])("%s", async (_, tier, text, code, sandboxDenied) => {
    const { process, stderr, endStreams, over } = play({ plan: { tier } });
    stderr.write(text);
    over({ kind: "exited", code });
    endStreams();
    expect(exitIn(await heard(process))).toEqual({ exitCode: code, sandboxDenied });
  });

  it("is seen though the words come after the exit", async () => {
    const { process, stderr, endStreams, over } = play({ plan: { tier: "namespaces" } });
    over({ kind: "exited", code: 1 });
    setImmediate(() => {
      stderr.write("Permission denied");
      endStreams();
    });
    expect(exitIn(await heard(process))?.sandboxDenied).toBe(true);
  });
});

describe("36, 37 input", () => {
  it("ends at once where none is wanted", async () => {
    const { process, stdin } = play();
    expect(stdin.writableEnded).toBe(true);
    expect(await process.write(Buffer.from("x"))).toBe(false);
  });

  it("is taken by a pipe, by a terminal, and by nobody after the end", async () => {
    for (const more of [{ pipeStdin: true }, { plan: { terminal: "pty" as const } }]) {
      const { process, stdin, endStreams, over } = play(more);
      expect(await process.write(Buffer.from("typed"))).toBe(true);
      expect(String(stdin.read())).toBe("typed");
      over({ kind: "exited", code: 0 });
      endStreams();
      await process.receipt;
      expect(await process.write(Buffer.from("late"))).toBe(true);
      expect(stdin.read()).toBe(null);
    }
  });

  it("is refused once too much of it was left unread for too long", async () => {
    const { process } = play({ pipeStdin: true });
    const much = new Uint8Array(9 << 20);
    expect(await process.write(much)).toBe(true);
    await expect(process.write(much)).rejects.toMatchObject({ code: "invalidRequest" });
    expect(await process.write(Buffer.from("less"))).toBe(true);
  });

  it("waits for a slow reader in the order in which it came, its end included", async () => {
    const { process, stdin } = play({ pipeStdin: true });
    const sent = ["a", "b", "c"].map((letter) => Buffer.alloc(9 << 20, letter));
    const written = [...sent, Buffer.from("d")].map((bytes) => process.write(bytes));
    const ended = process.closeInput();
    const got: Buffer[] = [];
    for await (const chunk of stdin) got.push(chunk);
    expect(await Promise.all(written)).toEqual([true, true, true, true]);
    await ended;
    expect(Buffer.concat(got).equals(Buffer.concat([...sent, Buffer.from("d")]))).toBe(true);
  });
});

describe("41 interrupting it", () => {
  it.each(["group", "command"] as const)("reaches the %s, as asked", async (reach) => {
    const { process, asked } = play();
    await process.interrupt(reach);
    expect(asked).toEqual([`SIGINT to the ${reach}`]);
  });
});

describe("42 ending it", () => {
  it("reaches what a command left behind when it exited, and nothing after the end", async () => {
    const { process, asked, endStreams, over } = play();
    expect(await process.terminate()).toBe(true);
    over({ kind: "exited", code: 0 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(await process.terminate()).toBe(false);
    expect(asked).toHaveLength(2);
    endStreams();
    await process.receipt;
    expect(await process.terminate()).toBe(false);
    await process.interrupt("group");
    await process.resize({ columns: 1, rows: 1 });
    expect(asked).toHaveLength(2);
  });

  it("closes it though something that got away holds its streams", async () => {
    const { process, stdout, over } = play();
    stdout.write("before");
    await process.terminate();
    over({ kind: "ended", reason: "asked" });
    const events = await heard(process);
    expect(events.map(({ kind }) => kind)).toEqual(["output", "exited", "closed"]);
  });

  it("closes it though something that got away goes on printing", async () => {
    const { process, stdout, over } = play();
    const printing = setInterval(() => stdout.destroyed || stdout.write("more"), 1);
    onTestFinished(() => clearInterval(printing));
    await process.terminate();
    over({ kind: "ended", reason: "asked" });
    expect((await heard(process)).at(-1)?.kind).toBe("closed");
  });

  it("loses nothing of what a slow reader has not taken yet", async () => {
    const { process, stdout, endStreams, over } = play();
    for (let count = 0; count < 64; count += 1) stdout.write(new Uint8Array(64 << 10));
    await process.terminate();
    over({ kind: "ended", reason: "asked" });
    endStreams();
    await new Promise((resolve) => setTimeout(resolve, 200));
    const bytes = (await heard(process)).map((one) =>
      one.kind === "output" ? one.chunk.length : 0,
    );
    expect(bytes.reduce((sum, one) => sum + one)).toBe(4 << 20);
  });

  it("lets it be over though its streams never end, once nobody reads them", async () => {
    const { process, over } = play();
    over({ kind: "ended", reason: "asked" });
    process.discard();
    expect(await process.receipt).toBe(RECEIPT);
  });
});

it("takes more at once than may be left unread, where nothing is", async () => {
  const { process, stdin } = play({ pipeStdin: true });
  stdin.resume();
  expect(await process.write(new Uint8Array(17 << 20))).toBe(true);
});
