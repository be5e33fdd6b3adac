import type { Notification } from "../declare/method.ts";
import { RpcFailure } from "../rpc-failure.ts";
import type { FaultLog } from "../to-wire-error.ts";
import { type Caller, checkParams } from "./caller.ts";
import type { Outbox } from "./outbox.ts";

export interface NotifierOptions {
  readonly caller: Pick<Caller, "inTurn" | "isClear">;
  readonly outbox: Pick<Outbox, "send" | "sendBytes">;
  readonly log: FaultLog;
  /** Whether nothing more is sent. */
  readonly isOver: () => boolean;
}

/** Sends notifications, each after the calls that were made before it. */
export class Notifier {
  readonly #options: NotifierOptions;

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  /** Nothing to wait for where there are bytes, and they were accepted at once. */
  notify(declared: Notification, params: unknown, bytes?: Uint8Array): Promise<void> | undefined {
    try {
      const sent = this.#begin(declared, params, bytes);
      return sent && this.#watched(declared.name, sent);
    } catch (fault) {
      return this.#watched(declared.name, Promise.reject(fault));
    }
  }

  /** Everything up to the transport happens before this returns; that keeps the order. */
  #begin(
    declared: Notification,
    params: unknown,
    bytes: Uint8Array | undefined,
  ): Promise<void> | undefined {
    const { caller, outbox, isOver } = this.#options;
    const { name: method } = declared;
    if (isOver()) throw closedFailure(method);
    const message = {
      kind: "notification",
      method,
      params: checkParams(declared, params),
    } as const;
    if (bytes === undefined) return caller.inTurn(() => outbox.send(message));
    // They are lent: what has to wait is sent from a copy.
    const own = caller.isClear ? bytes : Buffer.from(bytes);
    return caller.inTurn(() => outbox.sendBytes(message, own));
  }

  /**
   * A producer that does not await must not end the process when a reader leaves, but its own
   * mistakes must not vanish either.
   */
  #watched(method: string, sent: Promise<void>): Promise<void> {
    const told = sent.catch((cause: unknown) => {
      throw cause instanceof RpcFailure ? cause : closedFailure(method, { cause });
    });
    told.catch((fault: RpcFailure) => {
      if (fault.code !== "closed") this.#options.log(fault);
    });
    return told;
  }
}

/** For what cannot be sent any more. */
export function closedFailure(name: string, options?: ErrorOptions): RpcFailure {
  return new RpcFailure("closed", `Cannot send "${name}": the connection is over`, options);
}
