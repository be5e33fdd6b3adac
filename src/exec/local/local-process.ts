/**
 * One process on this machine, from the moment its command runs to its receipt.
 *
 * What it prints is numbered here and nowhere else. `exited` may come before the
 * last output, where something that was started holds the streams open; `closed`
 * comes last.
 */
import os from "node:os";
import type { Readable } from "node:stream";
import { setTimeout as sleep, setImmediate as soon } from "node:timers/promises";
import {
  type LaunchPlan,
  lendOutput,
  type Receipt,
  type RunningSandbox,
  type RunOutcome,
  type SignalReach,
  type TerminalSize,
} from "../../sandbox/index.ts";
import type { RunningProcess } from "../executor.ts";
import type { OutputStream, ProcessExit, SandboxType } from "../process-event.ts";
import { DenialSigns } from "./denial-signs.ts";
import { EventQueue } from "./event-queue.ts";
import { type InputParts, LocalInput } from "./local-input.ts";

export interface LocalParts {
  readonly processId: string;
  readonly plan: LaunchPlan;
  readonly running: RunningSandbox;
  readonly pipeStdin: boolean;
  readonly receiptId: string;
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

export class LocalProcess implements RunningProcess {
  readonly processId: string;
  readonly sandboxType: SandboxType;
  readonly receiptId: string;
  readonly events: EventQueue;
  readonly receipt: Promise<Receipt>;
  /** Settles when it is over with all it started, whoever still has to read what it printed. */
  readonly over: Promise<void>;
  #parts: LocalParts;
  readonly #signs = new DenialSigns();
  readonly #ended: Promise<unknown>;
  readonly #input: LocalInput;
  #printed = 0;
  #isOver = false;
  #isClosed = false;

  constructor(parts: LocalParts) {
    const { running, plan } = parts;
    this.#parts = parts;
    this.processId = parts.processId;
    this.sandboxType = SANDBOX_TYPES[plan.tier];
    this.receiptId = parts.receiptId;
    this.#input = new LocalInput(inputOf(parts));
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
    return this.#input.write(bytes);
  }

  closeInput(): Promise<void> {
    return this.#input.close();
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
    this.#input.over();
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
    const { processId, plan, pipeStdin, receiptId } = this.#parts;
    const close = () => {
      throw new Error(`Cannot close "${processId}": it is closed`);
    };
    this.#parts = { processId, plan, pipeStdin, receiptId, running: GONE, close };
    this.#signs.forget();
  }

  #exitOf(outcome: RunOutcome): ProcessExit {
    const exitCode = exitCodeOf(outcome, this.#parts.plan);
    const sandboxDenied = this.sandboxType !== "none" && this.#signs.judge(exitCode);
    return { exitCode, sandboxDenied };
  }
}

function inputOf({ processId, plan, pipeStdin, running, patienceMs }: LocalParts): InputParts {
  const isTerminal = plan.terminal === "pty";
  return {
    processId,
    stdin: isTerminal || pipeStdin ? running.stdin : null,
    isTerminal,
    patienceMs,
  };
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
