/**
 * A text with one kind of line end, and the way back to what it was.
 *
 * A model writes `\n` whatever a file has. It is matched against this view, and
 * what it matched is cut out of the original, whose other lines keep their ends.
 */
export class LineView {
  readonly text: string;
  /** Where in the view a line end stands for two characters. */
  readonly #pairs: readonly number[];

  constructor(original: string) {
    const pairs: number[] = [];
    this.text = original.replaceAll("\r\n", (_, at: number) => {
      pairs.push(at - pairs.length);
      return "\n";
    });
    this.#pairs = pairs;
  }

  /** Where a place of the view is in the original; in front of a line end is in front of all of it. */
  originalOf(place: number): number {
    let [low, high] = [0, this.#pairs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#pairs[middle] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    return place + low;
  }
}
