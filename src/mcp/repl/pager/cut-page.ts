/**
 * One page of a text, from a place in it.
 *
 * A page ends with a line if it can, and holds few pictures. What was shown
 * before is named, not repeated, and takes no room.
 */
import type { ReplyContent } from "../output/reply-content.ts";
import type { CharRanges } from "./char-ranges.ts";
import { IMAGE_CHARS, isSplit, type PagePlace } from "./page-place.ts";
import type { PagedText } from "./paged-text.ts";

export interface PageSize {
  readonly chars: number;
  readonly images: number;
}

/** What a reader has been shown. */
export interface ShownParts {
  readonly text: CharRanges;
  readonly images: ReadonlySet<number>;
}

export interface CutPage {
  readonly content: readonly ReplyContent[];
  readonly next: PagePlace;
}

/** Cuts the page that begins at `from`. It is empty only if nothing is left. */
export function cutPage(
  paged: PagedText,
  from: PagePlace,
  options: { readonly size: PageSize; readonly shown: ShownParts },
): CutPage {
  const cutter = new Cutter(paged, from, options.size, options.shown);
  while (cutter.step());
  return { content: cutter.content, next: { at: cutter.at, image: cutter.image } };
}

class Cutter {
  readonly content: ReplyContent[] = [];
  readonly #paged: PagedText;
  readonly #shown: ShownParts;
  at: number;
  image: number;
  #chars: number;
  #images: number;

  constructor(paged: PagedText, from: PagePlace, size: PageSize, shown: ShownParts) {
    this.#paged = paged;
    this.#shown = shown;
    this.at = from.at;
    this.image = from.image;
    this.#chars = size.chars;
    this.#images = size.images;
  }

  /** Puts one thing more on the page; false if it is full or there is none. */
  step(): boolean {
    const { text, images } = this.#paged;
    const imageAt = images[this.image]?.at ?? text.length;
    if (this.at >= imageAt && this.image < images.length) return this.#stepImage();
    if (this.at >= text.length) return false;
    const span = this.#shown.text.at(this.at);
    if (span) return this.#elide(Math.min(span.end, imageAt));
    return this.#stepText(Math.min(imageAt, this.#shown.text.nextStart(this.at)));
  }

  #stepImage(): boolean {
    const item = this.#paged.images[this.image]?.item;
    if (!item || this.#shown.images.has(this.image)) {
      this.#say(`[pager] image #${this.image + 1} already shown`);
    } else {
      if (this.#images === 0 || (this.#chars <= 0 && this.content.length > 0)) return false;
      const data = Buffer.from(item.data).toString("base64");
      this.content.push({ type: "image", data, mimeType: item.mimeType });
      this.#images -= 1;
      this.#chars -= IMAGE_CHARS;
    }
    this.image += 1;
    return true;
  }

  #elide(end: number): boolean {
    this.#say(`[pager] elided output (already shown): @${this.at}..${end}`);
    this.at = end;
    return true;
  }

  #stepText(end: number): boolean {
    if (this.#chars <= 0) return false;
    const stop = end - this.at <= this.#chars ? end : this.#lineEnd();
    if (stop === undefined) return false;
    this.content.push({ type: "text", text: this.#paged.text.slice(this.at, stop) });
    this.#chars = stop === end ? this.#chars - (stop - this.at) : 0;
    this.at = stop;
    return true;
  }

  /** The end of the last line that fits. A line that fits no page is broken, at its beginning. */
  #lineEnd(): number | undefined {
    const { text } = this.#paged;
    const limit = this.at + this.#chars;
    // Not in all of the text: it may be one line.
    const feed = text.slice(this.at, limit).lastIndexOf("\n");
    if (feed !== -1) return this.at + feed + 1;
    if (this.content.length > 0) return undefined;
    const end = isSplit(text, limit) ? limit - 1 : limit;
    return end > this.at ? end : limit + 1;
  }

  #say(text: string): void {
    this.content.push({ type: "text", text: `${text}\n` });
  }
}
