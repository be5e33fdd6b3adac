/**
 * Serves an executor to clients, over whatever transports are handed in.
 *
 * It decides nothing about policy: requests are read at the edge and given to
 * the executor, whose refusals are told.
 */
import {
  createPeer,
  createRouter,
  type FaultLog,
  type Handlers,
  type Peer,
  type Schedule,
  type Transport,
} from "../../rpc/index.ts";
import type { Executor } from "../executor.ts";
import type { WireRequest } from "../intent/signed-intent.ts";
import { ANCHORS_CAPABILITY, OVERLAYS_CAPABILITY } from "../protocol/anchor-methods.ts";
import type { EnvironmentDescription } from "../protocol/environment-methods.ts";
import { execProtocol } from "../protocol/exec-protocol.ts";
import type { WritPromise } from "../protocol/session-methods.ts";
import { keepRefusal, type RefusedStart } from "../receipts/keep-refusal.ts";
import type { ReceiptKeeper } from "../receipts/run-receipt.ts";
import { anchorHandlers } from "./anchors/anchor-handlers.ts";
import { ExecConnection } from "./exec-connection.ts";
import { execDialect } from "./exec-dialect.ts";
import { fileHandlers } from "./files/file-handlers.ts";
import { type HttpAccess, httpHandlers } from "./http/http-handlers.ts";
import { processHandlers } from "./processes/process-handlers.ts";
import { SESSION_TIMES, type SessionTimes } from "./sessions/exec-session.ts";
import { ExecSessions } from "./sessions/exec-sessions.ts";
import { toRpcError } from "./to-rpc-error.ts";

export interface ExecServerOptions {
  readonly executor: Executor;
  readonly description: EnvironmentDescription;
  readonly promise: WritPromise;
  /** Looks at every request that brings an intent, as it came: who signed it. Throws `ExecError`. */
  readonly check: (request: WireRequest) => void;
  /** Most ordinary calls of one connection at work at once; with 1 each waits for the one before. */
  readonly concurrentRequests: number;
  readonly http: HttpAccess;
  /** Where refusals are kept that do not come as far as the executor. */
  readonly receipts: ReceiptKeeper;
  readonly times?: SessionTimes;
  /** Receives faults whose text must not cross the wire. */
  readonly log: FaultLog;
}

export interface ExecServer {
  /** Takes a connection. */
  accept(transport: Transport): Peer;
  /** Ends every session, and all that they started. */
  close(): Promise<void>;
}

/** What must get through while every other slot is taken. */
const CONTROL = new Set([
  "environment/info",
  "environment/status",
  "process/signal",
  "process/terminate",
  "fs/close",
  "writ/anchor/close",
]);

/** Everything that decides what is touched; what follows on an open file or process was let in with it. */
const BRINGS_INTENT =
  /^(process\/start|writ\/anchor\/(open|compare|stock)|fs\/(?!readBlock$|writeBlock$|close$).*|http\/request)$/;

/** Makes a server. It listens nowhere by itself. */
export function createExecServer(options: ExecServerOptions): ExecServer {
  const sessions = new ExecSessions(options.times ?? SESSION_TIMES, options.executor.anchors);
  const router = createRouter({
    methods: execProtocol.toServer,
    handlers: handlersOf(options),
    admit: ({ declaration: { name: method }, params, context }) => {
      context.admit(method);
      if (BRINGS_INTENT.test(method)) checked(options, { method, params: Object(params) });
    },
  });
  const schedule = scheduleOf(options.concurrentRequests);
  return {
    accept: (transport) =>
      createPeer<ExecConnection>({
        transport,
        dialect: execDialect,
        log: options.log,
        serve: {
          router,
          context: (peer) => new ExecConnection({ peer, transport, sessions, schedule }),
        },
      }),
    close: async () => {
      await sessions.close();
      await options.executor.close();
    },
  };
}

function checked({ check, receipts }: ExecServerOptions, request: WireRequest): void {
  try {
    check(request);
  } catch (error) {
    const isStart = request.method === execProtocol.toServer.process.start.name;
    throw toRpcError(isStart ? keepRefusal(refusedStart(request), error, receipts) : error);
  }
}

/** As far as it can be told: nothing of it has been checked yet. */
function refusedStart({ params }: WireRequest): RefusedStart {
  const { argv, cwd, processId, sandbox } = params;
  const words = Array.isArray(argv) ? argv.filter((word) => typeof word === "string") : [];
  return { argv: words, cwd: String(cwd), ids: { process: String(processId) }, sandbox };
}

function scheduleOf(limit: number): Schedule | undefined {
  if (limit === 1) return undefined;
  return { kind: "concurrent", limit, control: { methods: CONTROL, limit } };
}

function handlersOf({
  executor,
  description: given,
  promise,
  http,
  receipts,
}: ExecServerOptions): Handlers<typeof execProtocol.toServer, ExecConnection> {
  const description = withAnchors(given, executor.anchors);
  return {
    session: {
      initialize: ({ resumeSessionId }, connection) => ({
        sessionId: connection.open(resumeSessionId ?? undefined).id,
        environmentInfo: description,
        writ: promise,
      }),
      initialized: (_, connection) => connection.ready(),
    },
    environment: { info: () => description, status: () => ({ status: "ready" }) },
    process: processHandlers({ executor, receipts }),
    files: fileHandlers(executor.files),
    http: httpHandlers(http),
    anchor: anchorHandlers,
  };
}

function withAnchors(
  description: EnvironmentDescription,
  anchors: Executor["anchors"],
): EnvironmentDescription {
  if (anchors === undefined) return description;
  const overlays = anchors.hasOverlays === true && { [OVERLAYS_CAPABILITY]: true };
  const capabilities = { ...description.capabilities, [ANCHORS_CAPABILITY]: true, ...overlays };
  return { ...description, capabilities };
}
