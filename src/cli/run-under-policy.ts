/**
 * One command under the policy of the flags, from binding to the receipt.
 *
 * Whatever happens is a status: the command's own, 125 where the sandbox could
 * not be built, 124 where a limit ended it. A receipt, where one is wanted, is
 * written in each of these cases.
 */
import os from "node:os";
import { type RunOutcome, recordsFolder, runPlan, SandboxError } from "../sandbox/index.ts";
import { type CliWorld, type FlagValues, UsageError } from "./command.ts";
import { makeFolder } from "./make-folder.ts";
import { planBound } from "./plan-command.ts";
import { type BoundFlags, bindFlags, ownHome } from "./policy/bind-flags.ts";
import type { ReceiptOfRun, ReceiptQuestion } from "./receipt-of-run.ts";
import { visibleLine } from "./visible.ts";

/** The sandbox itself failed: the number that env(1) and its like use for "could not start". */
const NOT_STARTED = 125;
/** The number that shells use where there is no such program, or none that can be executed. */
const NO_PROGRAM = 127;
/** The number that timeout(1) uses. */
const LIMIT_REACHED = 124;

const UNCONFINED = {
  none: "the policy waives the sandbox: the command is not confined",
  external: "the command is confined by what --external-sandbox vouches for, not by writ",
} as const;

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
  const command = [program, ...args] as const;
  const receipt = await openReceipt(flags, { command, flagged, world });
  try {
    return await new PolicyRun(command, flagged, { flags, world, receipt }).status();
  } finally {
    receipt?.close();
  }
}

/** Opened before the command runs, which may be able to write where it lies. */
async function openReceipt(
  { receipt: file }: FlagValues,
  question: Omit<ReceiptQuestion, "file">,
): Promise<ReceiptOfRun | undefined> {
  if (file === undefined) return undefined;
  const { ReceiptOfRun } = await import("./receipt-of-run.ts");
  return new ReceiptOfRun({ ...question, file: String(file) });
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

interface RunPlace {
  readonly flags: FlagValues;
  readonly world: CliWorld;
  readonly receipt: ReceiptOfRun | undefined;
}

class PolicyRun {
  readonly #command: readonly [string, ...string[]];
  readonly #flagged: BoundFlags;
  readonly #place: RunPlace;

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
      this.#place.receipt?.refused(error);
      return NOT_STARTED;
    }
  }

  async #run(): Promise<number> {
    const { receipt } = this.#place;
    const plan = await planBound(this.#command, this.#flagged, this.#place);
    if (plan.tier === "none" || plan.tier === "external") this.#say(UNCONFINED[plan.tier]);
    const seen = receipt && { observe: receipt.observe };
    const outcome = await runPlan(plan, { records: recordsFolder(), ...seen });
    receipt?.ran(plan, outcome);
    return this.#told(outcome);
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
    const { lackOf, probeHost } = await import("../sandbox/index.ts");
    const { primitives } = await probeHost();
    const lack = primitives.find(({ level, present }) => level === "needed" && !present);
    if (lack !== undefined) this.#say(lackOf(lack));
  }

  #say(message: string): void {
    this.#place.world.err(`writ: ${visibleLine(message)}\n`);
  }
}
