/**
 * An executor on another machine.
 *
 * The command, the intent and the symbols in it travel as they are; what they
 * mean is decided there. Nothing here asks what this machine could enforce.
 */
import type { Signer } from "../auth/signer.ts";
import type { Executor } from "../executor.ts";
import type { EnvironmentDescription } from "../protocol/environment-methods.ts";
import { anchorsOf } from "./anchors/remote-anchors.ts";
import { RemoteFiles } from "./files/remote-files.ts";
import type { Connect } from "./link/open-session.ts";
import { RECOVERY_TIMES, type RecoveryTimes, SessionLink } from "./link/session-link.ts";
import { RemoteProcesses, type Sign } from "./processes/remote-processes.ts";
import type { ServerTrust } from "./server-trust.ts";

export interface ConnectExecutorOptions {
  /** Called for the first connection and again after each drop. */
  readonly connect: Connect;
  readonly clientName: string;
  /** Makes what signs requests to the executor of that id. Servers of others get no signatures. */
  readonly signer?: (executorId: string) => Signer;
  readonly times?: RecoveryTimes;
}

export interface RemoteExecutor extends Executor {
  /** What the server has shown about itself. */
  readonly trust: ServerTrust;
  readonly environment: EnvironmentDescription | undefined;
}

const HANDSHAKE_MS = 10_000;
/** What cannot be told in time is ended with its session. */
const CLOSE_MS = 2_000;

/** Connects to an exec-server. Rejects with `ExecError` when there is none that can be spoken to. */
export async function connectExecutor(options: ConnectExecutorOptions): Promise<RemoteExecutor> {
  const { connect, clientName, times = RECOVERY_TIMES } = options;
  const processes = new RemoteProcesses();
  const link = await SessionLink.open({
    connect,
    clientName,
    times,
    handshakeMs: HANDSHAKE_MS,
    gate: processes.gate,
    router: processes.router(),
    resumed: () => processes.resumed(),
    lost: (error) => processes.lost(error),
  });
  const sign = signingOver(link, options.signer);
  const { trust, environment } = link.session;
  return {
    trust,
    environment,
    files: new RemoteFiles(link, sign),
    anchors: anchorsOf(link, environment, sign),
    start: (request, givenUp) => processes.start(request, { link, sign, givenUp }),
    close: async () => {
      await within(CLOSE_MS, processes.terminate());
      link.close();
    },
  };
}

/** A connection that nobody was given would stay, and its process with it. */
function signingOver(link: SessionLink, makeSigner: ConnectExecutorOptions["signer"]): Sign {
  try {
    return signing(link, makeSigner);
  } catch (error) {
    link.close();
    throw error;
  }
}

function signing(link: SessionLink, makeSigner: ConnectExecutorOptions["signer"]): Sign {
  const { trust } = link.session;
  if (makeSigner === undefined || trust.kind !== "writ") return (_, params) => params;
  const signer = makeSigner(trust.promise.executorId);
  return <P extends object>(method: string, params: P): P => {
    // What follows on an open file brings no intent of its own.
    if (!("sandbox" in params) && !method.startsWith("writ/anchor/")) return params;
    return signer.sign({ method, params: params as Record<string, unknown> }) as P;
  };
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
