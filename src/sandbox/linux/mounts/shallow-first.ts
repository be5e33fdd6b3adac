/** Places in the order in which they are made: a folder before what lies in it. */
export function shallowFirst<T extends { readonly path: string }>(items: readonly T[]): T[] {
  const depths = new Map(items.map((item) => [item, depthOf(item.path)]));
  const depth = (item: T) => depths.get(item) ?? 0;
  return items.toSorted((a, b) => depth(a) - depth(b) || (a.path < b.path ? -1 : 1));
}

/** Counted without taking it apart: this is asked for every mount of every plan. */
function depthOf(path: string): number {
  let depth = 0;
  for (let at = path.indexOf("/", 1); at !== -1; at = path.indexOf("/", at + 1)) depth += 1;
  return depth;
}
