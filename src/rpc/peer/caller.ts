/**
 * The asking half of a peer: typed calls with a time-out and a signal.
 *
 * Every call ends exactly once: answered, refused by the other side
 * (`RpcError`), or over locally (`RpcFailure`).
 */
import type { z } from "zod";
import type { CallOptions } from "../declare/handlers.ts";
import type { Method } from "../declare/method.ts";
import type { RpcDialect } from "../dialect.ts";
import { renderIssues } from "../issues/render-issues.ts";
import type { ReplyOutcome, RpcMessage } from "../message/read-message.ts";
import type { RequestId } from "../message/request-id.ts";
import { RpcFailure, type RpcFailureCode } from "../rpc-failure.ts";
import { PendingCalls } from "./pending-calls.ts";
import { Turnstile, type Visit } from "./turnstile.ts";

export interface CallerOptions {
  readonly dialect: RpcDialect;
  readonly send: (message: Exclude<RpcMessage, { kind: "reply" }>) => Promise<void>;
  /** Most calls under way at once; further ones wait their turn. */
  readonly maxCalls: number;
  /** Told whenever the number of awaited answers changes. */
  readonly changed: () => void;
}

export class Caller {
  readonly #options: CallerOptions;
  readonly #pending = new PendingCalls();
  readonly #turnstile: Turnstile;

  constructor(options: CallerOptions) {
    this.#options = options;
    this.#turnstile = new Turnstile(options.maxCalls);
  }

  get awaitsAnswer(): boolean {
    return this.#pending.size > 0;
  }

  /** Sends, or takes its turn to, before it first waits: calls leave in the order they are made. */
  async call<P extends z.ZodType, R extends z.ZodType>(
    method: Method<P, R>,
    params: z.input<P>,
    options: CallOptions,
  ): Promise<z.output<R>> {
    checkParams(method, params);
    if (options.signal?.aborted) throw failure("cancelled", method.name);
    const { id, answer } = this.#pending.open(options.id);
    const request = { kind: "request", id, method: method.name, params } as const;
    const visit = this.#turnstile.enter(() => this.#ask(request), options);
    this.#options.changed();
    const release = this.#watch({ id, name: method.name, visit }, options);
    try {
      return checkResult(method, await answer);
    } finally {
      release();
      visit.leave();
      this.#options.changed();
    }
  }

  /** Whether a notification would be sent at once. */
  get isClear(): boolean {
    return this.#turnstile.isClear;
  }

  /** Sends a notification after the calls that were made before it, at once unless some wait. */
  inTurn(send: () => Promise<void> | undefined): Promise<void> | undefined {
    if (this.isClear) return send();
    const later = async () => send();
    return new Promise((resolve, reject) => {
      this.#turnstile.follow(() => void later().then(resolve, reject));
    });
  }

  settle(id: RequestId | null, outcome: ReplyOutcome): "settled" | "late" | "stray" {
    return this.#pending.settle(id, outcome);
  }

  /** Ends a call whose answer came and could not be read; false if nobody waits for it. */
  refuse(id: RequestId, why: string): boolean {
    const sentence = `Cannot read the answer to call ${id}: ${why}`;
    return this.#pending.fail(id, new RpcFailure("badReply", sentence));
  }

  close(reason: string): void {
    this.#pending.failAll(
      () => new RpcFailure("closed", `Cannot finish the call: the connection is over (${reason})`),
    );
    this.#turnstile.close();
  }

  #ask(request: Extract<RpcMessage, { kind: "request" }>): void {
    const { id, method } = request;
    this.#options.send(request).catch((cause: unknown) => {
      const local = cause instanceof RpcFailure;
      this.#pending.fail(id, local ? cause : failure("closed", method, { cause }));
    });
  }

  #watch(
    { id, name, visit }: { readonly id: number; readonly name: string; readonly visit: Visit },
    { signal, timeoutMs }: CallOptions,
  ): () => void {
    const giveUp = (code: RpcFailureCode) => {
      const { cancel } = this.#options.dialect;
      if (!this.#pending.fail(id, failure(code, name)) || !cancel || !visit.begun) return;
      const params = cancel.write(id);
      const told = this.#options.send({ kind: "notification", method: cancel.method, params });
      told.catch(() => {});
    };
    const onAbort = () => giveUp("cancelled");
    signal?.addEventListener("abort", onAbort, { once: true });
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => giveUp("timedOut"), Math.min(timeoutMs, LONGEST_TIMER_MS));
    return () => {
      signal?.removeEventListener("abort", onAbort);
      clearTimeout(timer);
    };
  }
}

/** A longer delay would overflow and fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Refuses what the other side would refuse, and gives what the declaration describes. */
export function checkParams<P extends z.ZodType>(
  { name, params: schema }: { readonly name: string; readonly params: P },
  params: z.input<P>,
): z.output<P> {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const refusal = { schema, input: params, issues: parsed.error.issues };
  const problem = renderIssues(refusal, { numbers: "value" });
  throw new RpcFailure("badParams", `Cannot send "${name}": ${problem}`, { cause: parsed.error });
}

function checkResult<P extends z.ZodType, R extends z.ZodType>(
  { name, result: schema }: Method<P, R>,
  value: unknown,
): z.output<R> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const refusal = { schema, input: value, issues: parsed.error.issues };
  const problem = renderIssues(refusal, { numbers: "value" });
  throw new RpcFailure("badReply", `Cannot read the result of "${name}": ${problem}`, {
    cause: parsed.error,
  });
}

const SENTENCES: Readonly<Record<string, string>> = {
  closed: "the connection is over",
  timedOut: "no answer came in time",
  cancelled: "the caller gave up",
};

function failure(code: RpcFailureCode, name: string, options?: ErrorOptions): RpcFailure {
  return new RpcFailure(code, `Cannot call "${name}": ${SENTENCES[code] ?? code}`, options);
}
