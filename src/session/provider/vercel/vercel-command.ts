import type { RunReceipt } from "../../../exec/index.ts";
import { type Attempt, attemptError } from "../attempt.ts";
import type { CommandEnd, ProvidedCommand } from "../provided-command.ts";
import { attemptingVm, INTERRUPTED } from "./to-vm-error.ts";
import type { VmRun } from "./vm-run.ts";

export interface VercelCommandParts {
  readonly run: VmRun;
  /** For sentences: the program. */
  readonly name: string;
  readonly receipt: RunReceipt;
  /** Ends the command and all it started. */
  readonly end: () => Promise<void>;
  /** False once its VM is over: then nobody can say what the command would have come to. */
  readonly isVmThere: () => Promise<boolean>;
}

/** From here on an exit status tells of a signal, which may have been the end of the VM. */
const SIGNALLED = 128;

/** A command in a VM, followed to its end and its receipt. */
export class VercelCommand implements ProvidedCommand {
  readonly id: string;
  readonly receiptId: string;
  readonly output: VmRun["output"];
  readonly ended: Promise<CommandEnd>;
  readonly #parts: VercelCommandParts;
  #isAbandoned = false;

  constructor(parts: VercelCommandParts) {
    this.#parts = parts;
    this.id = parts.run.id;
    this.receiptId = parts.receipt.id;
    this.output = parts.run.output;
    this.ended = this.#follow();
    // Whoever does not ask for it must not be ended by it.
    this.ended.catch(() => {});
  }

  /** No command in a VM has an input. */
  async write(): Promise<boolean> {
    return false;
  }

  kill(): Promise<void> {
    return attemptingVm(this.#attempt("end"), () => this.#parts.end());
  }

  /** It is over with its VM, whoever reads. */
  abandon(): void {
    this.#isAbandoned = true;
    this.output.letGo();
  }

  /** Waits for nothing more of it. */
  async cut(): Promise<void> {
    this.#parts.run.cut();
    await this.ended.catch(() => {});
  }

  async #follow(): Promise<CommandEnd> {
    try {
      const exitCode = await this.#parts.run.exit;
      if (await this.#wasCut(exitCode)) throw new Error("its VM ended before it did");
      const receiptId = this.#keep((receipt) => receipt.end({ kind: "exited", code: exitCode }));
      this.output.end();
      return { exitCode, sandboxDenied: false, receiptId };
    } catch (cause) {
      const lost = attemptError(INTERRUPTED, this.#attempt("follow"), cause);
      this.#keep((receipt) => receipt.lose(lost.message));
      this.output.end(lost);
      throw lost;
    }
  }

  async #wasCut(exitCode: number): Promise<boolean> {
    if (this.#isAbandoned) return true;
    return exitCode > SIGNALLED && !(await this.#parts.isVmThere());
  }

  /** One that cannot be kept stays on record as begun. */
  #keep(end: (receipt: RunReceipt) => unknown): string | null {
    try {
      end(this.#parts.receipt);
      return this.#parts.receipt.id;
    } catch {
      return null;
    }
  }

  #attempt(verb: string): Attempt {
    return { verb, thing: this.#parts.name, work: "change" };
  }
}
