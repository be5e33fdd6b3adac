/** Places in a paged text, and what is left behind them. */
import type { PagedText } from "./paged-text.ts";

/** Between two characters, and before the picture with this number. */
export interface PagePlace {
  readonly at: number;
  readonly image: number;
}

/** A picture takes as much of a page as so much text. */
export const IMAGE_CHARS = 800;

/** The place before the character at `at` and every picture there. */
export function placeAt({ text, images }: PagedText, at: number): PagePlace {
  const within = Math.max(0, Math.min(text.length, Math.floor(at)));
  const start = isSplit(text, within) ? within - 1 : within;
  const image = images.findIndex((one) => one.at >= start);
  return { at: start, image: image === -1 ? images.length : image };
}

/** How many pages there are behind `place`. */
export function pagesAfter({ text, images }: PagedText, place: PagePlace, chars: number): number {
  const left = text.length - place.at + IMAGE_CHARS * (images.length - place.image);
  return Math.ceil(left / chars);
}

/** Whether `at` lies within a character. */
export function isSplit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff;
}
