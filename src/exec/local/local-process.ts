/**
 * One process on this machine, from the moment its command runs to its receipt.
 *
 * What it prints is numbered here and nowhere else. `exited` may come before the
 * last output, where something that was started holds the streams open; `closed`
 * comes last.
 */
import os from "node:os";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep, setImmediate as soon } from "node:timers/promises";
import {
  type LaunchPlan,
  lendOutput,
  type Receipt,
  type RunningSandbox,
  type RunOutcome,
  type SignalReach,
} from "../../sandbox/index.ts";
import { ExecError } from "../exec-error.ts";
import type { RunningProcess } from "../executor.ts";
import type { OutputStream, ProcessExit, SandboxType } from "../process-event.ts";
import type { TerminalSize } from "../start-request.ts";
import { DenialSigns } from "./denial-signs.ts";
import { EventQueue } from "./event-queue.ts";

export interface LocalParts {
  readonly processId: string;
  readonly plan: LaunchPlan;
  readonly running: RunningSandbox;
  readonly pipeStdin: boolean;
  /** How long it may take to read some of what it was sent; 5 s when absent. */
  readonly patienceMs?: number;
  /** Sees what it prints, as it is read; the bytes are lent. */
  readonly observe?: (chunk: Uint8Array, stream: "stdout" | "stderr") => void;
  /** Makes and keeps the receipt once all is over. */
  readonly close: (outcome: RunOutcome) => Receipt;
}

const SANDBOX_TYPES: Record<LaunchPlan["tier"], SandboxType> = {
  namespaces: "linuxSeccomp",
  seatbelt: "macosSeatbelt",
  external: "none",
  none: "none",
};

/** What a command prints last decides whether it was denied something, so it may come first. */
const TAIL_MS = 20;
/** How often its streams are looked at again, once it was ended, before they are left to whoever holds them. */
const LAST_LOOKS = 50;
/** What a process that does not read may leave unread. */
const MOST_UNREAD_BYTES = 16 << 20;
const PATIENCE_MS = 5000;

export class LocalProcess implements RunningProcess {
  readonly processId: string;
  readonly sandboxType: SandboxType;
  readonly events: EventQueue;
  readonly receipt: Promise<Receipt>;
  /** Settles when it is over with all it started, whoever still has to read what it printed. */
  readonly over: Promise<void>;
  #parts: LocalParts;
  readonly #signs = new DenialSigns();
  readonly #ended: Promise<unknown>;
  #input: Promise<unknown> = Promise.resolve();
  #printed = 0;
  #isOver = false;
  #isClosed = false;

  constructor(parts: LocalParts) {
    const { running, plan } = parts;
    this.#parts = parts;
    this.processId = parts.processId;
    this.sandboxType = SANDBOX_TYPES[plan.tier];
    const streams = [running.stdout, running.stderr].filter((one) => one !== null);
    this.events = new EventQueue((held) => {
      const { stdout, stderr } = this.#parts.running;
      for (const stream of [stdout, stderr]) held ? stream?.pause() : stream?.resume();
    });
    if (plan.terminal === "none" && !parts.pipeStdin) running.stdin?.end();
    this.#listen(running.stdout, plan.terminal === "pty" ? "pty" : "stdout");
    this.#listen(running.stderr, "stderr");
    this.#ended = Promise.all(streams.map(over));
    this.over = running.outcome.then(
      () => {},
      () => {},
    );
    this.receipt = this.#follow();
    // Whoever does not ask for it must not be ended by it.
    this.receipt.catch(() => {});
  }

  write(bytes: Uint8Array): Promise<boolean> {
    return this.#inTurn(() => this.#write(bytes));
  }

