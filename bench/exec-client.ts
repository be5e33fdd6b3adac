/** A client of an exec-server that does next to nothing with what it gets, so that the server is measured. */
import { uriOfNative } from "../src/policy/index.ts";
import { LeanSocket } from "./lean-socket.ts";

export interface BenchCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly sandbox: object | null;
}

interface Ended {
  readonly exitCode: number;
  readonly bytes: number;
}

interface Running {
  bytes: number;
  exitCode: number;
  readonly end: (ended: Ended) => void;
}

export class ExecClient {
  readonly #calls = new Map<number, (message: Reply) => void>();
  readonly #running = new Map<string, Running>();
  #socket: LeanSocket | undefined;
  #ids = 0;

  private constructor() {}

  static async connect(url: string): Promise<ExecClient> {
    const client = new ExecClient();
    client.#socket = await LeanSocket.connect(url, {
      message: (text) => client.#take(JSON.parse(text)),
      output: (bytes) => client.#count(bytes),
    });
    await client.call("initialize", { clientName: "bench" });
    client.#socket.send('{"method":"initialized"}');
    return client;
  }

  async call(method: string, params: object): Promise<unknown> {
    this.#ids += 1;
    const id = this.#ids;
    const { promise, resolve } = Promise.withResolvers<Reply>();
    this.#calls.set(id, resolve);
    this.#socket?.send(JSON.stringify({ id, method, params }));
    const { result, error } = await promise;
    if (error === undefined) return result;
    throw new Error(`Cannot compare: "${method}" was refused, ${error.message}`);
  }

  /** Runs a command until it is closed. */
  async run({ argv, cwd, sandbox }: BenchCommand): Promise<Ended> {
    const processId = `p${this.#ids}`;
    const { promise, resolve } = Promise.withResolvers<Ended>();
    this.#running.set(processId, { bytes: 0, exitCode: -1, end: resolve });
    const env = { PATH: "/usr/bin:/bin" };
    const place = { cwd: uriOfNative(cwd), env, tty: false };
    await this.call("process/start", { processId, argv, ...place, sandbox });
    return promise;
  }

  close(): void {
    this.#socket?.close();
  }

  /** Only one prints that much at a time. */
  #count(bytes: number): void {
    const [running] = this.#running.values();
    if (running) running.bytes += bytes;
  }

  #take(message: Reply): void {
    if (message.method === undefined) this.#settle(message);
    else this.#hear(message);
  }

  #settle(reply: Reply): void {
    this.#calls.get(reply.id)?.(reply);
    this.#calls.delete(reply.id);
  }

  #hear({ method, params }: Reply): void {
    const running = this.#running.get(params?.processId ?? "");
    if (running === undefined || params === undefined) return;
    if (method === "process/output") running.bytes += Buffer.byteLength(params.chunk, "base64");
    if (method === "process/exited") running.exitCode = params.exitCode;
    if (method !== "process/closed") return;
    this.#running.delete(params.processId);
    running.end(running);
  }
}

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
  readonly method?: string;
  readonly params?: {
    readonly processId: string;
    readonly chunk: string;
    readonly exitCode: number;
  };
}
