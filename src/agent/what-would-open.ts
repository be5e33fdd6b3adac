/** What a person would write into a profile so that something is allowed the next time: nothing but they may change a policy. */
import type { smallestChange } from "../exec/index.ts";

type Change = ReturnType<typeof smallestChange>;
type Line = Exclude<Change, { kind: "none" }>;

/** As a sentence without its end. For several things what else must hold is left out; receipts have it. */
export function whatWouldOpen(changes: readonly Change[]): string {
  const [only, ...more] = changes;
  if (more.length === 0 && only?.kind === "none") return `No line opens it: ${only.why}`;
  const lines = changes.filter((one) => one.kind !== "none");
  if (lines.length === 0) return "No line opens them";
  const [first] = lines;
  const note = more.length === 0 && first?.note != null ? ` (${first.note})` : "";
  const places = [...Map.groupBy(lines, ({ table }) => table)].map(
    ([table, some]) => `${wordsOf(some)} in [permissions.NAME.${table}]`,
  );
  const what = more.length === 0 ? "it" : lines.length < changes.length ? "some of them" : "them";
  return `What would open ${what}: ${places.join(", ")}${note}`;
}

function wordsOf(lines: readonly Line[]): string {
  const words = lines.map((line) => {
    const instead = line.kind === "replace" ? ` in place of ${line.replaces}` : "";
    return `${line.lines.join("; ")}${instead}`;
  });
  return [...new Set(words)].join("; ");
}
