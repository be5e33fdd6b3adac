/** What a client knows of one process, over all its connections. */
import type { WireClient, WireNote } from "./wire-client.ts";

export interface ReadReply {
  readonly chunks: readonly { readonly seq: number; readonly chunk: string }[];
  readonly nextSeq: number;
  readonly exitCode: number | null;
  readonly closed: boolean;
}

export class SeenOutput {
  readonly #processId: string;
  readonly #events = new Map<number, string>();
  exitCode: number | undefined;
  isClosed = false;

  constructor(processId: string) {
    this.#processId = processId;
  }

  /** The number up to which there is no gap. */
  get last(): number {
    let seq = 0;
    while (this.#events.has(seq + 1)) seq += 1;
    return seq;
  }

  get text(): string {
    const chunks = [...this.#events].sort(([a], [b]) => a - b).map(([, chunk]) => chunk);
    return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk, "base64"))).toString();
  }

  /** Takes what came over one connection, until that is over or the process is. */
  async follow(wire: WireClient): Promise<void> {
    const isLast = ({ processId }: WireNote["params"]) => processId === this.#processId;
    await wire.waitNote("process/closed", isLast).catch(() => {});
    for (const note of wire.notes) this.#takeNote(note);
  }

  /** Takes what was missed, as a client does that has come back. */
  takeRead({ chunks, nextSeq, exitCode, closed }: ReadReply): void {
    for (const { seq, chunk } of chunks) this.#take(seq, chunk);
    // What is missing of the numbers is the exit and the end; they bring no bytes.
    for (let seq = this.last + 1; seq < nextSeq; seq = this.last + 1) this.#take(seq, "");
    this.exitCode ??= exitCode ?? undefined;
    this.isClosed ||= closed;
  }

  #takeNote({ method, params }: WireNote): void {
    if (params.processId !== this.#processId) return;
    this.#take(params.seq, params.chunk ?? "");
    if (method === "process/exited") this.exitCode = params.exitCode;
    if (method === "process/closed") this.isClosed = true;
  }

  #take(seq: number, chunk: string): void {
    const known = this.#events.get(seq);
    if (known !== undefined && known !== chunk) throw new Error(`event ${seq} came in two forms`);
    this.#events.set(seq, chunk);
  }
}
