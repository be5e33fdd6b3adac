/** How deep a back-end looks for what patterns deny, on one side of a merge. */
export interface ScanDepth {
  readonly hasGlobs: boolean;
  readonly depth: number | undefined;
}

/** Deep enough for both sides: one without patterns needs no looking, one without a bound needs all. */
export function deepestScan(sides: readonly ScanDepth[]): number | undefined {
  const depths = sides.filter(({ hasGlobs }) => hasGlobs).map(({ depth }) => depth);
  if (depths.length === 0 || depths.includes(undefined)) return undefined;
  return Math.max(...depths.map((depth) => depth ?? 0));
}
