/**
 * The calls this side waits on.
 *
 * Ids are counted, so whether an id was ever issued is a comparison and no
 * memory: an answer that comes after a time-out is late, not stray.
 */
import type { ReplyOutcome } from "../message/read-message.ts";
import type { RequestId } from "../message/request-id.ts";
import { ReceivedRpcError } from "../received-rpc-error.ts";
import type { RpcFailure } from "../rpc-failure.ts";

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: ReceivedRpcError | RpcFailure) => void;
}

export interface PendingCall {
  readonly id: number;
  readonly answer: Promise<unknown>;
}

export class PendingCalls {
  readonly #waiting = new Map<RequestId, Waiting>();
  #next = 1;

  get size(): number {
    return this.#waiting.size;
  }

  /** Under the next id, or one of the caller's; throws where a call waits under that. */
  open(chosen?: number): PendingCall {
    const id = chosen ?? this.#next;
    if (this.#waiting.has(id)) {
      throw new Error(`Cannot call under id ${id}: a call waits under it, expected another`);
    }
    this.#next = Math.max(this.#next, id + 1);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject });
    return { id, answer: promise };
  }

  settle(id: RequestId | null, outcome: ReplyOutcome): "settled" | "late" | "stray" {
    const waiting = id === null ? undefined : this.#take(id);
    if (!waiting) return this.#wasIssued(id) ? "late" : "stray";
    if (outcome.kind === "result") waiting.resolve(outcome.value);
    else waiting.reject(errorOf(outcome.error));
    return "settled";
  }

  /** Ends one call locally; false if it was already over. */
  fail(id: RequestId, failure: RpcFailure): boolean {
    const waiting = this.#take(id);
    waiting?.reject(failure);
    return waiting !== undefined;
  }

  failAll(failure: () => RpcFailure): void {
    for (const id of [...this.#waiting.keys()]) this.fail(id, failure());
  }

  #take(id: RequestId): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #wasIssued(id: RequestId | null): boolean {
    return typeof id === "number" && id >= 1 && id < this.#next;
  }
}

function errorOf({ code, message, data }: Extract<ReplyOutcome, { kind: "error" }>["error"]) {
  return new ReceivedRpcError(code, message, { data });
}
