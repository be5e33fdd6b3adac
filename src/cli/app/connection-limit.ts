import type { Peer } from "../../rpc/index.ts";

/** Counts the connections of a server: each may make it hold much, so there are only so many. */
export class ConnectionLimit {
  readonly #most: number;
  #open = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get isReached(): boolean {
    return this.#open >= this.#most;
  }

  /** Counts a connection until its last handler is done: work outlives whoever asked for it. */
  count(peer: Pick<Peer, "settled">): void {
    this.#open += 1;
    void peer.settled.then(() => {
      this.#open -= 1;
    });
  }
}
