/** A set of character ranges: what a reader has already been shown. */
export interface CharSpan {
  readonly start: number;
  readonly end: number;
}

export class CharRanges {
  /** In order, none of them touching another. */
  #spans: readonly CharSpan[] = [];

  add(start: number, end: number): void {
    if (start >= end) return;
    const apart = this.#spans.filter((span) => span.end < start || span.start > end);
    const touching = this.#spans.filter((span) => span.end >= start && span.start <= end);
    const merged = {
      start: Math.min(start, ...touching.map((span) => span.start)),
      end: Math.max(end, ...touching.map((span) => span.end)),
    };
    this.#spans = [...apart, merged].sort((a, b) => a.start - b.start);
  }

  /** The range that `at` lies in. */
  at(at: number): CharSpan | undefined {
    return this.#spans.find((span) => span.start <= at && at < span.end);
  }

  /** Where the next range begins after `at`; infinity if none does. */
  nextStart(at: number): number {
    return this.#spans.find((span) => span.start > at)?.start ?? Number.POSITIVE_INFINITY;
  }
}
