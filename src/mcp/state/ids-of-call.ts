import type { CallContext } from "./read-sandbox-state.ts";
import { RECEIPT_KEY } from "./state-keys.ts";

/** What clients call them, and what receipts do. All are the client's word. */
const NAMES = [
  ["threadId", "thread"],
  ["turnId", "turn"],
  ["callId", "call"],
] as const;
const MOST_LENGTH = 200;

/** Which call of which thread this is, as far as the client says so. */
export function idsOfCall(call: CallContext): Readonly<Record<string, string>> {
  const meta = call.mcpReq === undefined ? call._meta : call.mcpReq._meta;
  const ours = membersOf(membersOf(meta)[RECEIPT_KEY]);
  const theirs = membersOf(meta);
  return Object.fromEntries(
    NAMES.flatMap(([sent, kept]) => {
      const id = ours[sent] ?? theirs[sent];
      return typeof id === "string" && id !== "" && id.length <= MOST_LENGTH ? [[kept, id]] : [];
    }),
  );
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
