import { setTimeout } from "node:timers/promises";
import {
  type JSONRPCMessage,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { releaseMessage } from "./outgoing-call.ts";

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

/** How long a server may take to end its session before the connection is dropped all the same. */
const GOODBYE_MS = 2_000;

/** Streamable HTTP that makes the `_meta` of a call as it is sent, and tells a call that its stream is gone. */
export class HttpTransport extends StreamableHTTPClientTransport {
  /** Nothing is on record here of a server elsewhere. */
  readonly receiptId = null;

  override async send(
    message: JSONRPCMessage | JSONRPCMessage[],
    options?: SendOptions,
  ): Promise<void> {
    // The SDK sends one message at a time; a batch could hide a call.
    if (Array.isArray(message)) throw new Error("Cannot send a batch: expected one message");
    const { message: released, call } = releaseMessage(message);
    const ended = () => {
      call?.lose(new SdkError(SdkErrorCode.ConnectionClosed, "the stream of the answer ended"));
      options?.onRequestStreamEnd?.();
    };
    await super.send(released, { ...options, onRequestStreamEnd: ended });
  }

  override async close(): Promise<void> {
    const goodbye = this.terminateSession().catch(() => {});
    await Promise.race([goodbye, setTimeout(GOODBYE_MS, undefined, { ref: false })]);
    await super.close();
  }
}
