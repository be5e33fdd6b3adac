import type { ProcessEvent, RunningProcess, SignalReach } from "../../../../src/exec/index.ts";

type Happening = ProcessEvent extends infer E
  ? E extends ProcessEvent
    ? Omit<E, "seq">
    : never
  : never;

/** A process that does what the test says, and remembers what was done to it. */
export class ScriptedProcess implements RunningProcess {
  readonly processId: string;
  readonly sandboxType = "linuxSeccomp";
  readonly #ended = Promise.withResolvers<undefined>();
  receiptId: string | null = null;
  readonly receipt = this.#ended.promise;
  readonly written: string[] = [];
  /** What happened to it, in order. */
  readonly done: string[] = [];
  /** Called with each line it is sent. */
  onLine: (line: string) => void = () => {};
  /** What a write settles with; replaced to make it wait or fail. */
  onWrite: () => Promise<boolean> = async () => true;
  /** Whether it exits by itself at the end of its input. */
  polite = true;
  taken = 0;
  readonly #waiting: ProcessEvent[] = [];
  #wake: () => void = () => {};
  #seq = 0;
  #held = "";
  #over = false;

  constructor(processId = "server") {
    this.processId = processId;
  }

  get isOver(): boolean {
    return this.#over;
  }

  readonly events: AsyncIterable<ProcessEvent> = this.#events();

  async write(bytes: Uint8Array): Promise<boolean> {
    if (this.#over) return true;
    const answer = await this.onWrite();
    this.#held += Buffer.from(bytes).toString();
    const lines = this.#held.split("\n");
    this.#held = lines.pop() ?? "";
    for (const line of lines) {
      this.written.push(line);
      this.onLine(line);
    }
    return answer;
  }

  async closeInput(): Promise<void> {
    this.done.push("closeInput");
    if (this.polite) this.exit(0);
  }

  async resize(): Promise<void> {}

  async interrupt(reach: SignalReach): Promise<void> {
    this.done.push(`interrupt of the ${reach}`);
  }

  async terminate(): Promise<boolean> {
    const wasRunning = !this.#over;
    this.done.push("terminate");
    this.exit(137);
    return wasRunning;
  }

  say(text: string): void {
    this.add({ kind: "output", stream: "stdout", chunk: Buffer.from(text) });
  }

  complain(text: string): void {
    this.add({ kind: "output", stream: "stderr", chunk: Buffer.from(text) });
  }

  exit(exitCode: number): void {
    if (this.#over) return;
    this.#over = true;
    this.done.push(`exit ${exitCode}`);
    this.add({ kind: "exited", exit: { exitCode, sandboxDenied: false } });
    this.add({ kind: "closed" });
    this.#ended.resolve(undefined);
  }

  add(happening: Happening): void {
    this.#seq += 1;
    this.#waiting.push({ ...happening, seq: this.#seq } as ProcessEvent);
    this.#wake();
  }

  async *#events(): AsyncGenerator<ProcessEvent> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      this.taken += 1;
      yield event;
      if (event.kind === "closed") return;
    }
  }
}
