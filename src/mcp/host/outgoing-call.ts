/**
 * A tool call on its way out.
 *
 * The SDK may wait and look things up before it writes a request. The call travels
 * inside the request under a symbol, which no JSON can hold, and is taken out where
 * the bytes are written: there its `_meta` is made, and only once.
 */
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { McpError } from "../mcp-error.ts";

const CALL = Symbol("outgoing call");

export class OutgoingCall {
  readonly #write: (meta: unknown) => Record<string, unknown>;
  readonly #lost = new AbortController();
  #sent = false;

  /** `write` makes the `_meta` that travels, out of what the SDK put there; it throws to send nothing. */
  constructor(write: (meta: unknown) => Record<string, unknown>) {
    this.#write = write;
  }

  /** Whether the server may have it. */
  get sent(): boolean {
    return this.#sent;
  }

  /** Aborted when the answer can no longer come. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  lose(reason: Error): void {
    this.#lost.abort(reason);
  }

  /** The `_meta` to hand to the SDK in place of the caller's. */
  mark(meta: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return { ...meta, [CALL]: this };
  }

  /** Makes what travels. Throws where it has travelled before. */
  release(meta: unknown): Record<string, unknown> {
    if (this.#sent) {
      throw new McpError("outcomeUnknown", "Cannot send the call again: it was sent before");
    }
    const written = this.#write(meta);
    this.#sent = true;
    return written;
  }
}

/** A message as it may be written now, and the call it holds if it is one. */
export interface Released {
  readonly message: JSONRPCMessage;
  readonly call: OutgoingCall | undefined;
}

/** Takes the call out of a request for one. Throws on a call that nobody here made. */
export function releaseMessage(message: JSONRPCMessage): Released {
  if (!("method" in message) || message.method !== "tools/call") {
    return { message, call: undefined };
  }
  const { _meta: meta, ...params } = message.params ?? {};
  const call = (meta as { readonly [CALL]?: OutgoingCall } | undefined)?.[CALL];
  if (call === undefined) {
    throw new McpError(
      "noState",
      "Cannot send the call: nobody says whose it is, expected a call made through this host",
    );
  }
  const written = call.release(meta);
  const kept = Object.keys(written).length > 0 && { _meta: written };
  return { message: { ...message, params: { ...params, ...kept } }, call };
}
