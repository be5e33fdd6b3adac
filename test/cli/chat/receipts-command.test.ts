/** What `/receipts` says of a command that both an item and a receipt tell of. */
import { expect, it } from "vitest";
import type { ChatPlace } from "../../../src/cli/chat/commands/chat-command.ts";
import { receiptsCommand } from "../../../src/cli/chat/commands/receipts-command.ts";

const ID = "01M7TPCPZF50SKRY18RT977X87";

/** A thread of one command. */
function placeOf(outcome: object, item: object, listed: readonly object[]): ChatPlace {
  const told = { type: "commandExecution", id: "c", command: "sleep 100", ...item };
  const receipt = { id: ID, outcome, command: ["sleep", "100"], denials: { listed } };
  const read = async () => ({ thread: { turns: [{ items: [told] }] } });
  const place = { thread: { id: "t" }, call: { thread: { read } }, kept: () => [receipt] };
  return place as never;
}

it.each([
  {
    finding: "what was done to it",
    outcome: { kind: "ended", reason: "terminated by the caller" },
    item: { status: "failed", exitCode: null },
    denial: "Ended with its sandbox",
    listed: [],
    row: /ended {8,}sleep 100$/,
  },
  {
    finding: "which limit it met and no denial",
    outcome: { kind: "limit", limit: "memoryBytes", value: 1 },
    item: { status: "failed", exitCode: 137 },
    denial: 'Ended: it went beyond the limit "memoryBytes" of 1',
    listed: [],
    row: /limit {8,}sleep 100$/,
  },
  {
    finding: "that it was denied something",
    outcome: { kind: "exited", code: 1 },
    item: { status: "failed", exitCode: 1 },
    denial: 'Probably denied: to write "/x"',
    listed: [{ kind: "file" }],
    row: /exit 1 +denied +sleep 100$/,
  },
  {
    finding: "that it was denied nothing, whatever its item says",
    outcome: { kind: "exited", code: 255 },
    item: { status: "failed", exitCode: 255 },
    denial: "Probably denied by the sandbox; its output does not say what",
    listed: [],
    row: /exit 255 {8,}sleep 100$/,
  },
])("says $finding", async ({ outcome, item, denial, listed, row }) => {
  const place = placeOf(outcome, { ...item, writ: { receiptId: ID, denial } }, listed);
  const { lines } = await receiptsCommand.run("", place);
  expect(lines[0]).toMatch(row);
});
