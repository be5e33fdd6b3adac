/**
 * The receipt of one run: opened before it, filled while it runs, written after it.
 *
 * Loaded only where a receipt is wanted. What the command does to the place where
 * it goes must not turn it elsewhere, so the place is opened first.
 */
import path from "node:path";
import { boundDigest, parseAbsolutePath, profileDigest } from "../policy/index.ts";
import {
  backendVersion,
  createDenialScan,
  createReceipt,
  enforcementOf,
  findLeftBehind,
  type LaunchPlan,
  NO_DENIALS,
  openReceiptFile,
  type ReceiptFile,
  type ReceiptParts,
  type RunOutcome,
  type SandboxError,
} from "../sandbox/index.ts";
import { type CliWorld, UsageError } from "./command.ts";
import type { BoundFlags } from "./policy/bind-flags.ts";

export interface ReceiptQuestion {
  readonly file: string;
  readonly command: readonly [string, ...string[]];
  readonly flagged: BoundFlags;
  readonly world: CliWorld;
}

type Findings = Pick<ReceiptParts, "enforced" | "waived" | "outcome" | "denials" | "leftBehind">;

/** One receipt on its way. */
export class ReceiptOfRun {
  readonly #question: ReceiptQuestion;
  readonly #file: ReceiptFile;
  readonly #scan: ReturnType<typeof createDenialScan>;
  readonly #startedAt = new Date();

  constructor(question: ReceiptQuestion) {
    const { file, flagged, world } = question;
    const { bound, folder } = flagged;
    this.#question = question;
    this.#file = openReceiptFile(parseAbsolutePath(path.resolve(world.cwd, file)), bound);
    this.#scan = createDenialScan({ cwd: folder, profile: bound, ceiling: undefined });
  }

  readonly observe = (chunk: Uint8Array, stream: "stdout" | "stderr"): void =>
    this.#scan.feed(chunk, stream);

  ran(plan: LaunchPlan, outcome: RunOutcome): void {
    const { flagged, world } = this.#question;
    this.#write({
      ...enforcementOf(plan, flagged.bound, backendVersion(plan)),
      outcome: forReceipt(outcome),
      denials: this.#scan.finish(),
      leftBehind: findLeftBehind(flagged.bound, {
        since: this.#startedAt.getTime(),
        searchPath: world.env.PATH,
      }),
    });
  }

  refused({ code, message }: SandboxError): void {
    this.#write({
      enforced: null,
      waived: null,
      outcome: { kind: "refused", code, message, unkept: [] },
      denials: NO_DENIALS,
      leftBehind: { kind: "notLookedFor" },
    });
  }

  close(): void {
    this.#file.close();
  }

  #write(findings: Findings): void {
    const { command, flagged, file } = this.#question;
    const endedAt = new Date();
    const receipt = createReceipt({
      ids: {},
      command: [...command],
      cwd: flagged.folder,
      profileDigest: profileDigest(flagged.profile),
      boundDigest: boundDigest(flagged.bound),
      ...findings,
      startedAt: this.#startedAt.toISOString(),
      endedAt: endedAt.toISOString(),
      durationMs: endedAt.getTime() - this.#startedAt.getTime(),
    });
    try {
      this.#file.write(`${JSON.stringify(receipt, null, 2)}\n`);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new UsageError(`Cannot write the receipt "${file}": ${why}`, { cause });
    }
  }
}

function forReceipt(outcome: RunOutcome): ReceiptParts["outcome"] {
  return outcome.kind === "notStarted" ? { kind: outcome.kind, reason: outcome.reason } : outcome;
}
