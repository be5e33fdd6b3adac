import type { Executor, StartRequest } from "../../../../src/exec/index.ts";
import { ScriptedProcess } from "../../process/support/scripted-process.ts";

/** An executor whose processes answer every request with their generation. */
export class ScriptedExecutor implements Pick<Executor, "start"> {
  readonly requests: StartRequest[] = [];
  readonly processes: ScriptedProcess[] = [];
  /** What a process does with a line; answers it by default. */
  onLine = (process: ScriptedProcess, line: string): void => {
    const { id, method } = JSON.parse(line);
    if (id === undefined || method === undefined) return;
    process.say(
      `${JSON.stringify({ jsonrpc: "2.0", id, result: { by: this.processes.length } })}\n`,
    );
  };
  /** Waited for before each start. */
  gate: Promise<unknown> = Promise.resolve();
  /** The most that ever lived at once. */
  mostAlive = 0;

  async start(request: StartRequest): Promise<ScriptedProcess> {
    this.requests.push(request);
    await this.gate;
    const process = new ScriptedProcess(request.processId);
    process.onLine = (line) => this.onLine(process, line);
    this.processes.push(process);
    this.mostAlive = Math.max(this.mostAlive, this.alive.length);
    return process;
  }

  get alive(): ScriptedProcess[] {
    return this.processes.filter(({ isOver }) => !isOver);
  }

  /** As the port wants it; what is not scripted is not there. */
  get port(): Executor {
    return this as unknown as Executor;
  }
}
