/**
 * The answering half of a peer: from a sound envelope to a reply.
 *
 * A handler runs only on params its declaration accepts. Whatever it throws
 * becomes an `error` member through `toWireError`; a request always gets exactly
 * one reply as long as there is a connection to send it on.
 */
import type { Method } from "../declare/method.ts";
import type { RpcDialect, Unexpected } from "../dialect.ts";
import { readParams } from "../issues/read-params.ts";
import type { ReplyOutcome, RpcMessage } from "../message/read-message.ts";
import type { RequestId } from "../message/request-id.ts";
import type { Route, Router } from "../router.ts";
import { RpcError } from "../rpc-error.ts";
import { type FaultLog, toWireError } from "../to-wire-error.ts";

type Request = Extract<RpcMessage, { kind: "request" }>;
type NotificationMessage = Extract<RpcMessage, { kind: "notification" }>;

export interface AnswererOptions<Context> {
  readonly router: Router<Context> | undefined;
  readonly context: Context;
  readonly dialect: RpcDialect;
  readonly log: FaultLog;
}

export class Answerer<Context> {
  readonly #options: AnswererOptions<Context>;
  /** Requests that wait or are at work, each until its handler is done. */
  readonly #open = new Set<{
    readonly id: RequestId | undefined;
    readonly stop: AbortController;
    isBegun: boolean;
  }>();

  constructor(options: AnswererOptions<Context>) {
    this.#options = options;
  }

  /** Registers the request now, so that it can be cancelled while it waits; runs it when called. */
  accept(request: Request): () => Promise<ReplyOutcome> {
    const entry = { id: request.id, stop: new AbortController(), isBegun: false };
    this.#open.add(entry);
    return () => {
      entry.isBegun = true;
      return this.#answer(request, entry.stop.signal)
        .catch((fault: unknown): ReplyOutcome => this.#refusal(fault, entry.stop.signal))
        .finally(() => this.#open.delete(entry));
    };
  }

  /** Runs a notification's handler; says what to do about one that has none. */
  async notify(message: NotificationMessage): Promise<"handled" | Unexpected> {
    const { router, dialect, log } = this.#options;
    const route = router?.find("notification", message.method);
    if (!route) return dialect.unknownNotification;
    const entry = { id: undefined, stop: new AbortController(), isBegun: true };
    this.#open.add(entry);
    try {
      const read = readParams(route.declaration.params, message.params, dialect.wording);
      if (read.kind === "refused") return dialect.invalidNotification;
      await this.#handle(route, { message, value: read.value, signal: entry.stop.signal });
    } catch (fault) {
      if (!isObedience(fault, entry.stop.signal)) log(fault);
    } finally {
      this.#open.delete(entry);
    }
    return "handled";
  }

  /** The other side no longer wants the answer. It still gets one. */
  cancel(id: RequestId): void {
    for (const entry of this.#open) if (entry.id === id) entry.stop.abort();
  }

  /** Tells those at work to stop; what waits may still be had. */
  stopBegun(): void {
    for (const { stop, isBegun } of this.#open) if (isBegun) stop.abort();
  }

  /** The connection is over: tells every handler at work. */
  close(): void {
    for (const { stop } of this.#open) stop.abort();
  }

  async #answer(message: Request, signal: AbortSignal): Promise<ReplyOutcome> {
    const { router, dialect } = this.#options;
    const route = router?.find("request", message.method);
    if (!route) throw dialect.unknownMethod(message.method, router?.methods ?? []);
    const read = readParams(route.declaration.params, message.params, dialect.wording);
    if (read.kind === "refused") {
      const { problem, absent } = read;
      throw dialect.invalidParams({ method: message.method, problem, absent });
    }
    signal.throwIfAborted();
    const value = await this.#handle(route, { message, value: read.value, signal });
    return { kind: "result", value: (route.declaration as Method).result.parse(value) };
  }

  async #handle(
    route: Route<Context>,
    call: { message: Request | NotificationMessage; value: unknown; signal: AbortSignal },
  ): Promise<unknown> {
    const { router, context } = this.#options;
    const { message, signal } = call;
    const { method, params } = message;
    router?.admit({ declaration: route.declaration, params, context });
    const id = message.kind === "request" ? { id: message.id } : {};
    return route.handle(call.value, context, { method, signal, ...id });
  }

  #refusal(fault: unknown, signal: AbortSignal): ReplyOutcome {
    const told = isObedience(fault, signal)
      ? new RpcError("invalidRequest", "the request was cancelled", { cause: fault })
      : fault;
    return { kind: "error", error: toWireError(told, this.#options.log) };
  }
}

/** A handler that stopped because its signal told it to has no fault to log. */
function isObedience(fault: unknown, signal: AbortSignal): boolean {
  try {
    return signal.aborted && fault instanceof Error && fault.name === "AbortError";
  } catch {
    // A thrown value may have traps and getters that throw.
    return false;
  }
}