  /** A terminal has no end of its own: the key for it stands for it. */
  closeInput(): Promise<void> {
    return this.#inTurn(async () => {
      const { running, plan } = this.#parts;
      if (this.#isOver) return;
      if (plan.terminal === "pty") running.stdin?.write("\x04");
      else running.stdin?.end();
    });
  }

  /** What fits does not overtake what has to wait, nor does the end. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#input.then(work);
    this.#input = done.catch(() => {});
    return done;
  }

  async #write(bytes: Uint8Array): Promise<boolean> {
    const { running, plan, pipeStdin } = this.#parts;
    if (plan.terminal === "none" && !pipeStdin) return false;
    if (this.#isOver) return true;
    if (running.stdin === null || running.stdin.writableEnded) return false;
    if (bytes.length === 0) return true;
    if (!(await this.#hasRoom(running.stdin, bytes.length))) {
      throw new ExecError(
        "invalidRequest",
        `Cannot write to "${this.processId}": it has left ${running.stdin.writableLength} bytes unread, expected it to read them first`,
        { field: "chunk" },
      );
    }
    running.stdin.write(bytes);
    return true;
  }

  async resize(size: TerminalSize): Promise<void> {
    if (!this.#isOver) this.#parts.running.resize(size);
  }

  async interrupt(reach: SignalReach): Promise<void> {
    if (!this.#isOver) this.#parts.running.signal("SIGINT", reach);
  }

  /** Also what a command left behind when it exited, as long as that holds its streams. */
  async terminate(): Promise<boolean> {
    const wasRunning = !this.#isOver;
    this.end("terminated by the caller");
    return wasRunning;
  }

  /** The same for a reason of ours. */
  end(reason: string): void {
    if (this.#isClosed) return;
    this.#parts.running.end(reason);
    void this.#letGo();
  }

  /** Nobody reads what it still prints. */
  discard(): void {
    const { stdout, stderr } = this.#parts.running;
    for (const stream of [stdout, stderr]) stream?.destroy();
  }

  /** Without a sandbox something may have got away with its streams; nobody waits for that. */
  async #letGo(): Promise<void> {
    await this.#parts.running.outcome.catch(() => {});
    for (let looks = 0; looks < LAST_LOOKS && !this.#isClosed; ) {
      const before = this.#printed;
      await this.#tail();
      // What waits for a slow reader is no sign of anything.
      if (this.events.isHeld) continue;
      if (this.#printed === before) break;
      looks += 1;
    }
    this.discard();
  }

  /** Waits a moment for the last of what it printed. */
  async #tail(): Promise<void> {
    await Promise.race([this.#ended, sleep(TAIL_MS)]);
    // A process that was busy elsewhere has not read what is there.
    await soon();
  }

  /** Waits a while for a slow reader; for ever would hold up whatever the same client asks next. */
  async #hasRoom(stdin: Writable, more: number): Promise<boolean> {
    const isFull = () => !this.#isOver && stdin.writableLength + more > MOST_UNREAD_BYTES;
    const { patienceMs = PATIENCE_MS } = this.#parts;
    for (let waited = 0; isFull() && waited < patienceMs; waited += TAIL_MS) await sleep(TAIL_MS);
    return !isFull();
  }

  #listen(stream: Readable | null, name: OutputStream): void {
    const { observe } = this.#parts;
    if (stream === null) return;
    lendOutput(stream, (chunk) => {
      this.#printed += chunk.length;
      observe?.(chunk, name === "stderr" ? name : "stdout");
      const isKept = this.events.add({ kind: "output", stream: name, chunk });
      if (this.sandboxType !== "none") this.#signs.see(isKept ? chunk : Buffer.from(chunk));
      return isKept;
    });
  }

  async #follow(): Promise<Receipt> {
    const { running, close } = this.#parts;
    const outcome = await running.outcome.catch(lostOutcome);
    this.#isOver = true;
    // What it had printed by then comes first; an end may be heard of before that was read.
    await (this.sandboxType === "none" ? looked() : this.#tail());
    this.events.add({ kind: "exited", exit: this.#exitOf(outcome) });
    await this.#ended;
    this.#isClosed = true;
    try {
      return close(outcome);
    } finally {
      this.events.add({ kind: "closed" });
      this.#letGoOfParts();
    }
  }

  /** It is remembered for a while. What it was made of, buffers and a whole receipt among it, need not be. */
  #letGoOfParts(): void {
    const { processId, plan, pipeStdin } = this.#parts;
    const close = () => {
      throw new Error(`Cannot close "${processId}": it is closed`);
    };
    this.#parts = { processId, plan, pipeStdin, running: GONE, close };
    this.#signs.forget();
  }

  #exitOf(outcome: RunOutcome): ProcessExit {
    const exitCode = exitCodeOf(outcome, this.#parts.plan);
    const sandboxDenied = this.sandboxType !== "none" && this.#signs.judge(exitCode);
    return { exitCode, sandboxDenied };
  }
}

/** What was made on the host could not be taken away again; the command is over all the same. */
function lostOutcome(error: unknown): RunOutcome {
  return { kind: "ended", reason: error instanceof Error ? error.message : String(error) };
}

/** All of it was read then; that it is closed as well takes a turn more. Where nobody is left to read, it is over too. */
function over(stream: Readable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const sign of ["end", "close", "error"]) stream.once(sign, () => resolve());
  if (stream.readableEnded || stream.destroyed) resolve();
  return promise;
}

/** Settles once all that lay ready was read: the first one may come before the next look at what is ready. */
async function looked(): Promise<void> {
  await soon();
  await soon();
}

/** Stands for what is over. */
const GONE: RunningSandbox = {
  ...{ stdin: null, stdout: null, stderr: null },
  resize: () => {},
  signal: () => false,
  end: () => {},
  opened: Promise.resolve(false),
  outcome: Promise.resolve({ kind: "ended", reason: "it is over" }),
};

const SIGNALLED = 128;
const LIMIT_REACHED = 124;
const NOT_STARTED = 125;
const NO_PROGRAM = 127;
/** What clients of the wire know of a command with a terminal that was killed. */
const KILLED_WITH_TERMINAL = 1;

function exitCodeOf(outcome: RunOutcome, { terminal }: LaunchPlan): number {
  switch (outcome.kind) {
    case "exited":
      return outcome.code;
    case "limit":
      return LIMIT_REACHED;
    case "notStarted":
      return outcome.what === "command" ? NO_PROGRAM : NOT_STARTED;
    case "killed":
    case "ended": {
      if (terminal === "pty") return KILLED_WITH_TERMINAL;
      const signal = outcome.kind === "killed" ? outcome.signal : "SIGKILL";
      return SIGNALLED + os.constants.signals[signal];
    }
  }
}
