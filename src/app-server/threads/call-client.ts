import type { ClientAnswer, ClientCall } from "../../agent/index.ts";
import { appProtocol } from "../protocol/app-protocol.ts";
import type { Subscribers } from "./subscribers.ts";

export interface ClientCallContext {
  readonly threadId: string;
  readonly turnId: string;
  /** A new id of the server's. */
  readonly id: number;
  readonly signal: AbortSignal;
}

/**
 * Has the first who follows the thread run a tool. Nobody else is asked, also when it leaves: it may
 * have run by then.
 */
export async function callClient(
  call: ClientCall,
  subscribers: Subscribers,
  { threadId, turnId, id, signal }: ClientCallContext,
): Promise<ClientAnswer> {
  const [first] = subscribers;
  if (first === undefined) throw new Error("nobody follows the thread");
  const params = { threadId, turnId, ...call, arguments: call.arguments ?? null };
  return first.ask(appProtocol.toClient.ask.toolCall, params, { id, signal });
}
