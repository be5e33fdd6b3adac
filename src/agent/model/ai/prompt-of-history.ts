/**
 * A thread as the SDK tells it to a model.
 *
 * What a model called comes back with what it was told then, under the id of the
 * item. What it thought is left out; what a user ran is told as the user's word.
 */
import { createHash } from "node:crypto";
import { JSON_LIMITS, readJson, wholeCharacters } from "../../../rpc/index.ts";
import type { ShownImage } from "../../items/tool-use.ts";
import type { CommandExecution, McpToolCall, ModelCall, TurnItem } from "../../turn-item.ts";
import type { dialectOf } from "./open-language-model.ts";
import type { Prompt } from "./opened-model.ts";

type Dialect = ReturnType<typeof dialectOf>;
type Message = Prompt[number];
type ToolMessage = Extract<Message, { role: "tool" }>;
type ToolOutput = Extract<ToolMessage["content"][number], { type: "tool-result" }>["output"];

const NO_OUTPUT = "There is no output: the call was interrupted.";
/** How much of the output of a user's own command is told. */
const NOTE_CHARS = 16_000;
/** How much of an input that is no JSON is shown to who wrote it. */
const UNREADABLE_CHARS = 500;

/** What was said and done in it, without instructions; empty where nothing of it is for a model. */
export function promptOfHistory(history: readonly TurnItem[], dialect: Dialect): Prompt {
  const said = history
    .map((item) => ({ ...item, id: tellableId(item.id, dialect) }))
    .map((item) => (dialect === "chat" ? withoutPicture(item) : item))
    .flatMap(messagesOfItem);
  return said[0]?.role === "assistant" ? [...userMessages(BEGUN), ...said] : said;
}

/** A skill that the user names is loaded before their words, and there are providers that take no thread that begins with a call. */
const BEGUN = "What follows was done before the first words of the user.";

/** A thread may have calls of other providers in it. Each gets back what it takes as it was. */
const TELLABLE_IDS: Readonly<Record<Dialect, RegExp>> = {
  anthropic: /^[\w-]{1,64}$/,
  responses: /^.{1,64}$/,
  chat: /^.{1,40}$/,
};

function tellableId(id: string, dialect: Dialect): string {
  if (TELLABLE_IDS[dialect].test(id)) return id;
  return `call_${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}

const UNSHOWN =
  "The picture itself is not shown: this provider takes none in the result of a tool.";

/** Of a result that is more than text, chat completions would be told the JSON. */
function withoutPicture(item: TurnItem): TurnItem {
  if (item.type !== "toolCall" || item.image === null) return item;
  const output = `${item.call.output ?? NO_OUTPUT}\n${UNSHOWN}`;
  return { ...item, image: null, call: { ...item.call, output } };
}

function messagesOfItem(item: TurnItem): Message[] {
  switch (item.type) {
    case "userMessage":
      return userMessages(
        item.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"),
      );
    case "agentMessage":
      return isBlank(item.text) ? [] : [{ role: "assistant", content: textParts(item.text) }];
    case "reasoning":
      return [];
    case "commandExecution":
      return item.call === null ? userMessages(noteOfCommand(item)) : callOf(item.id, item.call);
    case "mcpToolCall":
      return item.call === null ? userMessages(noteOfTool(item)) : callOf(item.id, item.call);
    case "toolCall":
      return callOf(item.id, item.call, item.image);
    case "refusedCall":
      return callOf(item.id, { ...item.call, name: tellableName(item.call.name) });
    case "fileChange":
    case "clientToolCall":
    case "terminalWrite":
      return callOf(item.id, item.call);
  }
}

function userMessages(text: string): Message[] {
  return isBlank(text) ? [] : [{ role: "user", content: textParts(text) }];
}

/** It says nothing, and there are providers that refuse a thread with it for ever. */
function isBlank(text: string): boolean {
  return text.trim() === "";
}

function textParts(text: string) {
  return [{ type: "text" as const, text }];
}

function callOf(
  toolCallId: string,
  { name: toolName, input, output: text }: ModelCall,
  image: ShownImage | null = null,
): Message[] {
  const output = outputOf(text ?? NO_OUTPUT, image);
  return [
    {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId, toolName, input: objectOf(input) }],
    },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId, toolName, output }],
    },
  ];
}

const MOST_NAME = 64;

/** Providers refuse a thread with a name that no tool can have, and a model may call anything. */
function tellableName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MOST_NAME) || "unnamed";
}

function outputOf(text: string, image: ShownImage | null): ToolOutput {
  if (image === null) return { type: "text", value: text };
  const { mimeType: mediaType, base64 } = image;
  return {
    type: "content",
    value: [
      { type: "text", text },
      { type: "file", mediaType, data: { type: "data", data: base64 } },
    ],
  };
}

/** Providers take only objects back; what is none is shown as a text in one. */
function objectOf(input: string): object {
  try {
    const value: unknown = readJson(input === "" ? "{}" : input, JSON_LIMITS);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return isWhole(input) ? value : JSON.parse(wholeCharacters(JSON.stringify(value)));
    }
  } catch {
    // What cannot be read was refused when it was called; here it is only told again.
  }
  return { unreadable: input.slice(0, UNREADABLE_CHARS).toWellFormed() };
}

/** Whether no text in it can be half of a character; the SDK tells some objects as JSON within JSON. */
function isWhole(input: string): boolean {
  return input.isWellFormed() && !/\\ud[89a-f]/i.test(input);
}

function noteOfCommand({ command, exitCode, output, denial }: CommandExecution): string {
  return [
    "The user ran a command in this thread:",
    `$ ${command}`,
    exitCode === null ? "It did not end by itself." : `Exit code: ${exitCode}`,
    ...(denial === null ? [] : [denial]),
    ...(output === null || output === "" ? [] : ["Output:", cut(output)]),
  ].join("\n");
}

function noteOfTool({ server, tool, error }: McpToolCall): string {
  const end = error === null ? "" : ` It failed: ${cut(error)}`;
  return `The user called tool "${tool}" of MCP server "${server}".${end}`;
}

function cut(text: string): string {
  if (text.length <= NOTE_CHARS) return text;
  const left = text.length - NOTE_CHARS;
  return `${text.slice(0, NOTE_CHARS).toWellFormed()}\n(${left} more characters were left out)`;
}
