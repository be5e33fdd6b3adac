import type { z } from "zod";
import type { Notification } from "../../rpc/index.ts";
import type { AppConnection } from "../app-connection.ts";

/** Who follows a thread. A connection that ends no longer does. */
export class Subscribers {
  /** With what each would do at its end. */
  readonly #all = new Map<AppConnection, () => void>();
  readonly #left: (connection: AppConnection) => void;

  /** `left` is told of each that goes, however it goes. */
  constructor(left: (connection: AppConnection) => void) {
    this.#left = left;
  }

  get size(): number {
    return this.#all.size;
  }

  [Symbol.iterator](): IterableIterator<AppConnection> {
    return this.#all.keys();
  }

  has(connection: AppConnection): boolean {
    return this.#all.has(connection);
  }

  /** One that ended meanwhile has left. */
  add(connection: AppConnection): void {
    if (this.#all.has(connection)) return;
    const leave = () => void this.remove(connection);
    this.#all.set(connection, leave);
    connection.whenOver(leave);
  }

  /** False where it did not follow. */
  remove(connection: AppConnection): boolean {
    const leave = this.#all.get(connection);
    if (leave === undefined) return false;
    this.#all.delete(connection);
    connection.forget(leave);
    this.#left(connection);
    return true;
  }

  /** Nobody follows any more, and nobody is told of it. */
  clear(): void {
    for (const [connection, leave] of this.#all) {
      connection.forget(leave);
    }
    this.#all.clear();
  }

  notify<P extends z.ZodType>(notification: Notification<P>, params: z.input<P>): void {
    for (const connection of this.#all.keys()) connection.notify(notification, params);
  }
}
