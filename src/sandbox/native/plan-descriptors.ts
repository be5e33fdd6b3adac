/** One step on the way from the descriptors of this process to those of a child; see dup2(2). */
export type DescriptorStep =
  | { readonly from: number; readonly to: number }
  /** All from that one on. */
  | { readonly closeFrom: number };

/**
 * How a child gets each source under the number of its place, and nothing else. Pure.
 *
 * A source whose own number is one of those that the child gets would be replaced before it is its
 * turn, so it is put aside first, behind all others.
 */
export function planDescriptors(sources: readonly (number | undefined)[]): DescriptorStep[] {
  const known = sources.filter((source) => source !== undefined);
  const free = Math.max(sources.length, ...known) + 1;
  const early = [...new Set(known.filter((source) => source < sources.length))];
  const aside = new Map(early.map((source, index) => [source, free + index]));
  return [
    ...[...aside].map(([from, to]) => ({ from, to })),
    ...sources.flatMap((source, to) =>
      source === undefined ? [] : [{ from: aside.get(source) ?? source, to }],
    ),
    { closeFrom: sources.length },
  ];
}
