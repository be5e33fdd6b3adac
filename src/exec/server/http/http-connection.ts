/**
 * The bodies that are sent to one client as they come. They belong to its connection
 * and end with it.
 */
import { type Peer, RpcError } from "../../../rpc/index.ts";
import { httpNotifications } from "../../protocol/http-methods.ts";

/** A body on its way to the client. */
export interface BodyStream {
  /** Fires when the connection is over. */
  readonly signal: AbortSignal;
  /** Await it: it settles when the bytes were accepted, which is how a slow client slows the source. */
  send(bytes: Buffer): Promise<void>;
  /** Says that this was all, or what went wrong; the id is free from here on. */
  end(error: string | null): Promise<void>;
  /** Frees the id without a word: the client was told in the answer. */
  drop(): void;
}

export interface HttpConnection {
  /** Takes an id for a body. Throws `RpcError` while it is taken, or with too many of them. */
  open(requestId: string): BodyStream;
  /** Ends all of them. */
  close(): void;
}

const MAX_STREAMS = 128;

/** Makes what the requests of one connection share. */
export function createHttpConnection(peer: Pick<Peer, "notify">): HttpConnection {
  const active = new Map<string, AbortController>();
  let isOver = false;
  return {
    open(requestId) {
      if (isOver) throw new RpcError("invalidRequest", "the connection is over");
      admit(active, requestId);
      const over = new AbortController();
      active.set(requestId, over);
      return createBodyStream({
        signal: over.signal,
        notify: (delta) => peer.notify(httpNotifications.bodyDelta, { requestId, ...delta }),
        free: () => active.delete(requestId),
      });
    },
    close() {
      isOver = true;
      for (const over of active.values()) over.abort();
    },
  };
}

function admit(active: ReadonlyMap<string, unknown>, requestId: string): void {
  if (active.has(requestId)) {
    const what = `http/request streamResponse requestId \`${requestId}\``;
    throw new RpcError("invalidParams", `${what} is already active`);
  }
  if (active.size < MAX_STREAMS) return;
  const why = `${MAX_STREAMS} are streamed on this connection already, expected fewer`;
  throw new RpcError("invalidRequest", `Cannot stream another body: ${why}`);
}

interface Delta {
  readonly seq: number;
  readonly deltaBase64: string;
  readonly done: boolean;
  readonly error: string | null;
}

interface StreamParts {
  readonly signal: AbortSignal;
  readonly notify: (delta: Delta) => Promise<void>;
  readonly free: () => void;
}

function createBodyStream({ signal, notify, free }: StreamParts): BodyStream {
  let seq = 0;
  const tell = (bytes: Buffer | undefined, error: string | null) => {
    seq += 1;
    const deltaBase64 = bytes?.toString("base64") ?? "";
    return notify({ seq, deltaBase64, done: bytes === undefined, error });
  };
  return {
    signal,
    send: (bytes) => tell(bytes, null),
    end: (error) => {
      free();
      return tell(undefined, error);
    },
    drop: free,
  };
}
