import type { TurnItem } from "../../../agent/index.ts";
import { readKeptItem } from "./kept-item.ts";

type ItemRow = Parameters<typeof readKeptItem>[0];

/** How long all texts may be that are remembered, in characters. What they were read as takes room beside them. */
const MOST = 8 << 20;

/**
 * Reads items, and remembers what each text was read as: with every turn the whole history of its
 * thread is read, and nearly all of it is as it was. The texts come from the store each time.
 */
export class ReadItems {
  readonly #most: number;
  readonly #known = new Map<string, TurnItem>();
  #length = 0;

  constructor(most = MOST) {
    this.#most = most;
  }

  /** Throws what {@link readKeptItem} throws. */
  read(row: ItemRow): TurnItem {
    const known = this.#known.get(row.item);
    if (known?.id === row.id) return known;
    const item = readKeptItem(row);
    this.#remember(row.item, item);
    return item;
  }

  /** What came first goes first. For one that is longer than all of the room nothing does. */
  #remember(text: string, item: TurnItem): void {
    if (text.length > this.#most) return;
    this.#known.set(text, item);
    this.#length += text.length;
    for (const [oldest] of this.#known) {
      if (this.#length <= this.#most) return;
      this.#known.delete(oldest);
      this.#length -= oldest.length;
    }
  }
}
