import type { StateRefusal } from "../../state/read-sandbox-state.ts";
import type { StartAs } from "../confine-rules.ts";
import type { Notification, Request } from "../lines/line.ts";

export interface Waiting {
  readonly message: Request | Notification;
  /** Judged once: what holds for a call when its turn comes holds until it is forwarded. */
  wants?: StartAs | StateRefusal | "any";
}

/** What the client sent and nobody has got yet, in its order. */
export class CallQueue {
  readonly #all: Waiting[] = [];
  readonly #ids = new Set<string>();
  #characters = 0;

  /** How many characters wait. */
  get characters(): number {
    return this.#characters;
  }

  get first(): Waiting | undefined {
    return this.#all[0];
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  push(message: Request | Notification): void {
    this.#all.push({ message });
    this.#characters += message.text.length;
    if (message.kind === "request") this.#ids.add(message.id);
  }

  shift(): void {
    this.#forget(this.#all.shift());
  }

  /** Takes out a request; the answer is whether its turn had come. */
  remove(id: string): boolean {
    const at = this.#all.findIndex(
      ({ message }) => message.kind === "request" && message.id === id,
    );
    this.#forget(this.#all.splice(at, 1)[0]);
    return at === 0;
  }

  #forget(one: Waiting | undefined): void {
    if (one === undefined) return;
    this.#characters -= one.message.text.length;
    if (one.message.kind === "request") this.#ids.delete(one.message.id);
  }
}
