/**
 * A session that outlives its connections.
 *
 * After a drop it connects again, at once and then at intervals, and takes the
 * session up where it was; calls wait meanwhile. When the time is over, or the
 * server does not know the session any more, every call fails and so does all
 * that depends on it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { z } from "zod";
import { type Method, RpcError, RpcFailure } from "../../../rpc/index.ts";
import { ExecError } from "../../exec-error.ts";
import { isSameServer } from "../server-trust.ts";
import type { FlowGate } from "./flow-gate.ts";
import { type OpenSession, openSession, type SessionOptions } from "./open-session.ts";

export interface RecoveryTimes {
  readonly retryMs: number;
  /** All attempts after one drop together. Servers end a session 30 s after it. */
  readonly budgetMs: number;
}

export const RECOVERY_TIMES: RecoveryTimes = { retryMs: 100, budgetMs: 25_000 };

export interface LinkOptions extends SessionOptions {
  readonly times: RecoveryTimes;
  readonly gate: FlowGate;
  /** Told when the session was taken up again. */
  readonly resumed: () => void;
  /** Told once, when there will be no further connection. */
  readonly lost: (error: ExecError) => void;
}

/** What became of a call that is sent once at most. */
export type Once<T> =
  | { readonly kind: "answered"; readonly value: T }
  | { readonly kind: "dropped"; readonly cause: unknown };

/** A request that ends the connection each time must not be sent for ever. */
const MOST_ATTEMPTS = 64;

export class SessionLink {
  readonly #options: LinkOptions;
  readonly #closing = new AbortController();
  #session: Promise<OpenSession>;
  #current: OpenSession;
  #isResuming = false;

  /** Opens the session; rejects with {@link ExecError}. */
  static async open(options: LinkOptions): Promise<SessionLink> {
    const patience = AbortSignal.timeout(options.times.budgetMs);
    try {
      return new SessionLink(options, await openSession(options, null, patience));
    } catch (fault) {
      throw noConnection(fault);
    }
  }

  private constructor(options: LinkOptions, session: OpenSession) {
    this.#options = options;
    this.#current = session;
    this.#session = Promise.resolve(session);
    this.#watch(session);
  }

  /** The session as it is, or was last. */
  get session(): OpenSession {
    return this.#current;
  }

  /** Settles when there is a connection; rejects with {@link ExecError} when there will be none. */
  ready(): Promise<OpenSession> {
    return this.#session;
  }

  /** Calls, and calls again after a drop: for what may be asked twice. `params` are made for each attempt. */
  async call<P extends z.ZodType, R extends z.ZodType>(
    method: Method<P, R>,
    params: () => z.input<P>,
  ): Promise<z.output<R>> {
    for (let attempt = 1; ; attempt += 1) {
      const once = await this.callOnce(method, params);
      if (once.kind === "answered") return once.value;
      if (attempt === MOST_ATTEMPTS) throw unanswered(method.name, once.cause);
    }
  }

  /** Calls once, on whatever connection there is, or will be. */
  async callOnce<P extends z.ZodType, R extends z.ZodType>(
    method: Method<P, R>,
    params: () => z.input<P>,
  ): Promise<Once<z.output<R>>> {
    return this.callOn(await this.ready(), method, params);
  }

  /** Calls on one connection. Refusals of the server are thrown as `RpcError`. */
  async callOn<P extends z.ZodType, R extends z.ZodType>(
    session: OpenSession,
    method: Method<P, R>,
    params: () => z.input<P>,
  ): Promise<Once<z.output<R>>> {
    const done = this.#options.gate.need();
    try {
      return { kind: "answered", value: await session.peer.call(method, params()) };
    } catch (cause) {
      if (!(cause instanceof RpcFailure) || cause.code !== "closed") throw cause;
      this.#drop(session);
      return { kind: "dropped", cause };
    } finally {
      done();
    }
  }

  close(): void {
    this.#closing.abort(new ExecError("disconnected", "Cannot go on: this side has closed"));
    this.#current.peer.close();
  }

  #watch(session: OpenSession): void {
    this.#options.gate.use(session.hold);
    void session.peer.closed.then(() => this.#drop(session));
  }

  #drop(session: OpenSession): void {
    if (session !== this.#current || this.#isResuming) return;
    this.#isResuming = true;
    this.#options.gate.use(() => {});
    this.#session = this.#resume();
    this.#session.then(
      () => this.#options.resumed(),
      (error) => this.#options.lost(error),
    );
  }

  async #resume(): Promise<OpenSession> {
    const { times } = this.#options;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(times.budgetMs)]);
    let last: unknown;
    while (!signal.aborted) {
      try {
        return this.#take(await openSession(this.#options, this.#current.sessionId, signal));
      } catch (fault) {
        if (isFinal(fault)) throw noConnection(fault);
        last = fault;
      }
      await sleep(times.retryMs, undefined, { signal }).catch(() => {});
    }
    throw noConnection(this.#closing.signal.aborted ? this.#closing.signal.reason : last);
  }

  #take(session: OpenSession): OpenSession {
    const { sessionId, trust } = this.#current;
    if (session.sessionId !== sessionId || !isSameServer(trust, session.trust)) {
      session.peer.close("another server answered");
      throw new ExecError(
        "untrustedServer",
        `Cannot take up session "${sessionId}": another server answered, expected the one it was opened on`,
      );
    }
    this.#current = session;
    this.#isResuming = false;
    this.#watch(session);
    return session;
  }
}

/** A session that is attached elsewhere is one whose end was not noticed yet; any other refusal stands. */
function isFinal(fault: unknown): boolean {
  if (fault instanceof RpcError) return fault.code !== "conflict";
  if (fault instanceof RpcFailure) return fault.code === "badReply" || fault.code === "badParams";
  return fault instanceof ExecError;
}

function noConnection(fault: unknown): ExecError {
  if (fault instanceof ExecError) return fault;
  const why = fault instanceof Error ? fault.message : "no reason is known";
  const code = isUnknown(fault) ? "untrustedServer" : "disconnected";
  return new ExecError(code, `Cannot reach the executor: ${why}`, { cause: fault });
}

/** Somebody is there and does not speak like an exec-server. */
function isUnknown(fault: unknown): boolean {
  if (fault instanceof RpcFailure) return fault.code === "badReply";
  return fault instanceof RpcError && fault.code === "methodNotFound";
}

function unanswered(name: string, cause: unknown): ExecError {
  return new ExecError(
    "disconnected",
    `Cannot finish "${name}": the connection ended ${MOST_ATTEMPTS} times before an answer came`,
    { cause },
  );
}
