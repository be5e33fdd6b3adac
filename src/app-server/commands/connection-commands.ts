import { RpcError } from "../../rpc/index.ts";
import type { CommandResult, RunningCommand } from "./running-command.ts";

/** The commands of one connection, by the names that its client gave them. */
export class ConnectionCommands {
  readonly #named = new Map<string, Promise<RunningCommand>>();

  /** Runs one to its end. A name is taken from the request on, and free again before the answer. */
  async run(
    name: string | undefined,
    start: () => Promise<RunningCommand>,
  ): Promise<CommandResult> {
    if (name === undefined) return (await start()).ended;
    if (this.#named.has(name)) {
      const what = `duplicate active command/exec process id: ${JSON.stringify(name)}`;
      throw new RpcError("invalidRequest", what);
    }
    const starting = start();
    this.#named.set(name, starting);
    try {
      return await (await starting).ended;
    } finally {
      this.#named.delete(name);
    }
  }

  /** One that runs, or will in a moment. Throws `RpcError` where there is none. */
  async find(name: string): Promise<RunningCommand> {
    const found = await this.#named.get(name)?.catch(() => undefined);
    if (found !== undefined) return found;
    const what = `no active command/exec for process id ${JSON.stringify(name)}`;
    throw new RpcError("invalidRequest", what);
  }
}
