/**
 * The items that nobody has taken yet, in bounded memory.
 *
 * The first and the last of them are kept. What does not fit is counted and left
 * out between the two, so that a reply can still say how much there was.
 */
import { countFeeds } from "./count-feeds.ts";
import type { GapItem, ImageItem, LineItem, OutputItem, TextItem } from "./output-item.ts";
import { isLowSurrogate } from "./visible-text.ts";

export interface Retention {
  /** Characters kept from the beginning, and from the end. */
  readonly headChars: number;
  readonly tailChars: number;
  /** Bytes of pictures kept at either end. */
  readonly imageBytes: number;
}

/** Small writes are put together up to this length: a character must not cost an object. */
const MAX_CHUNK = 8192;
const CHUNK_PARTS = 1024;
/** What an item costs beside its text. */
const ITEM_CHARS = 64;
/** Dropped places at the front of the list that are tolerated before it is moved. */
const MAX_DEAD = 1024;

const NO_GAP: GapItem = { kind: "gap", chars: 0, lines: 0, images: 0 };

export class RetainedItems {
  readonly #retention: Retention;
  readonly #chunk: number;
  readonly #head = new Part();
  readonly #tail = new Part();
  #isHeadFull = false;
  #gap = NO_GAP;
  #open: { stream: TextItem["stream"]; parts: string[]; length: number } | undefined;

  constructor(retention: Retention) {
    this.#retention = retention;
    this.#chunk = Math.max(1, Math.min(MAX_CHUNK, Math.floor(retention.tailChars / 4)));
  }

  get isEmpty(): boolean {
    return this.#open === undefined && this.#head.isEmpty && this.#tail.isEmpty && !this.hasGap;
  }

  get hasGap(): boolean {
    return this.#gap !== NO_GAP;
  }

  pushText(stream: TextItem["stream"], text: string): void {
    if (this.#open?.stream !== stream) this.#close();
    this.#open ??= { stream, parts: [], length: 0 };
    this.#open.parts.push(text);
    this.#open.length += text.length;
    if (this.#open.length >= this.#chunk || this.#open.parts.length >= CHUNK_PARTS) this.#close();
  }

  push(item: ImageItem | LineItem): void {
    this.#close();
    this.#place(item);
  }

  /** Everything kept, in order; the gap stands where something was left out. */
  items(): OutputItem[] {
    this.#close();
    return [...this.#head.items(), ...(this.hasGap ? [this.#gap] : []), ...this.#tail.items()];
  }

  clear(): void {
    this.#head.clear();
    this.#tail.clear();
    this.#isHeadFull = false;
    this.#gap = NO_GAP;
    this.#open = undefined;
  }

  #close(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    const text = open.parts.join("");
    for (let at = 0; at < text.length; ) {
      // Never within a character: what it is cut from may be dropped.
      const cut = at + this.#chunk;
      const end = isLowSurrogate(text, cut) ? cut + 1 : cut;
      this.#place({ kind: "text", stream: open.stream, text: text.slice(at, end), mark: "" });
      at = end;
    }
  }

  #place(item: OutputItem): void {
    const { headChars, tailChars, imageBytes } = this.#retention;
    this.#isHeadFull ||= this.#head.exceeds(headChars - 1, imageBytes, item);
    if (!this.#isHeadFull) {
      this.#head.push(item);
      return;
    }
    this.#tail.push(item);
    while (this.#tail.exceeds(tailChars, imageBytes)) this.#drop(this.#tail.shift());
  }

  #drop(item: OutputItem | undefined): void {
    const { chars, lines, images } = this.#gap;
    const text = item?.kind === "text" ? item.text : "";
    this.#gap = {
      kind: "gap",
      chars: chars + text.length,
      lines: lines + countFeeds(text),
      images: images + (item?.kind === "image" ? 1 : 0),
    };
  }
}

/** A list that knows what it costs, and gives up its oldest first. */
class Part {
  #items: OutputItem[] = [];
  #from = 0;
  #chars = 0;
  #imageBytes = 0;

  get isEmpty(): boolean {
    return this.#from === this.#items.length;
  }

  items(): OutputItem[] {
    return this.#items.slice(this.#from);
  }

  /** Whether it holds more than the limits; of `next`, only a picture counts. */
  exceeds(chars: number, imageBytes: number, next?: OutputItem): boolean {
    const more = next?.kind === "image" ? next.data.length : 0;
    return this.#chars > chars || this.#imageBytes + more > imageBytes;
  }

  push(item: OutputItem): void {
    this.#items.push(item);
    this.#count(item, 1);
  }

  shift(): OutputItem | undefined {
    const item = this.#items[this.#from];
    // What is dropped must not be held until the list is moved.
    this.#items[this.#from] = NO_GAP;
    this.#from += 1;
    if (item) this.#count(item, -1);
    if (this.#from > MAX_DEAD) {
      this.#items = this.#items.slice(this.#from);
      this.#from = 0;
    }
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#from = 0;
    this.#chars = 0;
    this.#imageBytes = 0;
  }

  #count(item: OutputItem, sign: 1 | -1): void {
    if (item.kind === "gap") return;
    if (item.kind === "image") this.#imageBytes += sign * item.data.length;
    this.#chars += sign * (ITEM_CHARS + ("text" in item ? item.text.length : 0));
  }
}
