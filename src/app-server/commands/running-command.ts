/**
 * One command, from its start to the answer of the request that started it.
 *
 * It is over when it was read to the end: what it streams is sent before the
 * answer. It ends by itself, after its time, when its client says so, and with
 * the connection that it belongs to.
 */
import type { ProcessEvent, ProcessExit, RunningProcess, TerminalSize } from "../../exec/index.ts";
import { base64Text, RpcError } from "../../rpc/index.ts";
import { CapturedOutput } from "./captured-output.ts";
import type { CommandClock } from "./command-clock.ts";
import type { CommandConnection, OutputDelta } from "./command-connection.ts";
import { commandRpcError } from "./command-rpc-error.ts";
import type { AskedCommand } from "./read-command.ts";

export interface CommandParts {
  readonly asked: AskedCommand;
  readonly process: RunningProcess;
  readonly connection: CommandConnection;
  /** Fires when nobody waits for the outcome any more. */
  readonly unwanted: AbortSignal;
  readonly clock: CommandClock;
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const TIMED_OUT = 124;
const TERMINATED = 137;
const NO_PROGRAM = 127;
/** How long what a command left behind may hold its streams open. */
const DRAIN_MS = 2_000;

export class RunningCommand {
  /** Rejects with `RpcError` where its end, or something that it printed, was lost. */
  readonly ended: Promise<CommandResult>;
  readonly #parts: CommandParts;
  readonly #output: CapturedOutput;
  readonly #cancels: (() => void)[] = [];
  #endings: Promise<unknown> = Promise.resolve();
  #isUnheard = false;
  #cause: "itself" | "timeout" | "terminate" = "itself";

  constructor(parts: CommandParts) {
    this.#parts = parts;
    this.#output = new CapturedOutput(parts.asked.outputCap);
    this.#limit();
    this.ended = this.#follow();
    // Whoever started it asks for it; whoever only speaks to it must not be ended by it.
    this.ended.catch(() => {});
  }

  async write(bytes: Uint8Array, then: "more" | "close"): Promise<void> {
    const { asked, process } = this.#parts;
    if (!asked.streamsInput) {
      throw refused("stdin streaming is not enabled for this command/exec");
    }
    if (bytes.length > 0 && !(await spoken(process.write(bytes)))) {
      throw refused("stdin is already closed");
    }
    if (then === "close") await spoken(process.closeInput());
  }

  async resize(size: TerminalSize): Promise<void> {
    const { asked, process } = this.#parts;
    if (asked.terminal === null) {
      throw refused("failed to resize PTY: process is not attached to a PTY");
    }
    await spoken(process.resize(size));
  }

  /** Settles when it was told; `ended` says when it is over. */
  async terminate(): Promise<void> {
    await spoken(this.#end("terminate"));
  }

  #limit(): void {
    const { asked, clock, connection, unwanted } = this.#parts;
    const gone = () => this.#end("terminate").catch(() => {});
    for (const signal of [connection.closed, unwanted]) {
      signal.addEventListener("abort", gone, { once: true });
      this.#cancels.push(() => signal.removeEventListener("abort", gone));
      if (signal.aborted) gone();
    }
    const { timeoutMs } = asked;
    const expire = () => void this.#end("timeout").catch(() => {});
    if (timeoutMs === 0) expire();
    else if (timeoutMs !== undefined) this.#cancels.push(clock.after(timeoutMs, expire));
  }

  /** What ends it first is what it ended of, unless it was over before. */
  #end(cause: "timeout" | "terminate"): Promise<void> {
    const { process, asked } = this.#parts;
    const isFirst = this.#cause === "itself";
    if (isFirst) this.#cause = cause;
    const ending = (async () => {
      const wasRunning = await process.terminate();
      // Without any time it was over in none, however quick it was.
      if (isFirst && !wasRunning && asked.timeoutMs !== 0) this.#cause = "itself";
    })();
    this.#endings = Promise.allSettled([this.#endings, ending]);
    return ending;
  }

  async #follow(): Promise<CommandResult> {
    try {
      const exit = await this.#readAll();
      await this.#endings;
      if (exit.exitCode === NO_PROGRAM) await this.#refuseUnstarted();
      return {
        exitCode: this.#exitCode(exit),
        stdout: this.#output.text("stdout"),
        stderr: this.#output.text("stderr"),
      };
    } catch (error) {
      await this.#parts.process.terminate().catch(() => {});
      throw commandRpcError(error);
    } finally {
      for (const cancel of this.#cancels) cancel();
    }
  }

  async #readAll(): Promise<ProcessExit> {
    const { process, clock } = this.#parts;
    let exit: ProcessExit | undefined;
    for await (const event of process.events) {
      if (event.kind === "output") await this.#take(event);
      if (event.kind !== "exited") continue;
      exit = event.exit;
      const letGo = () => void process.terminate().catch(() => {});
      this.#cancels.push(clock.after(DRAIN_MS, letGo));
    }
    if (exit !== undefined) return exit;
    throw new RpcError(
      "internalError",
      "Cannot tell how the command ended: its events ended before it did, expected its exit",
    );
  }

  /** A program may exit like this, too; only the receipt tells it from one that could not be started. */
  async #refuseUnstarted(): Promise<void> {
    const { process, asked } = this.#parts;
    const outcome = (await process.receipt.catch(() => undefined))?.outcome;
    if (outcome?.kind !== "notStarted") return;
    const what = `Cannot start "${asked.argv[0]}": ${outcome.reason}`;
    throw new RpcError("internalError", `failed to spawn command: ${what}`);
  }

  async #take({ stream: from, chunk }: Extract<ProcessEvent, { kind: "output" }>): Promise<void> {
    const { asked } = this.#parts;
    const stream = from === "stderr" ? "stderr" : "stdout";
    const part = this.#output.take(stream, chunk);
    if (part === undefined) return;
    const { bytes, capReached } = part;
    const { processId } = asked;
    if (!asked.streamsOutput || processId === undefined) return this.#output.keep(stream, bytes);
    const deltaBase64 = base64Text(bytes);
    await this.#tell({ processId, stream, deltaBase64, capReached });
  }

  /** Nobody is there any more who would hear the rest. */
  async #tell(delta: OutputDelta): Promise<void> {
    if (this.#isUnheard) return;
    try {
      await this.#parts.connection.notifyOutput(delta);
    } catch {
      this.#isUnheard = true;
      await this.#end("terminate");
    }
  }

  #exitCode({ exitCode }: ProcessExit): number {
    if (this.#cause === "timeout") return TIMED_OUT;
    const hadTerminal = this.#parts.asked.terminal !== null;
    return this.#cause === "terminate" && hadTerminal ? TERMINATED : exitCode;
  }
}

async function spoken<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw commandRpcError(error);
  }
}

function refused(message: string): RpcError {
  return new RpcError("invalidRequest", message);
}
