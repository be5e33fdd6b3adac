/**
 * One client, from its handshake to its end.
 *
 * What a client did not ask for is not sent to it, and what it was not asked is
 * not taken from it: an answer counts only on the connection that was asked.
 */
import type { z } from "zod";
import { type Method, type Notification, type Peer, RpcError } from "../rpc/index.ts";
import type { CommandConnection, OutputDelta } from "./commands/command-connection.ts";
import { commandNotifications } from "./protocol/command-methods.ts";

/** What a client said of itself. */
export interface AppClient {
  readonly name: string;
  readonly version: string;
  readonly experimental: boolean;
  /** Notifications it does not want, by their exact names. */
  readonly optedOut: ReadonlySet<string>;
}

export interface Question {
  /** The same for everybody who is asked. */
  readonly id: number;
  readonly signal: AbortSignal;
}

export class AppConnection implements CommandConnection {
  readonly #peer: Peer;
  readonly #closed = new AbortController();
  readonly #leaving = new Set<() => void>();
  #client: AppClient | undefined;

  constructor(peer: Peer) {
    this.#peer = peer;
    void peer.closed.then(() => this.#end());
  }

  /** Fires when the connection is over. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Calls `leave` at its end, or now if that was. A signal would go through all its listeners for each new one. */
  whenOver(leave: () => void): void {
    if (this.closed.aborted) leave();
    else this.#leaving.add(leave);
  }

  /** Takes that back. */
  forget(leave: () => void): void {
    this.#leaving.delete(leave);
  }

  /** Nothing before the handshake. */
  get client(): AppClient | undefined {
    return this.#client;
  }

  initialize(client: AppClient): void {
    if (this.#client !== undefined) throw new RpcError("invalidRequest", "Already initialized");
    this.#client = client;
  }

  /** Tells the client, if it is there and wants to know. */
  notify<P extends z.ZodType>(notification: Notification<P>, params: z.input<P>): void {
    const client = this.#client;
    if (client === undefined || client.optedOut.has(notification.name)) return;
    if (notification.experimental && !client.experimental) return;
    // Whoever left is not told.
    this.#peer.notify(notification, params).catch(() => {});
  }

  /** Waits until it was accepted, which is how a slow reader slows the command. */
  async notifyOutput(delta: OutputDelta): Promise<void> {
    const { outputDelta } = commandNotifications;
    if (this.#client?.optedOut.has(outputDelta.name)) return;
    await this.#peer.notify(outputDelta, delta);
  }

  ask<P extends z.ZodType, R extends z.ZodType>(
    method: Method<P, R>,
    params: z.input<P>,
    question: Question,
  ): Promise<z.output<R>> {
    return this.#peer.call(method, params, { ...question, urgent: true });
  }

  #end(): void {
    this.#closed.abort();
    for (const leave of this.#leaving) leave();
  }
}
