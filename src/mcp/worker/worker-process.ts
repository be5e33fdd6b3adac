/** One process of a worker, from its start to its end. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type {
  Executor,
  ProcessEvent,
  ProcessExit,
  RunningProcess,
  SignalReach,
  StartRequest,
} from "../../exec/index.ts";
import type { BoundState } from "../state/bind-state.ts";

/** Who hears what one process prints; each process has its own. */
export interface WorkerListener {
  output(chunk: Uint8Array, stream: "stdout" | "stderr" | "pty"): void;
  /** Nothing follows. `undefined`: how it ended was lost. */
  ended(exit: ProcessExit | undefined): void;
}

/** Makes the listener of a process; `end` ends that, and `tell` writes to it without a word on how that went. */
export type AttachListener = (end: () => void, tell: (words: string) => void) => WorkerListener;

/** What is started, whatever it runs under. */
export type WorkerCommand = Pick<StartRequest, "argv" | "env" | "envPolicy" | "terminal">;

/** The request that starts a command under a state. */
export function startRequestOf(
  state: BoundState,
  command: WorkerCommand & Pick<StartRequest, "ids">,
): StartRequest {
  return {
    ...command,
    processId: randomUUID(),
    arg0: null,
    cwd: state.cwd,
    pipeStdin: true,
    sandbox: state.intent,
    anchor: null,
  };
}

export class WorkerProcess {
  readonly state: BoundState;
  readonly #running: RunningProcess;
  readonly #over: Promise<void>;
  #alive = true;
  #isOver = false;

  private constructor(state: BoundState, running: RunningProcess, listener: WorkerListener) {
    this.state = state;
    this.#running = running;
    this.#over = this.#follow(listener);
  }

  /** Starts the command under a state. Throws `ExecError` when it does not run under it. */
  static async start(
    state: BoundState,
    command: Parameters<typeof startRequestOf>[1],
    place: { readonly executor: Executor; readonly attach: AttachListener },
  ): Promise<WorkerProcess> {
    const running = await place.executor.start(startRequestOf(state, command));
    const tell = (words: string) => {
      running.write(Buffer.from(words)).catch(() => {});
    };
    return new WorkerProcess(
      state,
      running,
      place.attach(() => void running.terminate(), tell),
    );
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** What is on record of it; null where nothing is. */
  get receiptId(): string | null {
    return this.#running.receiptId;
  }

  /** What confines it, in the words of the exec wire. */
  get sandboxType(): string {
    return this.#running.sandboxType;
  }

  /** False where it takes no input any more. */
  async write(bytes: Uint8Array): Promise<boolean> {
    return this.#alive && (await this.#running.write(bytes));
  }

  async interrupt(reach: SignalReach): Promise<void> {
    if (this.#alive) await this.#running.interrupt(reach);
  }

  /** Asks it to end by closing its input, and ends it with all it started once that took too long. */
  async stop(graceMs: number): Promise<void> {
    if (this.#alive) await this.#running.closeInput().catch(() => {});
    const waiting = new AbortController();
    const late = sleep(graceMs, undefined, { signal: waiting.signal }).catch(() => {});
    await Promise.race([this.#over, late]);
    waiting.abort();
    // Also where it has exited: what it left behind may hold its streams.
    if (!this.#isOver) await this.#running.terminate();
    await this.#over;
  }

  async #follow(listener: WorkerListener): Promise<void> {
    let exit: ProcessExit | undefined;
    try {
      for await (const event of this.#running.events) {
        exit = this.#heard(event, listener) ?? exit;
      }
    } catch {
      // Something of it was lost, so nobody can say what it still does.
      await this.#running.terminate().catch(() => {});
    }
    this.#alive = false;
    this.#isOver = true;
    listener.ended(exit);
  }

  #heard(event: ProcessEvent, listener: WorkerListener): ProcessExit | undefined {
    if (event.kind === "output") listener.output(event.chunk, event.stream);
    if (event.kind !== "exited") return undefined;
    this.#alive = false;
    return event.exit;
  }
}
