import type { ProcessEvent, SignalReach, TerminalSize } from "../../../exec/index.ts";
import { SessionError } from "../../session-error.ts";
import { type Attempt, attemptError, type Told } from "../attempt.ts";
import { OutputHandover } from "../output-handover.ts";
import type { ProvidedProcess } from "../provided-process.ts";
import { type CommandParts, SIGNALLED } from "./local-command.ts";
import { attempting, INTERRUPTED } from "./to-session-error.ts";

const CUT: Told = ["interrupted", "its sandbox ended before it did, expected one that outlasts it"];

/** A process of an executor that lives in a sandbox and is over with it at the latest. */
export class LocalProcess implements ProvidedProcess {
  readonly processId: string;
  readonly sandboxType: ProvidedProcess["sandboxType"];
  readonly receiptId: ProvidedProcess["receiptId"];
  readonly receipt: ProvidedProcess["receipt"];
  readonly events = new OutputHandover<ProcessEvent>();
  readonly ended: Promise<void>;
  readonly #parts: CommandParts;
  #isAbandoned = false;

  constructor(parts: CommandParts) {
    const { processId, sandboxType, receiptId, receipt } = parts.process;
    this.#parts = parts;
    this.processId = processId;
    this.sandboxType = sandboxType;
    this.receiptId = receiptId;
    this.receipt = receipt;
    this.ended = this.#follow();
    // Whoever does not ask for it must not be ended by it.
    receipt.catch(() => {});
  }

  write(bytes: Uint8Array): Promise<boolean> {
    return attempting(this.#attempt("write to"), () => this.#parts.process.write(bytes));
  }

  closeInput(): Promise<void> {
    return attempting(this.#attempt("end the input of"), () => this.#parts.process.closeInput());
  }

  resize(size: TerminalSize): Promise<void> {
    return attempting(this.#attempt("resize"), () => this.#parts.process.resize(size));
  }

  interrupt(reach: SignalReach): Promise<void> {
    return attempting(this.#attempt("interrupt"), () => this.#parts.process.interrupt(reach));
  }

  terminate(): Promise<boolean> {
    return attempting(this.#attempt("end"), () => this.#parts.process.terminate());
  }

  /** Ends it with its sandbox, whoever reads; settles when nothing of it is left. */
  async abandon(): Promise<void> {
    this.#isAbandoned = true;
    this.events.letGo();
    // Where it cannot be reached, it ends with what it was reached through.
    await this.#parts.process.terminate().catch(() => {});
    await this.ended;
  }

  async #follow(): Promise<void> {
    try {
      for await (const event of this.#parts.process.events) {
        if (event.kind === "exited") await this.#refuseCut(event.exit.exitCode);
        await this.events.give(event);
      }
      this.events.end();
    } catch (cause) {
      const lost = attemptError(INTERRUPTED, this.#attempt("follow"), cause);
      this.events.end(cause instanceof SessionError ? cause : lost);
    }
  }

  /** Where its sandbox is over, nobody can say what it would have come to. */
  async #refuseCut(exitCode: number): Promise<void> {
    const isCut =
      this.#isAbandoned || (exitCode > SIGNALLED && !(await this.#parts.isSandboxThere()));
    if (isCut) throw attemptError(CUT, this.#attempt("follow"));
  }

  #attempt(verb: string): Attempt {
    return { verb, thing: this.#parts.name, work: "change" };
  }
}
