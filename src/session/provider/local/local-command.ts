import type { ProcessExit, RunningProcess } from "../../../exec/index.ts";
import { type Attempt, attemptError } from "../attempt.ts";
import { OutputHandover } from "../output-handover.ts";
import type { CommandEnd, CommandOutput, ProvidedCommand } from "../provided-command.ts";
import { attempting, INTERRUPTED } from "./to-session-error.ts";

export interface CommandParts {
  readonly process: RunningProcess;
  /** For sentences: the program. */
  readonly name: string;
  /** False once its sandbox is over: then nobody can say what the command would have come to. */
  readonly isSandboxThere: () => Promise<boolean>;
}

/** From here on an exit status tells of a signal, which may have been the end of the sandbox. */
export const SIGNALLED = 128;

/** A process of an executor as a command of a sandbox, followed from its first event to its receipt. */
export class LocalCommand implements ProvidedCommand {
  readonly id: string;
  readonly receiptId: string | null;
  readonly output = new OutputHandover<CommandOutput>();
  readonly ended: Promise<CommandEnd>;
  readonly #parts: CommandParts;
  #isAbandoned = false;

  constructor(parts: CommandParts) {
    this.#parts = parts;
    this.id = parts.process.processId;
    this.receiptId = parts.process.receiptId;
    this.ended = this.#follow();
    // Whoever does not ask for it must not be ended by it.
    this.ended.catch(() => {});
  }

  write(bytes: Uint8Array): Promise<boolean> {
    return attempting(this.#attempt("write to"), () => this.#parts.process.write(bytes));
  }

  async kill(): Promise<void> {
    await attempting(this.#attempt("end"), () => this.#parts.process.terminate());
  }

  /** Ends it with its sandbox, whoever reads; settles when nothing of it is left. */
  async abandon(): Promise<void> {
    this.#isAbandoned = true;
    this.output.letGo();
    // Where it cannot be reached, it ends with what it was reached through.
    await this.#parts.process.terminate().catch(() => {});
    await this.ended.catch(() => {});
  }

  async #follow(): Promise<CommandEnd> {
    try {
      const end = await this.#toTheEnd();
      this.output.end();
      return end;
    } catch (cause) {
      const lost = attemptError(INTERRUPTED, this.#attempt("follow"), cause);
      this.output.end(lost);
      throw lost;
    }
  }

  async #toTheEnd(): Promise<CommandEnd> {
    const { process } = this.#parts;
    let exit: ProcessExit | undefined;
    for await (const event of process.events) {
      if (event.kind === "exited") exit = event.exit;
      if (event.kind !== "output") continue;
      const stream = event.stream === "stderr" ? "stderr" : "stdout";
      await this.output.give({ stream, chunk: event.chunk });
    }
    if (exit === undefined) throw new Error("its events ended before it did");
    if (await this.#wasCut(exit)) throw new Error("its sandbox ended before it did");
    const receipt = await process.receipt.catch(() => undefined);
    return { ...exit, receiptId: receipt?.id ?? this.receiptId };
  }

  async #wasCut({ exitCode }: ProcessExit): Promise<boolean> {
    if (this.#isAbandoned) return true;
    return exitCode > SIGNALLED && !(await this.#parts.isSandboxThere());
  }

  #attempt(verb: string): Attempt {
    return { verb, thing: this.#parts.name, work: "change" };
  }
}
