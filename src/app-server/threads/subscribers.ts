import type { z } from "zod";
import type { Notification } from "../../rpc/index.ts";
import type { AppConnection } from "../app-connection.ts";

/** Who follows a thread. A connection that ends no longer does. */
export class Subscribers {
  readonly #all = new Set<AppConnection>();
  readonly #left: (connection: AppConnection) => void;

  /** `left` is told of each that goes, however it goes. */
  constructor(left: (connection: AppConnection) => void) {
    this.#left = left;
  }

  get size(): number {
    return this.#all.size;
  }

  [Symbol.iterator](): IterableIterator<AppConnection> {
    return this.#all.values();
  }

  has(connection: AppConnection): boolean {
    return this.#all.has(connection);
  }

  add(connection: AppConnection): void {
    if (connection.closed.aborted || this.#all.has(connection)) return;
    this.#all.add(connection);
    connection.closed.addEventListener("abort", () => this.remove(connection), { once: true });
  }

  /** False where it did not follow. */
  remove(connection: AppConnection): boolean {
    const followed = this.#all.delete(connection);
    if (followed) this.#left(connection);
    return followed;
  }

  notify<P extends z.ZodType>(notification: Notification<P>, params: z.input<P>): void {
    for (const connection of this.#all) connection.notify(notification, params);
  }
}
