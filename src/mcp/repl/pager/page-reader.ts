/** A reader's way through a paged text: where it stands, and what it has seen. */
import type { ReplyContent } from "../output/reply-content.ts";
import { CharRanges } from "./char-ranges.ts";
import { cutPage, type PageSize, type ShownParts } from "./cut-page.ts";
import { type PagePlace, pagesAfter, placeAt } from "./page-place.ts";
import type { PagedText } from "./paged-text.ts";
import { pagerFooter } from "./pager-footer.ts";

/** What one reply shows at most, whatever is asked for. */
export const MAX_REPLY: PageSize = { chars: 200_000, images: 20 };
const PAGE_IMAGES = 2;

export class PageReader {
  readonly paged: PagedText;
  readonly #pageChars: number;
  readonly #seen = { text: new CharRanges(), images: new Set<number>() };
  #place: PagePlace = { at: 0, image: 0 };
  #from = 0;

  constructor(paged: PagedText, pageChars: number) {
    this.paged = paged;
    this.#pageChars = pageChars;
  }

  /** Where it goes on. */
  get at(): number {
    return this.#place.at;
  }

  get isAtEnd(): boolean {
    return pagesAfter(this.paged, this.#place, this.#pageChars) === 0;
  }

  /** The line under what was shown last; `isLeft` when nothing will follow. */
  footer(isLeft = false): ReplyContent {
    const range = { from: this.#from, to: this.#place.at };
    const pages = isLeft ? 0 : pagesAfter(this.paged, this.#place, this.#pageChars);
    const left = { pages, images: this.paged.images.length - this.#place.image };
    return { type: "text", text: pagerFooter(range, this.paged.text.length, left) };
  }

  /** The next pages as one. */
  next(pages: number): readonly ReplyContent[] {
    return this.#show({ chars: pages * this.#pageChars, images: pages * PAGE_IMAGES });
  }

  /** What is left, as far as a reply can hold it. */
  rest(): readonly ReplyContent[] {
    return this.#show(MAX_REPLY);
  }

  /** Passes over pages as if they had not been there to see. */
  skip(pages: number): void {
    const size = { chars: this.#pageChars, images: PAGE_IMAGES };
    for (let count = 0; count < pages && !this.isAtEnd; count++) {
      this.#place = cutPage(this.paged, this.#place, { size, shown: this.#seen }).next;
    }
  }

  moveTo(at: number): void {
    this.#place = placeAt(this.paged, at);
    this.#from = this.#place.at;
  }

  /** The characters from `start` to `end`, seen or not. */
  range(start: number, end: number): readonly ReplyContent[] {
    const last = placeAt(this.paged, Math.min(end, start + MAX_REPLY.chars));
    const text = this.paged.text.slice(0, last.at);
    const images = this.paged.images.filter((image) => image.at < text.length);
    this.moveTo(Math.min(start, text.length));
    const shown = { text: new CharRanges(), images: new Set<number>() };
    return this.#cut({ text, images }, MAX_REPLY, shown);
  }

  #show(size: PageSize): readonly ReplyContent[] {
    return this.#cut(this.paged, size, this.#seen);
  }

  #cut(paged: PagedText, size: PageSize, shown: ShownParts): readonly ReplyContent[] {
    const from = this.#place;
    const { content, next } = cutPage(paged, from, { size, shown });
    this.#seen.text.add(from.at, next.at);
    for (let image = from.image; image < next.image; image++) this.#seen.images.add(image);
    this.#from = from.at;
    this.#place = next;
    return content;
  }
}
