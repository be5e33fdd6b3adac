/** What `/receipts` says of a command that both an item and a receipt tell of. */
import { expect, it } from "vitest";
import type { ChatPlace } from "../../../src/cli/chat/commands/chat-command.ts";
import { receiptsCommand } from "../../../src/cli/chat/commands/receipts-command.ts";

const ID = "01M7TPCPZF50SKRY18RT977X87";

/** A thread of one command. */
function placeOf(outcome: object, item: object): ChatPlace {
  const told = { type: "commandExecution", id: "c", command: "sleep 100", ...item };
  const receipt = { id: ID, outcome, command: ["sleep", "100"], denials: { listed: [] } };
  const read = async () => ({ thread: { turns: [{ items: [told] }] } });
  const place = { thread: { id: "t" }, call: { thread: { read } }, kept: () => [receipt] };
  return place as never;
}

it.each([
  {
    outcome: { kind: "ended", reason: "terminated by the caller" },
    item: { status: "failed", exitCode: null },
    denial: "Ended with its sandbox",
    row: /ended {8,}sleep 100$/,
  },
  {
    outcome: { kind: "exited", code: 1 },
    item: { status: "failed", exitCode: 1 },
    denial: 'Probably denied: to write "/x"',
    row: /exit 1 +denied +sleep 100$/,
  },
])("says of $outcome.kind what was done to it", async ({ outcome, item, denial, row }) => {
  const place = placeOf(outcome, { ...item, writ: { receiptId: ID, denial } });
  const { lines } = await receiptsCommand.run("", place);
  expect(lines[0]).toMatch(row);
});
