import { randomUUID } from "node:crypto";
import type { TurnItem } from "../../turn-item.ts";

/**
 * The ids of one answer, each for one item of the thread and no other.
 *
 * What the provider says is kept where nobody in the thread has it yet; providers
 * that number from zero in every answer get an id of ours.
 */
export class ItemIds {
  readonly #taken: Set<string>;
  readonly #given = new Map<string, string>();
  readonly #keep: boolean;

  constructor(history: readonly TurnItem[], { keepTexts }: { readonly keepTexts: boolean }) {
    this.#taken = new Set(history.map(({ id }) => id));
    this.#keep = keepTexts;
  }

  /** The same for the same part of this answer. */
  ofPart(prefix: "msg" | "rs", id: string): string {
    const name = `${prefix} ${id}`;
    const given = this.#given.get(name) ?? this.#take(prefix, this.#keep ? id : "");
    this.#given.set(name, given);
    return given;
  }

  /** Of a call: two calls are never one, whatever the provider calls them. */
  ofCall(id: string): string {
    return this.#take("call", id);
  }

  #take(prefix: string, wanted: string): string {
    const usable = /^[\w.:-]{1,128}$/.test(wanted) && !this.#taken.has(wanted);
    const id = usable ? wanted : `${prefix}_${randomUUID()}`;
    this.#taken.add(id);
    return id;
  }
}
