/** A process that does what the test says, behind the same queue as a real one. */
import type { ProcessEvent, RunningProcess, SignalReach } from "../../../../src/exec/index.ts";
import { EventQueue } from "../../../../src/exec/local/event-queue.ts";

export class FakeProcess implements RunningProcess {
  readonly processId: string;
  readonly sandboxType = "none";
  readonly events: AsyncIterable<ProcessEvent>;
  readonly receiptId = null;
  readonly receipt = Promise.resolve(undefined);
  readonly written: string[] = [];
  readonly sent: string[] = [];
  /** Whether whoever reads has asked it to wait. */
  isHeld = false;
  isEnded = false;
  readonly #queue = new EventQueue((held) => {
    this.isHeld = held;
  });

  constructor(processId = "p", events?: AsyncIterable<ProcessEvent>) {
    this.processId = processId;
    this.events = events ?? this.#queue;
  }

  print(text: string | Uint8Array): void {
    const chunk = typeof text === "string" ? Buffer.from(text) : text;
    this.#queue.add({ kind: "output", stream: "stdout", chunk });
  }

  end(exitCode = 0): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#queue.add({ kind: "exited", exit: { exitCode, sandboxDenied: false } });
    this.#queue.add({ kind: "closed" });
  }

  async write(bytes: Uint8Array): Promise<boolean> {
    this.written.push(String(Buffer.from(bytes)));
    return true;
  }

  async closeInput(): Promise<void> {}

  async resize(): Promise<void> {
    this.sent.push("resize");
  }

  async interrupt(reach: SignalReach): Promise<void> {
    this.sent.push(`interrupt of the ${reach}`);
  }

  async terminate(): Promise<boolean> {
    const wasRunning = !this.isEnded;
    this.end(137);
    return wasRunning;
  }
}
