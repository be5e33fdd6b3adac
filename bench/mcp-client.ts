/** A client of one stdio server, with nothing in it that takes time of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

export class BenchClient {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (line: string) => void>();
  #next = 0;

  constructor(
    argv: readonly [string, ...string[]],
    options: { cwd: string; env: NodeJS.ProcessEnv },
  ) {
    const [command, ...args] = argv;
    this.#child = spawn(command, args, { ...options, stdio: ["pipe", "pipe", "inherit"] });
    if (this.#child.stdout === null) throw new Error("there is no output to read");
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const { id } = JSON.parse(line) as { id?: number };
      if (id !== undefined) this.#waiting.get(id)?.(line);
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  request(method: string, params: object): Promise<string> {
    this.#next += 1;
    const id = this.#next;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: "bench", version: "1" };
    await this.request("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo,
    });
    this.#child.stdin?.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  }

  close(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.#child.once("exit", () => resolve()));
    this.#child.stdin?.end();
    return ended;
  }
}
