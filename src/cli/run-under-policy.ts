/**
 * One command under the policy of the flags, from binding to the receipt.
 *
 * Whatever happens is a status: the command's own, 125 where the sandbox could
 * not be built, 124 where a limit ended it. A receipt, where one is wanted, is
 * written in each of these cases.
 */
import os from "node:os";
import path from "node:path";
import { boundDigest, parseAbsolutePath, profileDigest } from "../policy/index.ts";
import {
  backendVersion,
  createDenialScan,
  createReceipt,
  enforcementOf,
  findLeftBehind,
  lackOf,
  NO_DENIALS,
  openReceiptFile,
  probeHost,
  type ReceiptFile,
  type ReceiptParts,
  type RunOutcome,
  recordsFolder,
  runPlan,
  SandboxError,
} from "../sandbox/index.ts";
import { type BoundFlags, bindFlags, ownHome } from "./bind-flags.ts";
import { type CliWorld, type FlagValues, UsageError } from "./command.ts";
import { makeFolder } from "./make-folder.ts";
import { planBound } from "./plan-command.ts";
import { visibleLine } from "./visible.ts";

/** The sandbox itself failed: the number that env(1) and its like use for "could not start". */
const NOT_STARTED = 125;
/** The number that shells use where there is no such program, or none that can be executed. */
const NO_PROGRAM = 127;
/** The number that timeout(1) uses. */
const LIMIT_REACHED = 124;

/** Runs the command and says how that went; the answer is the exit status. */
export async function runUnderPolicy(
  flags: FlagValues,
  argv: readonly string[],
  world: CliWorld,
): Promise<number> {
  const [program, ...args] = argv;
  if (program === undefined) {
    throw new UsageError("Cannot run: no command was given, expected one after --");
  }
  const flagged = await bindFlags(flags, world);
  makeHome(ownHome(world));
  const receipt = receiptFile(flags, flagged, world);
  try {
    return await new PolicyRun([program, ...args], flagged, { flags, world, receipt }).status();
  } finally {
    receipt?.close();
  }
}

/** It has to be there to be hidden from the command. */
function makeHome(home: string): void {
  try {
    makeFolder(home);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SandboxError(
      "unprotectablePath",
      `Cannot make "${home}" for writ's own settings: ${why}, expected a folder. Set WRIT_HOME to one that you can write`,
      { cause },
    );
  }
}

/** Opened before the command runs, which may be able to write where it lies. */
function receiptFile(
  { receipt }: FlagValues,
  { bound }: BoundFlags,
  { cwd }: CliWorld,
): ReceiptFile | undefined {
  if (receipt === undefined) return undefined;
  return openReceiptFile(parseAbsolutePath(path.resolve(cwd, String(receipt))), bound);
}

interface RunPlace {
  readonly flags: FlagValues;
  readonly world: CliWorld;
  readonly receipt: ReceiptFile | undefined;
}

class PolicyRun {
  readonly #command: readonly [string, ...string[]];
  readonly #flagged: BoundFlags;
  readonly #place: RunPlace;
  readonly #startedAt = new Date();

  constructor(command: readonly [string, ...string[]], flagged: BoundFlags, place: RunPlace) {
    this.#command = command;
    this.#flagged = flagged;
    this.#place = place;
  }

  async status(): Promise<number> {
    try {
      return await this.#run();
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      this.#say(error.message);
      const { code, message } = error;
      this.#receipt({
        enforced: null,
        waived: null,
        outcome: { kind: "refused", code, message, unkept: [] },
        denials: NO_DENIALS,
        leftBehind: { kind: "notLookedFor" },
      });
      return NOT_STARTED;
    }
  }

  async #run(): Promise<number> {
    const { bound, folder } = this.#flagged;
    const plan = await planBound(this.#command, this.#flagged, this.#place);
    if (plan.tier === "none")
      this.#say("the policy waives the sandbox: the command is not confined");
    const records = recordsFolder();
    if (this.#place.receipt === undefined) return this.#told(await runPlan(plan, { records }));
    const scan = createDenialScan({ cwd: folder, profile: bound, ceiling: undefined });
    const outcome = await runPlan(plan, { records, observe: scan.feed });
    this.#receipt({
      ...enforcementOf(plan, bound, backendVersion(plan)),
      outcome: forReceipt(outcome),
      denials: scan.finish(),
      leftBehind: findLeftBehind(bound, {
        since: this.#startedAt.getTime(),
        searchPath: this.#place.world.env.PATH,
      }),
    });
    return this.#told(outcome);
  }

  #receipt(
    parts: Pick<ReceiptParts, "enforced" | "waived" | "outcome" | "denials" | "leftBehind">,
  ): void {
    const { flags, receipt: file } = this.#place;
    if (file === undefined) return;
    const { profile, bound, folder } = this.#flagged;
    const endedAt = new Date();
    const receipt = createReceipt({
      ids: {},
      command: [...this.#command],
      cwd: folder,
      profileDigest: profileDigest(profile),
      boundDigest: boundDigest(bound),
      ...parts,
      startedAt: this.#startedAt.toISOString(),
      endedAt: endedAt.toISOString(),
      durationMs: endedAt.getTime() - this.#startedAt.getTime(),
    });
    try {
      file.write(`${JSON.stringify(receipt, null, 2)}\n`);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new UsageError(`Cannot write the receipt "${flags.receipt}": ${why}`, { cause });
    }
  }

  async #told(outcome: RunOutcome): Promise<number> {
    switch (outcome.kind) {
      case "exited":
        return outcome.code;
      case "killed":
        this.#say(`the command was ended by ${outcome.signal}`);
        return 128 + os.constants.signals[outcome.signal];
      case "ended":
        this.#say(`ended the command: ${outcome.reason}`);
        return 128 + os.constants.signals.SIGKILL;
      case "limit":
        this.#say(
          `ended the command: it went beyond the limit "${outcome.limit}" of ${outcome.value}`,
        );
        return LIMIT_REACHED;
      case "notStarted":
        this.#say(`Cannot start ${JSON.stringify(this.#command[0])}: ${outcome.reason}`);
        if (outcome.what === "command") return NO_PROGRAM;
        await this.#sayLack();
        return NOT_STARTED;
    }
  }

  /** Only now is it worth the time to ask the host what it lacks. */
  async #sayLack(): Promise<void> {
    const { primitives } = await probeHost();
    const lack = primitives.find(({ level, present }) => level === "needed" && !present);
    if (lack !== undefined) this.#say(lackOf(lack));
  }

  #say(message: string): void {
    this.#place.world.err(`writ: ${visibleLine(message)}\n`);
  }
}

function forReceipt(outcome: RunOutcome): ReceiptParts["outcome"] {
  return outcome.kind === "notStarted" ? { kind: outcome.kind, reason: outcome.reason } : outcome;
}
