import { randomUUID } from "node:crypto";
import type { TurnItem } from "../turn-item.ts";

const PLAIN = /^[\w.:-]{1,128}$/;

/** Ids of the items of a thread. A model names its items; one that repeats itself must not replace what it said. */
export class ItemIds {
  readonly #used: Set<string>;

  constructor(history: readonly TurnItem[]) {
    this.#used = new Set(history.map(({ id }) => id));
  }

  /** The id as it is, if it is one and new; another one otherwise, as short as every provider takes it. */
  take(id: string): string {
    const isTaken = PLAIN.test(id) && !this.#used.has(id);
    const taken = isTaken ? id : `item-${randomUUID().replaceAll("-", "")}`;
    this.#used.add(taken);
    return taken;
  }
}
