import { errorReply } from "./failure-reply.ts";
import type { Request } from "./line.ts";
import { hasBadMeta } from "./meta-of.ts";

/** The answer to a request that no server gets, whatever its state; nothing to any other. */
export function refuseRequest(message: Request): string | undefined {
  const { idText, method } = message;
  if (method === "codex/sandbox-state/update") {
    const what = `Cannot run "${method}": there is no such method. State comes with each call`;
    return errorReply(idText, -32601, what);
  }
  if (!hasBadMeta(message)) return undefined;
  return errorReply(idText, -32602, 'Cannot read "_meta": it is not an object, expected one');
}
