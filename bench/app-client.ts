/** A client of one app-server over stdio, ours or that of Codex, with nothing in it that takes time of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";

const ROOT = path.resolve(import.meta.dirname, "..");

type Wire = ReturnType<typeof JSON.parse>;

/** A program and its arguments. */
type Argv = readonly [string, ...string[]];

export interface AppNote {
  readonly method: string;
  readonly params: Wire;
}

export class AppClient {
  readonly name: string;
  /** A folder that only this one works in. */
  readonly workspace: string;
  /** Told of each notification. */
  heard: (note: AppNote) => void = () => {};
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (message: Wire) => void>();
  #ids = 0;

  private constructor(name: string, [program, ...args]: Argv, base: string) {
    this.name = name;
    const home = path.join(base, name, "home");
    this.workspace = path.join(base, name, "ws");
    for (const folder of [home, this.workspace]) mkdirSync(folder, { recursive: true });
    this.#child = spawn(program, args, {
      cwd: this.workspace,
      env: { PATH: process.env.PATH ?? "", HOME: home, WRIT_HOME: home, CODEX_HOME: home },
      stdio: ["pipe", "pipe", "ignore"],
    });
    if (this.#child.stdout === null) throw new Error("there is no output to read");
    createInterface({ input: this.#child.stdout }).on("line", (line) => this.#take(line));
  }

  /** Ours, as it is built. */
  static ours(base: string): Promise<AppClient> {
    return AppClient.#open("writ", [path.join(ROOT, "bin/writ"), "app-server"], base);
  }

  /** That of Codex; nothing where the interop tests have not installed it. */
  static async codex(base: string): Promise<AppClient | undefined> {
    const lab = path.join(ROOT, ".cache/interop/node_modules");
    // The program itself: what npm puts before it would be measured in its place.
    const [program] = globSync("@openai/codex-*/vendor/*/bin/codex", { cwd: lab });
    if (program === undefined) return undefined;
    return AppClient.#open("codex", [path.join(lab, program), "app-server"], base);
  }

  /** What lies under ours when a turn has no tool. */
  static bare(base: string, model: string): Promise<AppClient> {
    const program = path.join(ROOT, "bench/bare-turn.ts");
    return AppClient.#open("bare", [process.execPath, program, model], base);
  }

  static async #open(name: string, argv: Argv, base: string): Promise<AppClient> {
    const client = new AppClient(name, argv, base);
    const clientInfo = { name: "bench", version: "1" };
    await client.call("initialize", { clientInfo, capabilities: { experimentalApi: true } });
    client.#child.stdin?.write('{"method":"initialized"}\n');
    return client;
  }

  async call(method: string, params: object): Promise<Wire> {
    this.#ids += 1;
    const id = this.#ids;
    const { promise, resolve } = Promise.withResolvers<Wire>();
    this.#waiting.set(id, resolve);
    this.#child.stdin?.write(`${JSON.stringify({ id, method, params })}\n`);
    const { result, error } = await promise;
    if (error === undefined) return result;
    throw new Error(`Cannot compare: "${method}" was refused, ${error.message}`);
  }

  /** The id of a new thread that may write in its workspace. */
  async startThread(): Promise<string> {
    const { thread } = await this.call("thread/start", {
      cwd: this.workspace,
      sandbox: "workspace-write",
      approvalPolicy: "never",
    });
    return thread.id;
  }

  /** What is resident, in bytes. */
  memory(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  }

  async close(): Promise<void> {
    const exit = once(this.#child, "exit");
    this.#child.stdin?.end();
    await exit;
  }

  #take(line: string): void {
    const message: Wire = JSON.parse(line);
    if (message.method !== undefined) {
      this.heard(message);
      return;
    }
    this.#waiting.get(message.id)?.(message);
    this.#waiting.delete(message.id);
  }
}
