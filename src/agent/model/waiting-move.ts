import type { TerminalWrite } from "../items/model-call.ts";
import type { CommandExecution, TurnItem } from "../turn-item.ts";
import type { OfflineMove } from "./offline-line.ts";

/** As long as one call may wait. */
const WAIT_MS = 30_000;
/** Of one turn; after that it is told that the command goes on. */
const MOST_WAITS = 90;

/**
 * What waits for a command that goes on; nothing where it is over, or was meant to go on: a command with a terminal is
 * there to be typed into.
 */
export function waitingMove(since: readonly TurnItem[]): OfflineMove | undefined {
  const at = since.findLastIndex(({ type }) => type === "commandExecution");
  const command = since[at];
  if (command?.type !== "commandExecution" || !isLeft(command)) return undefined;
  const waits = since.slice(at + 1);
  if (!waits.every(isStillRunning) || waits.length >= MOST_WAITS) return undefined;
  const input = { session_id: Number(command.processId), yield_time_ms: WAIT_MS };
  return { kind: "call", name: "write_stdin", input: JSON.stringify(input) };
}

/** What came of a command, where this was the last wait for it. */
export function endOf({ call }: TerminalWrite): string | undefined {
  if (call.input.includes('"chars"')) return undefined;
  const [, exitCode, denial] = ENDED.exec(call.output ?? "") ?? [];
  if (exitCode === undefined) return undefined;
  const end = `It ended with exit code ${exitCode}.`;
  return denial === undefined ? end : `${end} ${denial}.`;
}

const ENDED =
  /^Wall time: .*\nProcess exited with code (\d+)\n(?:Sandbox: (.*)\n(?:Sandbox: .*\n)*)?Output:\n/;

function isLeft({ processId, call }: CommandExecution): boolean {
  return processId !== null && call !== null && !/"tty":true|"require_escalated"/.test(call.input);
}

function isStillRunning(item: TurnItem): boolean {
  if (item.type !== "terminalWrite") return false;
  return /^Wall time: .*\nProcess running with session ID /.test(item.call.output ?? "");
}
