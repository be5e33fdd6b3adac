import { type Asked, askedBy } from "../lines/failure-reply.ts";
import type { Request } from "../lines/line.ts";
import { Handshake, type Lasting } from "./handshake.ts";

/** A request of the client that the server has. */
export interface Forwarded extends Asked {
  readonly lasting?: Lasting;
}

/** What the living process was asked and has not answered, by the client and by us. */
export class InFlight {
  readonly #asked = new Map<string, Forwarded | "greeting" | "own">();
  #ownIds = 0;

  get isEmpty(): boolean {
    return this.#asked.size === 0;
  }

  has(id: string): boolean {
    return this.#asked.has(id);
  }

  add(request: Request): void {
    const lasting = Handshake.lasting(request);
    this.#asked.set(request.id, { ...askedBy(request), ...(lasting && { lasting }) });
  }

  /** A new id for the greeting. */
  greet(): string {
    return this.#ours("greeting");
  }

  /** A new id for what else is asked in nobody's name. */
  own(): string {
    return this.#ours("own");
  }

  /** What was asked under this id, which is free again. */
  settle(id: string): Forwarded | "greeting" | "own" | undefined {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    return asked;
  }

  /** Whether the server has to hear of it. A greeting cannot be taken back, nor what is ours. */
  cancel(id: string): boolean {
    const asked = this.#asked.get(id);
    if (typeof asked !== "object" || asked.method === "initialize") return false;
    return this.#asked.delete(id);
  }

  /** What the client still waits for; nothing is in flight any more. */
  clear(): Forwarded[] {
    const left = [...this.#asked.values()].filter((one) => typeof one === "object");
    this.#asked.clear();
    return left;
  }

  #ours(what: "greeting" | "own"): string {
    this.#ownIds += 1;
    const id = JSON.stringify(`writ-own-${this.#ownIds}`);
    this.#asked.set(id, what);
    return id;
  }
}
