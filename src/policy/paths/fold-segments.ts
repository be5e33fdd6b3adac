/** Resolves `.`, `..` and empty segments; `..` stops at the anchor. */
export function foldSegments(segments: readonly string[]): string[] {
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") kept.pop();
    else kept.push(segment);
  }
  return kept;
}

/** The name an encoded segment stands for; one that is not UTF-8 stands for itself. */
export function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
