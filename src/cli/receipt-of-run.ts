/**
 * The receipt of one run: kept with all others, and written to a file where one is wanted.
 *
 * The file is opened before the command runs: what the command does to the
 * place where it lies must not turn it elsewhere.
 */
import path from "node:path";
import {
  openReceiptStore,
  type PlannedStart,
  type ReceiptStore,
  ReceiptStoreError,
  type RunLook,
  RunReceipt,
} from "../exec/index.ts";
import { parseAbsolutePath } from "../policy/index.ts";
import {
  openReceiptFile,
  type Receipt,
  type ReceiptFile,
  type RunOutcome,
  SandboxError,
  type StartOptions,
} from "../sandbox/index.ts";
import type { CliWorld } from "./command.ts";
import { type BoundFlags, ownHome } from "./policy/bind-flags.ts";

export interface ReceiptQuestion {
  readonly command: readonly string[];
  readonly flagged: BoundFlags;
  readonly world: CliWorld;
  /** Where it is wanted besides. */
  readonly file: string | undefined;
  /** Nothing is looked at where no file is wanted: the command gets its streams as they are then. */
  readonly look: RunLook;
}

/** One receipt on its way. */
export class ReceiptOfRun {
  readonly #question: ReceiptQuestion;
  readonly #file: ReceiptFile | undefined;
  readonly #store: ReceiptStore;
  readonly #receipt: RunReceipt;

  constructor(question: ReceiptQuestion) {
    const { file, flagged, world, command } = question;
    this.#question = question;
    this.#file =
      file === undefined
        ? undefined
        : openReceiptFile(parseAbsolutePath(path.resolve(world.cwd, file)), flagged.bound);
    this.#store = keeping(() => openReceiptStore(parseAbsolutePath(ownHome(world))));
    const asked = { command, cwd: flagged.folder, ids: {}, intent: null, look: question.look };
    this.#receipt = new RunReceipt(asked, this.#store);
  }

  /** For the sandbox: who sees what the command prints. */
  get observer(): Pick<StartOptions, "observe"> {
    return this.#file === undefined ? {} : { observe: this.#receipt.observe };
  }

  /** What was planned; from now on also a refusal says under which policy. */
  know(planned: PlannedStart): void {
    this.#receipt.know(planned);
  }

  begin(): void {
    keeping(() => this.#receipt.begin());
  }

  /** Keeps how it ended. Answers with what came in the way: by then it is no reason to say that nothing ran. */
  ran(outcome: RunOutcome): string | undefined {
    try {
      return this.#write(this.#receipt.end(outcome));
    } catch (error) {
      if (error instanceof ReceiptStoreError) return error.message;
      throw error;
    }
  }

  /** Keeps why nothing ran; answers with what came in the way of the file. */
  refused({ code, message }: SandboxError): string | undefined {
    return this.#write(keeping(() => this.#receipt.refuse(code, message)));
  }

  close(): void {
    this.#file?.close();
    this.#store.close();
  }

  #write(receipt: Receipt): string | undefined {
    try {
      this.#file?.write(`${JSON.stringify(receipt, null, 2)}\n`);
      return undefined;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      return `Cannot write the receipt "${this.#question.file}": ${why}`;
    }
  }
}

/** Nothing runs of which nothing can be kept. */
function keeping<T>(act: () => T): T {
  try {
    return act();
  } catch (cause) {
    if (!(cause instanceof ReceiptStoreError)) throw cause;
    throw new SandboxError("malformedReceipt", cause.message, { cause });
  }
}
