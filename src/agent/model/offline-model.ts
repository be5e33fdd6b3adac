/**
 * The built-in model: no network, no key, and the same answer to the same line.
 *
 * It does what the user's last line says, then says in one sentence what came of
 * it. It exists so that threads, policies and approvals can be tried and tested
 * as they are.
 */
import { randomUUID } from "node:crypto";
import type { UserMessage } from "../items/user-message.ts";
import type { ModelChoice } from "../turn-frame.ts";
import type { CommandExecution, TurnItem } from "../turn-item.ts";
import type { Model, ModelEvent, ModelRequest, Models } from "./model.ts";
import { ModelError } from "./model-error.ts";
import { lineAfterAsking, type OfflineMove, parseOfflineLine } from "./offline-line.ts";
import { endOf, waitingMove } from "./waiting-move.ts";

/** How a thread names it. */
export const OFFLINE_CHOICE: ModelChoice = { provider: "writ", model: "offline", effort: null };

export const offlineModel: Model = { respond };

/** The models of the built-in provider: this one. */
export const offlineModels: Models = {
  find({ provider, model }): Model {
    if (provider === OFFLINE_CHOICE.provider && model === OFFLINE_CHOICE.model) return offlineModel;
    const name = JSON.stringify(`${provider}/${model}`);
    const expected = '"writ/offline", or a model_provider in config.toml that has it';
    throw new ModelError(
      "rejected",
      `Cannot ask ${name}: there is no such model here, expected ${expected}`,
    );
  },
};

async function* respond({ history, signal }: ModelRequest): AsyncGenerator<ModelEvent> {
  if (signal.aborted) throw new ModelError("interrupted", "The turn was stopped");
  const move = nextMove(history);
  yield move === undefined ? say(sentenceOf(history.at(-1))) : eventOf(move);
  yield { kind: "usage", usage: NO_TOKENS };
}

const NO_TOKENS = {
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  reasoningOutputTokens: 0,
  totalTokens: 0,
};

/** What is to be done now; nothing where only what was done is to be told. */
function nextMove(history: readonly TurnItem[]): OfflineMove | undefined {
  const at = history.findLastIndex(({ type }) => type === "userMessage");
  const said = history[at];
  if (said?.type !== "userMessage") return undefined;
  const since = history.slice(at + 1);
  if (!since.every(isAsking)) return waitingMove(since);
  const line = lineAfterAsking(lineOf(said), since.length);
  return line === undefined ? undefined : parseOfflineLine(line);
}

function isAsking(item: TurnItem): boolean {
  return "call" in item && item.call?.name === "request_permissions";
}

function lineOf({ content }: UserMessage): string {
  const text = content.map((one) => (one.type === "text" ? one.text : "")).join("\n");
  return text.trim().split("\n").at(-1) ?? "";
}

function eventOf(move: OfflineMove): ModelEvent {
  if (move.kind === "say") return say(move.text);
  return { ...move, callId: `call-${randomUUID().replaceAll("-", "")}` };
}

function say(delta: string): ModelEvent {
  return { kind: "text", itemId: `msg-${randomUUID()}`, delta };
}

function commandSentence({ exitCode, processId, output, denial }: CommandExecution): string {
  const isUnrun = output === null && denial !== null;
  const unended = isUnrun ? "It was not run." : "It did not run to an end.";
  const end = exitCode === null ? unended : `It ended with exit code ${exitCode}.`;
  const what = processId === null ? end : `It goes on as session ${processId}.`;
  // What would open it has been told with the command.
  const [why] = denial?.split("\n") ?? [];
  return why === undefined ? what : `${what} ${why}.`;
}

function sentenceOf(item: TurnItem | undefined): string {
  switch (item?.type) {
    case "commandExecution":
      return commandSentence(item);
    case "mcpToolCall":
      return item.error === null ? "The tool answered." : `The tool failed: ${item.error}`;
    case "terminalWrite":
      return endOf(item) ?? item.call.output ?? "It did not say.";
    case "toolCall":
    case "fileChange":
    case "clientToolCall":
    case "refusedCall":
      return item.call.output ?? "It did not say.";
    default:
      return "There is nothing to do.";
  }
}
