/** First in, first out. Taking the first of a long array would move the rest, so gaps are closed in bulk. */
export class Fifo<T> {
  #items: T[] = [];
  #taken = 0;

  get size(): number {
    return this.#items.length - this.#taken;
  }

  /** The oldest item, left where it is. */
  get first(): T | undefined {
    return this.#items[this.#taken];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** The oldest item; undefined when there is none. */
  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#taken];
    this.#taken += 1;
    if (this.#taken * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#taken);
      this.#taken = 0;
    }
    return item;
  }

  /** All of them, oldest first. */
  takeAll(): T[] {
    const items = this.#items.slice(this.#taken);
    this.clear();
    return items;
  }

  clear(): void {
    this.#items = [];
    this.#taken = 0;
  }
}
