import type {
  CommandOutput,
  ProvidedCommand,
} from "../../../src/session/provider/provided-command.ts";

/** What a command does; each by itself until `end`. */
export interface CommandScript {
  readonly stdout?: string | Buffer;
  readonly stderr?: string;
  /** 0 when absent; null where it runs until it is killed or told. */
  readonly exitCode?: number | null;
  /** What its stream ends with instead of an exit. */
  readonly fails?: unknown;
}

/** A command that does what its script says. */
export class FakeCommand implements ProvidedCommand {
  readonly id: string;
  /** As of a machine elsewhere, which tells of it at the end. */
  readonly receiptId = null;
  readonly ended: Promise<{ exitCode: number; sandboxDenied: boolean; receiptId: string | null }>;
  isKilled = false;
  readonly #script: CommandScript;
  readonly #exit = Promise.withResolvers<number>();

  constructor(id: string, script: CommandScript) {
    this.id = id;
    this.#script = script;
    const { exitCode = 0, fails } = script;
    if (fails !== undefined) this.#exit.reject(fails);
    else if (exitCode !== null) this.#exit.resolve(exitCode);
    this.ended = this.#exit.promise.then((code) => ({
      ...{ exitCode: code, sandboxDenied: false, receiptId: `receipt-${id}` },
    }));
    this.ended.catch(() => {});
  }

  get output(): AsyncIterable<CommandOutput> {
    return this.#output();
  }

  async write(): Promise<boolean> {
    return false;
  }

  async kill(): Promise<void> {
    this.isKilled = true;
    this.#exit.resolve(137);
  }

  end(exitCode: number): void {
    this.#exit.resolve(exitCode);
  }

  fail(error: unknown): void {
    this.#exit.reject(error);
  }

  async *#output(): AsyncIterable<CommandOutput> {
    const { stdout, stderr } = this.#script;
    if (stdout !== undefined) yield { stream: "stdout", chunk: Buffer.from(stdout) };
    if (stderr !== undefined) yield { stream: "stderr", chunk: Buffer.from(stderr) };
    await this.#exit.promise;
  }
}
