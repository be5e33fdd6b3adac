/** An executor whose processes print and end when a test says so. */
import type {
  Executor,
  ProcessEvent,
  ProcessExit,
  RunningProcess,
  StartRequest,
} from "../../../src/exec/index.ts";

export class FakeProcess implements RunningProcess {
  readonly processId: string;
  readonly sandboxType = "linuxSeccomp";
  receiptId: string | null = null;
  receipt: RunningProcess["receipt"] = Promise.resolve(undefined);
  readonly written: string[] = [];
  isTerminated = false;
  readonly #hasInput: boolean;
  readonly #waiting: ProcessEvent[] = [];
  #wake: () => void = () => {};
  #seq = 0;

  constructor({ processId, terminal }: Pick<StartRequest, "processId" | "terminal">) {
    this.processId = processId;
    this.#hasInput = terminal !== null;
  }

  get events(): AsyncIterable<ProcessEvent> {
    return this.#read();
  }

  print(text: string | Uint8Array, stream: "stdout" | "stderr" = "stdout"): this {
    const chunk = typeof text === "string" ? new TextEncoder().encode(text) : text;
    return this.#add({ kind: "output", seq: this.#next(), stream, chunk });
  }

  exit(exitCode: number, more: Partial<ProcessExit> = {}): this {
    const exit = { exitCode, sandboxDenied: false, ...more };
    this.#add({ kind: "exited", seq: this.#next(), exit });
    return this.#add({ kind: "closed", seq: this.#next() });
  }

  async write(bytes: Uint8Array): Promise<boolean> {
    if (this.#hasInput) this.written.push(new TextDecoder().decode(bytes));
    return this.#hasInput;
  }

  async closeInput(): Promise<void> {}
  async resize(): Promise<void> {}
  async interrupt(): Promise<void> {}

  async terminate(): Promise<boolean> {
    const wasRunning = !this.isTerminated;
    this.isTerminated = true;
    if (wasRunning) this.exit(137);
    return wasRunning;
  }

  async *#read(): AsyncGenerator<ProcessEvent> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      yield event;
      if (event.kind === "closed") return;
    }
  }

  #next(): number {
    this.#seq += 1;
    return this.#seq;
  }

  #add(event: ProcessEvent): this {
    this.#waiting.push(event);
    this.#wake();
    return this;
  }
}

export interface FakeExecutor extends Executor {
  readonly requests: StartRequest[];
  readonly processes: FakeProcess[];
}

/** Each start goes to `begin`, which may print, end or throw. */
export function fakeExecutor(
  begin: (process: FakeProcess, request: StartRequest) => void | Promise<void> = (process) =>
    void process.exit(0),
): FakeExecutor {
  const requests: StartRequest[] = [];
  const processes: FakeProcess[] = [];
  return {
    requests,
    processes,
    async start(request) {
      requests.push(request);
      const process = new FakeProcess(request);
      await begin(process, request);
      processes.push(process);
      return process;
    },
    // No test of a turn has files; a folder is where its name says.
    files: { canonicalize: async ({ path }) => path } as Executor["files"],
    anchors: undefined,
    close: async () => {},
  };
}
