/**
 * Tells apart what one line of MCP is, and keeps its text.
 *
 * Nothing ambiguous comes out of here as a message: with two members of one name
 * the reader behind could see another method than was judged.
 */
import { type Incoming, JSON_LIMITS, JsonError, readJson } from "../../../rpc/index.ts";
import { isObject } from "../../is-object.ts";
import type { Line, Unreadable } from "./line.ts";
import { memberText } from "./member-text.ts";

/** The longest line that is taken from either side. */
export const MOST_LINE = 32 << 20;

const LIMITS = { ...JSON_LIMITS, maxLength: MOST_LINE, maxValues: 1 << 21 };

/** Reads a line, whoever sent it. */
export function readLine(incoming: Incoming): Line {
  if (incoming.kind === "malformed") return noText(incoming);
  const { text } = incoming;
  try {
    const value = readJson(text, LIMITS);
    if (isObject(value)) return readMessage(value, text);
    const what = Array.isArray(value) ? "a batch" : "no object";
    return invalid(`it is ${what}, expected one message`, text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const code = error.code === "syntax" ? -32700 : -32600;
    return { kind: "unreadable", code, message: error.message, text };
  }
}

function noText({ reason, marked = "" }: Extract<Incoming, { kind: "malformed" }>): Unreadable {
  const unreadable = { kind: "unreadable", code: -32700, text: marked } as const;
  const meant = readLine({ kind: "text", text: marked });
  const found = { ...unreadable, message: notRead(reason) };
  return meant.kind === "unreadable" ? found : { ...found, meant };
}

/** The id that an unreadable line answers, where it shows. */
export function answeredId(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || Object.hasOwn(value, "method") || !isId(value.id)) return undefined;
    return JSON.stringify(value.id);
  } catch {
    return undefined;
  }
}

function readMessage(value: Record<string, unknown>, text: string): Line {
  const { id, method, params } = value;
  const hasId = Object.hasOwn(value, "id");
  if (hasId && !isId(id)) return invalid("its id is neither a string nor a number", text);
  if (Object.hasOwn(value, "method")) {
    if (typeof method !== "string") return invalid("its method is not a string", text);
    if (!hasId) return { kind: "notification", method, params, text };
    const key = JSON.stringify(id);
    return { kind: "request", id: key, idText: idTextOf(id, text), method, params, text };
  }
  const isError = Object.hasOwn(value, "error");
  if (!hasId || isError === Object.hasOwn(value, "result")) {
    return invalid("it has no method, and is no answer either", text);
  }
  return { kind: "answer", id: JSON.stringify(id), isError, text };
}

/** A number that a double does not hold is answered as it was written. */
function idTextOf(id: unknown, text: string): string {
  const exact = typeof id === "string" || Number.isSafeInteger(id);
  return (exact ? undefined : memberText(text, "id")) ?? JSON.stringify(id);
}

function isId(id: unknown): boolean {
  return typeof id === "string" || Number.isFinite(id);
}

function invalid(what: string, text: string): Unreadable {
  return { kind: "unreadable", code: -32600, message: notRead(what), text };
}

function notRead(what: string): string {
  return `Cannot read the message: ${what}`;
}
