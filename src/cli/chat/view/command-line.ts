import { shownId, type ThreadItem } from "./item-text.ts";

type CommandItem = Extract<ThreadItem, { type: "commandExecution" }>;

/** The line that bash is given, where that is all there is to a command; else all of it. */
export function commandLine(command: string): string {
  const [, word] = /^\/bin\/bash -l?c (\S+|'(?:[^']|'\\'')*')$/.exec(command) ?? [];
  if (word === undefined) return command;
  return word.startsWith("'") ? word.slice(1, -1).replaceAll(String.raw`'\''`, "'") : word;
}

/** Whether something is told as it happens, or of a thread that is opened again. */
export type Telling = "live" | "past";

/** How a command ended, the most important first. */
export function commandEnd(
  item: CommandItem,
  telling: Telling,
): { text: string; isBad: boolean }[] {
  const { exitCode, durationMs, status, processId, writ } = item;
  const denial = writ?.denial ?? null;
  const why = (denial?.split("\n") ?? []).map((line) => ({ text: `${line}.`, isBad: true }));
  const receipt = writ?.receiptId ? [`receipt ${shownId(writ.receiptId)}`] : [];
  if (status === "declined" || isUnrun(item)) {
    const text = receipt.length === 0 ? "It was not run." : `It was not run, ${receipt[0]}`;
    return [{ text, isBad: true }, ...why];
  }
  const time = durationMs === null ? [] : [`${(durationMs / 1000).toFixed(2)} s`];
  const end = exitCode === null ? endOf(item, telling) : `exit ${exitCode}`;
  const isBad = exitCode !== 0 && processId === null && status !== "inProgress";
  return [...why, { text: [end, ...time, ...receipt].join(", "), isBad }];
}

/** Something was in the way before it began: one that ran has an output, if an empty one. */
function isUnrun({ status, exitCode, aggregatedOutput, writ }: CommandItem): boolean {
  const nothing = exitCode === null && aggregatedOutput === null;
  return status === "failed" && nothing && writ?.denial != null;
}

function endOf({ processId, status }: CommandItem, telling: Telling): string {
  if (status === "inProgress") return "It is not over yet";
  if (processId === null || status === "failed") return "It did not run to an end";
  // Whoever ran it may be gone since, and it with them.
  return telling === "live"
    ? `It goes on as session ${processId}`
    : `It went on as session ${processId} when its turn ended`;
}
