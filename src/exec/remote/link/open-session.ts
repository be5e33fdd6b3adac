/** One attempt to open a session, or to take one up again. */
import { createPeer, type Peer, type Router, type Transport } from "../../../rpc/index.ts";
import type { EnvironmentDescription } from "../../protocol/environment-methods.ts";
import { sessionMethods } from "../../protocol/session-methods.ts";
import { type ServerTrust, serverTrust } from "../server-trust.ts";
import { clientDialect } from "./client-dialect.ts";
import { GatedTransport } from "./gated-transport.ts";

/** Makes a connection; called again after each drop. An `ExecError` says that there will be none. */
export type Connect = (signal: AbortSignal) => Promise<Transport>;

export interface SessionOptions {
  readonly connect: Connect;
  readonly clientName: string;
  /** Hears what the server tells by itself. */
  readonly router: Router<void>;
  readonly handshakeMs: number;
}

export interface OpenSession {
  readonly peer: Peer;
  readonly sessionId: string;
  readonly trust: ServerTrust;
  readonly environment: EnvironmentDescription | undefined;
  /** Holds what the connection brings, or lets go. */
  readonly hold: (held: boolean) => void;
}

/** Connects and shakes hands. Rejects with what stood in the way; nothing stays open then. */
export async function openSession(
  options: SessionOptions,
  resumeSessionId: string | null,
  signal: AbortSignal,
): Promise<OpenSession> {
  const { clientName, router, handshakeMs } = options;
  const transport = new GatedTransport(await connected(options, signal));
  const peer = createPeer<void>({
    transport,
    dialect: clientDialect,
    log: () => {},
    serve: { router, context: () => {} },
  });
  try {
    const params = { clientName, resumeSessionId };
    const call = { timeoutMs: handshakeMs, signal };
    const answer = await peer.call(sessionMethods.initialize, params, call);
    await peer.notify(sessionMethods.initialized, {});
    const { sessionId, environmentInfo: environment } = answer;
    const hold = (held: boolean) => transport.holdFlow(held);
    return { peer, sessionId, trust: serverTrust(answer), environment, hold };
  } catch (fault) {
    peer.close("the handshake failed");
    throw fault;
  }
}

/** A connection that comes after nobody waits for it any more is closed. */
async function connected({ connect }: SessionOptions, signal: AbortSignal): Promise<Transport> {
  signal.throwIfAborted();
  const coming = connect(signal);
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([coming, aborted.promise]);
  } catch (fault) {
    coming.then(
      (transport) => transport.close("it came too late"),
      () => {},
    );
    throw fault;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
