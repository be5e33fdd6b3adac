import type { RpcDialect } from "../dialect.ts";
import { wholeCharacters } from "../json/whole-characters.ts";
import { isKnownPlain } from "./base64-text.ts";
import type { RpcMessage } from "./read-message.ts";

/**
 * Writes one message as the dialect spells it, with the members that the dialect adds. What is told is
 * made whole text; what is asked for is not, since whoever is asked refuses what is none and would do
 * something else.
 */
export function writeMessage(message: RpcMessage, dialect: RpcDialect): string {
  const text = textOfMessage(message, dialect);
  return message.kind === "request" ? text : wholeCharacters(text);
}

function textOfMessage(message: RpcMessage, dialect: RpcDialect): string {
  const version = dialect.writesVersion ? { jsonrpc: "2.0" } : {};
  const text = JSON.stringify({ ...version, ...membersOf(message, dialect) });
  if (message.kind !== "reply") return withMember(text, "params", textOf(message.params));
  if (message.outcome.kind !== "result") return text;
  return withMember(text, "result", resultText(message.outcome.value));
}

function withMember(text: string, name: string, value: string | undefined): string {
  return value === undefined ? text : `${text.slice(0, -1)},"${name}":${value}}`;
}

/** What has no JSON form has no text. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !hasPlain(value)) return JSON.stringify(value);
  let text = "";
  for (const [name, member] of Object.entries(value)) {
    const written = isKnownPlain(member) ? `"${member}"` : JSON.stringify(member);
    if (written !== undefined) text += `${text && ","}${JSON.stringify(name)}:${written}`;
  }
  return `{${text}}`;
}

function hasPlain(value: object): boolean {
  return !Array.isArray(value) && !("toJSON" in value) && Object.values(value).some(isKnownPlain);
}

/** A handler that returns nothing answers `null`; what has no JSON form would leave no member at all. */
function resultText(value: unknown): string {
  const text = textOf(value ?? null);
  if (text !== undefined) return text;
  throw new Error(
    `Cannot write the result: the ${typeof value} has no JSON form, expected a value`,
  );
}

function membersOf(message: RpcMessage, dialect: RpcDialect): object {
  switch (message.kind) {
    case "request": {
      const { id, method } = message;
      return { id, method };
    }
    case "notification": {
      const { method } = message;
      return { method, ...dialect.stampNotification?.() };
    }
    case "reply": {
      const { id, outcome } = message;
      return outcome.kind === "result" ? { id } : { error: outcome.error, id };
    }
  }
}
