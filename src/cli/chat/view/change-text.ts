import type { ThreadItem } from "./item-text.ts";

type Change = Extract<ThreadItem, { type: "fileChange" }>["changes"][number];

/** More than anybody reads before they answer. */
const MOST_SHOWN = 64 * 1024;

/** Changes of files as whoever is asked about them sees them. */
export interface ShownChanges {
  readonly text: string;
  /** How many characters of it are not in there. */
  readonly left: number;
}

/** Every file by name, then what becomes of each: a name behind a long text would be seen by nobody. */
export function changeText(changes: readonly Change[]): ShownChanges {
  const names = changes.map(nameOf);
  const parts = changes.map((change, at) =>
    [...(changes.length > 1 ? [names[at]] : []), ...linesOf(change)].join("\n"),
  );
  const all = parts.join("\n");
  const shown = all.slice(0, MOST_SHOWN).toWellFormed();
  return { text: [...names, shown].join("\n").trimEnd(), left: all.length - shown.length };
}

function nameOf({ kind, path }: Change): string {
  const to =
    kind.type === "update" && kind.move_path ? ` -> ${JSON.stringify(kind.move_path)}` : "";
  return `${kind.type} ${JSON.stringify(path)}${to}`;
}

const SIGNS = { add: "+", delete: "-", update: "" } as const;

/** None of them begins as a name does. */
function linesOf({ kind, diff }: Change): string[] {
  const lines = diff
    .replace(/\r(?!\n)/g, "\\u{d}")
    .replace(/\n$/, "")
    .split("\n");
  return diff === "" ? [] : lines.map((line) => SIGNS[kind.type] + line);
}
