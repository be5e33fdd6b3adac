/**
 * An item as it lies in the store.
 *
 * What is read back is checked, and what is written is read back first: an item
 * that could not be read again would take its whole thread with it.
 */
import { z } from "zod";
import type { TurnItem } from "../../../agent/index.ts";
import { readJson } from "../../../rpc/index.ts";
import { checkKeptId, invalid, KEPT_LIMITS, whatIsWrong } from "../check-kept.ts";
import { ThreadStoreError } from "../thread-store-error.ts";

const id = z.string().min(1);
const text = z.string();
const texts = z.array(text);
const textOrNull = text.nullable();
const numberOrNull = z.number().nullable();

const Call = z.strictObject({ name: text, input: text, output: textOrNull });

const Input = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text }),
  z.strictObject({ type: z.literal("other"), value: z.record(text, z.unknown()) }),
]);

const status = z.enum(["inProgress", "completed", "failed", "declined"]);

const CommandExecution = z.strictObject({
  type: z.literal("commandExecution"),
  id,
  command: text,
  argv: texts,
  cwd: text,
  processId: textOrNull,
  source: z.enum(["agent", "userShell"]),
  status,
  output: textOrNull,
  exitCode: numberOrNull,
  durationMs: numberOrNull,
  receiptId: textOrNull,
  denial: textOrNull,
  call: Call.nullable(),
});

const McpToolCall = z.strictObject({
  type: z.literal("mcpToolCall"),
  id,
  server: text,
  tool: text,
  status: z.enum(["inProgress", "completed", "failed"]),
  arguments: z.unknown(),
  readOnlyHint: z.boolean().nullable(),
  result: z
    .strictObject({
      content: z.array(z.unknown()),
      structuredContent: z.unknown(),
      meta: z.unknown(),
    })
    .nullable(),
  error: textOrNull,
  durationMs: numberOrNull,
  // Rows of before have none.
  receiptId: textOrNull.default(null),
  call: Call.nullable(),
});

const ClientToolCall = z.strictObject({
  type: z.literal("clientToolCall"),
  id,
  namespace: textOrNull,
  tool: text,
  arguments: z.unknown(),
  status: z.enum(["inProgress", "completed", "failed"]),
  content: z
    .array(
      z.discriminatedUnion("type", [
        z.strictObject({ type: z.literal("inputText"), text }),
        z.strictObject({ type: z.literal("inputImage"), imageUrl: text }),
        z.strictObject({ type: z.literal("inputAudio"), audioUrl: text }),
      ]),
    )
    .nullable(),
  success: z.boolean().nullable(),
  durationMs: numberOrNull,
  call: Call,
});

const FileChange = z.strictObject({
  type: z.literal("fileChange"),
  id,
  changes: z.array(
    z.strictObject({
      path: text,
      kind: z.discriminatedUnion("type", [
        z.strictObject({ type: z.literal("add") }),
        z.strictObject({ type: z.literal("delete") }),
        z.strictObject({ type: z.literal("update"), movePath: textOrNull }),
      ]),
      diff: text,
    }),
  ),
  status,
  // Rows of before have none.
  receiptId: textOrNull.default(null),
  denial: textOrNull,
  call: Call,
});

const ToolUse = z.strictObject({
  type: z.literal("toolCall"),
  id,
  status: z.enum(["inProgress", "completed", "failed"]),
  image: z.strictObject({ mimeType: text, base64: text }).nullable(),
  durationMs: numberOrNull,
  receiptId: textOrNull,
  denial: textOrNull,
  call: Call,
});

const TerminalWrite = z.strictObject({
  type: z.literal("terminalWrite"),
  id,
  launchId: text,
  processId: text,
  status,
  // Rows of before have none.
  receiptId: textOrNull.default(null),
  call: Call,
});

const Item: z.ZodType<TurnItem> = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("userMessage"),
    id,
    clientId: textOrNull,
    content: z.array(Input),
  }),
  z.strictObject({ type: z.literal("agentMessage"), id, text }),
  z.strictObject({ type: z.literal("reasoning"), id, summary: texts, content: texts }),
  CommandExecution,
  FileChange,
  ToolUse,
  McpToolCall,
  ClientToolCall,
  TerminalWrite,
  z.strictObject({ type: z.literal("refusedCall"), id, call: Call }),
]);

/** An item, and whether somebody is being asked about it. */
export interface KeptItem {
  readonly item: TurnItem;
  readonly isAsked: boolean;
}

/** Throws "invalid" for what could not be read again. */
export function writeKeptItem(item: TurnItem, isAsked = false): string {
  const what = `the item "${item.id}"`;
  checkKeptId(what, item.id);
  const json = JSON.stringify(isAsked ? { ...item, isAsked } : item);
  try {
    parseItem(json);
  } catch (cause) {
    throw invalid(what, `${whatIsWrong(cause)}, expected an item of a turn`, { cause });
  }
  return json;
}

interface KeptRow {
  readonly id: string;
  readonly item: string;
}

/** Throws "damaged" for what is no item, or not the one that its row names. */
export function readKeptItem(row: KeptRow): TurnItem {
  return readKept(row).item;
}

/** The same, with what only the store knows. */
export function readKept(row: KeptRow): KeptItem {
  try {
    const kept = parseItem(row.item);
    const { item } = kept;
    if (item.id === row.id) return kept;
    throw new Error(`it is called "${item.id}"`);
  } catch (cause) {
    throw new ThreadStoreError(
      "damaged",
      `Cannot read the item "${row.id}": ${whatIsWrong(cause)}, expected the item that was kept`,
      { cause },
    );
  }
}

/** Whether it says of itself that it goes on. */
export function isInProgress(item: TurnItem): boolean {
  return "status" in item && item.status === "inProgress";
}

function parseItem(json: string): KeptItem {
  const value = readJson(json, KEPT_LIMITS);
  const { isAsked, ...rest } = Object(value);
  // No other word for it than the one that was written.
  if (isAsked === true) return { item: Item.parse(rest), isAsked };
  return { item: Item.parse(value), isAsked: false };
}
