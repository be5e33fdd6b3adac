/**
 * Commands of clients, outside every thread.
 *
 * Each runs in a sandbox under the policy it brings, or that of the server, bound
 * to its own folder; the executor keeps a receipt of it.
 */
import { decodeBase64, type Executor, type RunningProcess } from "../../exec/index.ts";
import { type Handlers, RpcError } from "../../rpc/index.ts";
import type { commandMethods } from "../protocol/command-methods.ts";
import { type CommandClock, SYSTEM_CLOCK } from "./command-clock.ts";
import type { CommandConnection } from "./command-connection.ts";
import type { CommandPolicies } from "./command-policies.ts";
import { startRpcError } from "./command-rpc-error.ts";
import { ConnectionCommands } from "./connection-commands.ts";
import { type AskedCommand, readCommand, readSize } from "./read-command.ts";
import { RunningCommand } from "./running-command.ts";
import { type InheritedEnvironment, startOfCommand } from "./start-of-command.ts";

export interface CommandHandlerParts {
  readonly executor: Executor;
  readonly policies: CommandPolicies;
  /** The variables that every command gets. */
  readonly variables: InheritedEnvironment;
  /** The folder of the server, absolute: where a request without one runs. */
  readonly cwd: string;
  readonly clock?: CommandClock;
}

const DONE = {};

/** What a client may do with commands. */
export function commandHandlers(
  parts: CommandHandlerParts,
): Handlers<typeof commandMethods, CommandConnection> {
  const { cwd, clock = SYSTEM_CLOCK } = parts;
  const commands = new WeakMap<CommandConnection, ConnectionCommands>();
  const of = (connection: CommandConnection): ConnectionCommands => {
    const found = commands.get(connection) ?? new ConnectionCommands();
    commands.set(connection, found);
    return found;
  };
  return {
    async exec(params, connection, { signal: unwanted }) {
      const asked = readCommand(params, cwd);
      return of(connection).run(asked.processId, async () => {
        const process = await startProcess(asked, connection, parts);
        return new RunningCommand({ asked, process, connection, unwanted, clock });
      });
    },
    async execWrite({ processId, deltaBase64, closeStdin }, connection) {
      const delta = deltaBase64 ?? undefined;
      if (delta === undefined && !closeStdin) {
        throw invalidParams("command/exec/write requires deltaBase64 or closeStdin");
      }
      const bytes = decodeBase64(delta ?? "", (why) =>
        invalidParams(`invalid deltaBase64: ${why}`),
      );
      const command = await of(connection).find(processId);
      await command.write(bytes, closeStdin ? "close" : "more");
      return DONE;
    },
    async execResize({ processId, size }, connection) {
      const wanted = readSize(size);
      await (await of(connection).find(processId)).resize(wanted);
      return DONE;
    },
    async execTerminate({ processId }, connection) {
      await (await of(connection).find(processId)).terminate();
      return DONE;
    },
  };
}

async function startProcess(
  asked: AskedCommand,
  { closed }: CommandConnection,
  { executor, policies, variables }: CommandHandlerParts,
): Promise<RunningProcess> {
  const policy = await policies.forCommand({ ...asked.policy, cwd: asked.cwd });
  if (closed.aborted) {
    const what = "Cannot run the command: the connection is over, expected one that lasts";
    throw new RpcError("invalidRequest", what);
  }
  try {
    return await executor.start(startOfCommand(asked, policy, variables));
  } catch (error) {
    throw startRpcError(error, asked.policy);
  }
}

function invalidParams(message: string): RpcError {
  return new RpcError("invalidParams", message);
}
