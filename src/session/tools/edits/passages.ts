/**
 * Where passages are in a text, each for the first two times.
 *
 * The search of the language is quick for most of them. For some it compares all of a passage at
 * each place where its end fits, which takes hours where both are long: a model writes both, and
 * whoever else is served waits. So only so much of that is left to it; then each character is looked
 * at once (Knuth, Morris and Pratt), and that not for ever.
 */

/** As long as this a passage is found soon, whatever it is. */
const SHORT = 250;

/** Characters that are compared at worst, by the one search and by the other: half a second, and a whole one. */
const MOST_COMPARED = 2_000_000_000;
const MOST_LOOKED_AT = 100_000_000;

export class Passages {
  readonly #text: string;
  #compared = 0;
  #lookedAt = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** No place, one, or the first two. */
  find(passage: string): readonly number[] | "tooLong" {
    const text = this.#text;
    if (passage.length <= SHORT) return findByLanguage(text, passage);
    this.#compared += text.length * passage.length;
    if (this.#compared <= MOST_COMPARED) return findByLanguage(text, passage);
    this.#lookedAt += text.length + passage.length;
    return this.#lookedAt <= MOST_LOOKED_AT ? findAtOnce(text, passage) : "tooLong";
  }
}

function findByLanguage(text: string, passage: string): readonly number[] {
  const first = text.indexOf(passage);
  const second = first < 0 ? -1 : text.indexOf(passage, first + 1);
  return [first, second].filter((place) => place >= 0);
}

/** Exported for its test: both searches find the same. */
export function findAtOnce(text: string, passage: string): readonly number[] {
  const borders = bordersOf(passage);
  const places: number[] = [];
  for (let at = 0, fits = 0; at < text.length && places.length < 2; at += 1) {
    fits = further(passage, borders, { fits, next: text.charCodeAt(at) });
    if (fits < passage.length) continue;
    places.push(at + 1 - fits);
    fits = borders[fits] ?? 0;
  }
  return places;
}

/** By the length of a beginning: how much of its end is a shorter beginning. */
function bordersOf(passage: string): Int32Array {
  const borders = new Int32Array(passage.length + 1);
  for (let length = 1, fits = 0; length < passage.length; length += 1) {
    fits = further(passage, borders, { fits, next: passage.charCodeAt(length) });
    borders[length + 1] = fits;
  }
  return borders;
}

/** How much of the passage fits with one character more. */
function further(
  passage: string,
  borders: Int32Array,
  { fits, next }: { readonly fits: number; readonly next: number },
): number {
  let length = fits;
  while (length > 0 && passage.charCodeAt(length) !== next) length = borders[length] ?? 0;
  return passage.charCodeAt(length) === next ? length + 1 : 0;
}
