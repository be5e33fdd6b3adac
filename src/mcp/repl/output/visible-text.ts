/**
 * The text of a reply as one line of characters, with everything else at its place in it.
 *
 * What was not retained counts as characters too; it has no text.
 */
import { countFeeds } from "./count-feeds.ts";
import type { OutputItem, TextItem } from "./output-item.ts";

export interface PlacedItem {
  readonly item: OutputItem;
  readonly start: number;
  readonly end: number;
}

export class VisibleText {
  readonly placed: readonly PlacedItem[];
  readonly length: number;
  /** Lines, the last of which may be unfinished. */
  readonly lines: number;
  readonly #gap: PlacedItem | undefined;

  constructor(items: readonly OutputItem[]) {
    let at = 0;
    this.placed = items.map((item) => {
      const start = at;
      at += visibleLength(item);
      return { item, start, end: at };
    });
    this.length = at;
    this.#gap = this.placed.find(({ item }) => item.kind === "gap");
    const feeds = items.reduce((sum, item) => sum + feedsOf(item), 0);
    this.lines = feeds + (this.slice(at - 1, at) === "\n" || at === 0 ? 0 : 1);
  }

  get hasGap(): boolean {
    return this.#gap !== undefined;
  }

  /** The characters from `start` to `end`, as far as there are any. */
  slice(start: number, end: number): string {
    return this.placed
      .filter((one) => one.item.kind === "text" && one.end > start && one.start < end)
      .map(({ item, start: from }) =>
        rendered(item as TextItem).slice(Math.max(0, start - from), end - from),
      )
      .join("");
  }

  /** The end of what stands in `start..end` and can be shown from its beginning: at most `chars`, whole lines if there is one. */
  headEnd(start: number, end: number, chars: number): number {
    const gapStart = this.#gap && this.#gap.start >= start ? this.#gap.start : end;
    const last = Math.min(end, gapStart);
    if (last - start <= chars) return last;
    const text = this.slice(start, start + chars);
    const feed = text.lastIndexOf("\n");
    return start + (feed === -1 ? unsplit(text) : feed + 1);
  }

  /** The beginning of what stands in `start..end` and can be shown up to its end. */
  tailStart(start: number, end: number, chars: number): number {
    const gapEnd = this.#gap && this.#gap.end <= end ? this.#gap.end : start;
    const first = Math.max(start, gapEnd);
    if (end - first <= chars) return first;
    // One more, to see whether a line begins right there.
    const text = this.slice(end - chars - 1, end);
    const feed = text.indexOf("\n");
    if (feed !== -1 && feed < text.length - 1) return end - text.length + feed + 1;
    return isLowSurrogate(text, 1) ? end - chars + 1 : end - chars;
  }
}

/** An item of text as a reply shows it. */
export function rendered({ mark, text }: TextItem): string {
  return mark + text;
}

/** The characters an item takes in a reply. */
export function visibleLength(item: OutputItem): number {
  if (item.kind === "gap") return item.chars;
  return item.kind === "text" ? item.mark.length + item.text.length : 0;
}

function feedsOf(item: OutputItem): number {
  if (item.kind === "gap") return item.lines;
  return item.kind === "text" ? countFeeds(rendered(item)) : 0;
}

/** The length of `text` without the half of a character at its end. */
function unsplit(text: string): number {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
}

/** Whether what is at `at` is the second half of a character. */
export function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
