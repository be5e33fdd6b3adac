/** JSON with sorted members and without absent ones: equal values give equal text. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonicalText(inner)}`);
  return `{${members.join(",")}}`;
}

/** A list whose order and repetitions mean nothing. */
export function canonicalSet(values: readonly unknown[]): string[] {
  return [...new Set(values.map(canonicalText))].sort();
}
