/** What becomes of an item that was in progress when its turn ended. */
import type { TurnItem } from "../../../agent/index.ts";
import { isInProgress, type KeptItem } from "./kept-item.ts";

const UNANSWERED = "Not approved: nobody had answered the question when the turn ended";

/** The item once nobody works on it any more. */
export function failedItem({ item, isAsked }: KeptItem): TurnItem {
  if (!("status" in item && isInProgress(item))) return item;
  return isAsked ? unansweredItem(item) : { ...item, status: "failed" };
}

/** What it asked for was never begun, and it says so, to people and to the model. */
function unansweredItem(item: TurnItem): TurnItem {
  const denied = { status: "failed", denial: UNANSWERED } as const;
  switch (item.type) {
    case "commandExecution":
      return { ...item, ...denied, call: toldOf(item.call, "The command did not run") };
    case "fileChange":
      return { ...item, ...denied, call: toldOf(item.call, madeOf(item.changes)) };
    case "toolCall":
      return { ...item, ...denied, call: toldOf(item.call, "Nothing was granted") };
    case "mcpToolCall":
      return {
        ...item,
        ...{ status: "failed", error: UNANSWERED },
        call: toldOf(item.call, "The tool was not called"),
      };
    case "terminalWrite":
      return { ...item, status: "failed", call: toldOf(item.call, "Nothing was written") };
    default:
      return item;
  }
}

function toldOf<Call extends { readonly output: string | null } | null>(call: Call, what: string) {
  return call && { ...call, output: `${what}. ${UNANSWERED}` };
}

type Changes = Extract<TurnItem, { type: "fileChange" }>["changes"];

/** Under the policy it was tried before anybody was asked, and of several files some may have been written. */
function madeOf(changes: Changes): string {
  const isOne =
    changes.length === 1 &&
    changes.every(({ kind }) => !("movePath" in kind) || kind.movePath === null);
  return isOne ? "Nothing was changed" : "Some files may have been changed";
}
