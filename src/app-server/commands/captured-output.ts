/**
 * What a command printed, as far as it was asked for.
 *
 * A stream is cut at its cap and the rest is taken and forgotten, so that the
 * command goes on. What is kept for the answer has a bound of its own.
 */
import { RpcError } from "../../rpc/index.ts";

export type StreamName = "stdout" | "stderr";

/** A part of a stream that is within its cap. */
export interface KeptPart {
  readonly bytes: Uint8Array;
  /** Nothing more of this stream is kept. */
  readonly capReached: boolean;
}

/** An answer is one message, and escapes may make it six times as long. */
const MOST_KEPT_BYTES = 32 << 20;

export class CapturedOutput {
  readonly #cap: number;
  readonly #taken: Record<StreamName, number> = { stdout: 0, stderr: 0 };
  readonly #full = new Set<StreamName>();
  readonly #kept: Record<StreamName, Uint8Array[]> = { stdout: [], stderr: [] };
  #keptBytes = 0;

  /** Without a cap all of it is taken. */
  constructor(cap: number | undefined) {
    this.#cap = cap ?? Number.POSITIVE_INFINITY;
  }

  /** The part of a chunk that is within the cap; nothing once that was reached. */
  take(stream: StreamName, chunk: Uint8Array): KeptPart | undefined {
    if (this.#full.has(stream)) return undefined;
    const bytes = chunk.subarray(0, this.#cap - this.#taken[stream]);
    this.#taken[stream] += bytes.length;
    const capReached = this.#taken[stream] >= this.#cap;
    if (capReached) this.#full.add(stream);
    return { bytes, capReached };
  }

  /** Keeps a part for the answer. Throws `RpcError` where it would not fit one. */
  keep(stream: StreamName, bytes: Uint8Array): void {
    this.#keptBytes += bytes.length;
    if (this.#keptBytes > MOST_KEPT_BYTES) {
      throw new RpcError(
        "internalError",
        `Cannot keep the output of the command: it printed more than ${MOST_KEPT_BYTES} bytes, expected no more or streamStdoutStderr`,
      );
    }
    this.#kept[stream].push(bytes);
  }

  text(stream: StreamName): string {
    return Buffer.concat(this.#kept[stream]).toString();
  }
}
