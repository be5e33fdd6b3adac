import type { TurnPort } from "../turn-port.ts";

/**
 * A port for one turn that also ends with the thread, and when it cannot keep an event.
 *
 * After the turn nothing is said through it any more: a process that goes on has no turn to speak in.
 */
export class TurnVoice implements TurnPort {
  readonly signal: AbortSignal;
  readonly #port: TurnPort;
  readonly #broken = new AbortController();
  #isOver = false;

  constructor(port: TurnPort, closing: AbortSignal) {
    this.#port = port;
    this.signal = AbortSignal.any([port.signal, closing, this.#broken.signal]);
  }

  /** Why an event could not be kept; undefined while all were. */
  get failure(): Error | undefined {
    return this.#broken.signal.aborted ? this.#broken.signal.reason : undefined;
  }

  emit(...events: Parameters<TurnPort["emit"]>): void {
    if (this.#isOver) return;
    try {
      this.#port.emit(...events);
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      this.#broken.abort(failure);
      throw failure;
    }
  }

  approve(question: Parameters<TurnPort["approve"]>[0]): ReturnType<TurnPort["approve"]> {
    return this.#port.approve(question);
  }

  renew(): ReturnType<TurnPort["renew"]> {
    return this.#port.renew();
  }

  askPermissions(
    question: Parameters<TurnPort["askPermissions"]>[0],
  ): ReturnType<TurnPort["askPermissions"]> {
    return this.#port.askPermissions(question);
  }

  grant(request: Parameters<TurnPort["grant"]>[0]): ReturnType<TurnPort["grant"]> {
    return this.#port.grant(request);
  }

  callClient(call: Parameters<TurnPort["callClient"]>[0]): ReturnType<TurnPort["callClient"]> {
    return this.#port.callClient(call);
  }

  takeSteered(): ReturnType<TurnPort["takeSteered"]> {
    return this.#port.takeSteered();
  }

  end(): void {
    this.#isOver = true;
  }
}
