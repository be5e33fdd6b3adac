/**
 * The machines that commands of threads may run on: this one, and those that were added.
 */
import {
  type ConnectExecutorOptions,
  ExecError,
  type Executor,
  type PolicyBounds,
} from "../../exec/index.ts";
import { connectWebSocket, RpcError } from "../../rpc/index.ts";
import {
  type EnvironmentAddress,
  type EnvironmentAsk,
  LOCAL_ENVIRONMENT,
  readEnvironment,
} from "./read-environment.ts";
import { type EnvironmentStatus, RemoteEnvironment } from "./remote-environment.ts";

/** What a client may know of a machine. */
export interface MachineDescription {
  readonly shell: { readonly name: string; readonly path: string };
  /** As a `file:` URI. */
  readonly cwd?: string | null | undefined;
}

export interface EnvironmentsOptions {
  readonly local: Executor;
  /** This machine. */
  readonly description: MachineDescription;
  /** What threads may have at most, wherever they work. */
  readonly bounds: PolicyBounds;
  /** How to reach an address; over a WebSocket when absent. */
  readonly connect?: (address: EnvironmentAddress) => ConnectExecutorOptions["connect"];
  readonly times?: ConnectExecutorOptions["times"];
}

export interface Environments {
  /** Connects to nothing. One of the same id is replaced for whoever asks next. Throws `RpcError`. */
  add(asked: EnvironmentAsk): void;
  /** `local` first. */
  readonly ids: readonly string[];
  /** Connects if need be. Rejects with `ExecError`; `invalidRequest` is an id that nobody added. */
  executorOf(id: string): Promise<Executor>;
  describe(id: string): Promise<MachineDescription>;
  /** Looks at nothing, so it costs nothing. */
  statusOf(id: string): EnvironmentStatus;
  /** Ends what runs elsewhere; this machine is not its to close. */
  close(): Promise<void>;
}

const MOST_ENVIRONMENTS = 256;

/** A registry with this machine in it. */
export function createEnvironments(options: EnvironmentsOptions): Environments {
  const { local, description, bounds, connect = overWebSocket, times } = options;
  const added = new Map<string, RemoteEnvironment>();
  const replaced: RemoteEnvironment[] = [];
  const find = (id: string): RemoteEnvironment => {
    const found = added.get(id);
    if (found === undefined) throw new ExecError("invalidRequest", unknownId(id));
    return found;
  };
  return {
    add(asked) {
      const { environmentId: id } = asked;
      const address = readEnvironment(asked);
      refuseTooMany(added, replaced, id);
      const before = added.get(id);
      if (before !== undefined && !before.isUntouched) replaced.push(before);
      added.set(id, new RemoteEnvironment({ address, connect, bounds, ...(times && { times }) }));
    },
    get ids() {
      return [LOCAL_ENVIRONMENT, ...added.keys()];
    },
    async executorOf(id) {
      return id === LOCAL_ENVIRONMENT ? local : find(id).executor();
    },
    async describe(id) {
      if (id === LOCAL_ENVIRONMENT) return description;
      const { environment } = await find(id).executor();
      if (environment !== undefined) return environment;
      const what = "its server does not say what it is, expected one that does";
      throw new ExecError("untrustedServer", `Cannot describe the environment "${id}": ${what}`);
    },
    statusOf(id) {
      if (id === LOCAL_ENVIRONMENT) return { status: "ready" };
      return added.get(id)?.status ?? { status: "unknown", error: unknownId(id) };
    },
    async close() {
      await Promise.all([...added.values(), ...replaced].map((one) => one.close()));
    },
  };
}

const overWebSocket: NonNullable<EnvironmentsOptions["connect"]> =
  ({ where, headers, connectTimeoutMs }) =>
  (signal) =>
    connectWebSocket(where, { headers, signal, handshakeTimeoutMs: connectTimeoutMs });

/** Those that were replaced count, since what was started on them may still run. */
function refuseTooMany(
  added: ReadonlyMap<string, unknown>,
  replaced: readonly unknown[],
  id: string,
): void {
  const count = added.size + replaced.length;
  if (count < MOST_ENVIRONMENTS || (count === MOST_ENVIRONMENTS && added.has(id))) return;
  throw new RpcError(
    "invalidRequest",
    `exec-server protocol error: there are ${count} environments, expected at most ${MOST_ENVIRONMENTS}`,
  );
}

function unknownId(id: string): string {
  return `unknown environment id \`${id}\``;
}
