/**
 * One command under the policy of the flags, from binding to the receipt.
 *
 * Whatever happens is a status: the command's own, 125 where the sandbox could
 * not be built, 124 where a limit ended it. A receipt is kept in each of these
 * cases, and written to a file where one is wanted; 1 says that it was not.
 */
import os from "node:os";
import type { PlannedStart } from "../exec/index.ts";
import { anchorsFolder, makeHome, prepareAnchorsFolder } from "../exec/index.ts";
import {
  type RunOutcome,
  recordsFolder,
  runPlan,
  SandboxError,
  visibleLine,
} from "../sandbox/index.ts";
import type { CliWorld, FlagValues } from "./command.ts";
import { endOfRun } from "./end-of-run.ts";
import { planFlagged, refuseNoCommand } from "./plan-command.ts";
import { type BoundFlags, bindFlags, ownHome } from "./policy/bind-flags.ts";
import type { ReceiptOfRun } from "./receipt-of-run.ts";
import { watchOutput } from "./watch-output.ts";

/** It ran, and of its receipt nothing is left, or not where it was wanted. */
const NOT_DONE = 1;
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
  refuseNoCommand(argv, "run");
  const flagged = await bindFlags(flags, world);
  makeHome(ownHome(world));
  prepareAnchorsFolder(anchorsFolder(recordsFolder()));
  const run = new PolicyRun(argv, flagged, { flags, world });
  const withOutput = watchOutput(world);
  try {
    return withOutput(await run.status());
  } finally {
    await run.close();
  }
}

interface RunPlace {
  readonly flags: FlagValues;
  readonly world: CliWorld;
}

class PolicyRun {
  readonly #command: readonly string[];
  readonly #flagged: BoundFlags;
  readonly #place: RunPlace;
  #receipt: Promise<ReceiptOfRun> | undefined;
  #planned: PlannedStart | undefined;

  constructor(command: readonly string[], flagged: BoundFlags, place: RunPlace) {
    this.#command = command;
    this.#flagged = flagged;
    this.#place = place;
  }

  async status(): Promise<number> {
    try {
      return await this.#run();
    } catch (error) {
      // What cannot be kept is told by whoever prints errors; keeping that would fail as well.
      if (!(error instanceof SandboxError) || error.code === "malformedReceipt") throw error;
      const receipt = await this.#receiptOpened();
      this.#say(error.message);
      this.#sayLost(receipt.refused(error));
      return NOT_STARTED;
    }
  }

  async #run(): Promise<number> {
    const observer = await this.#observer();
    const plans = () => planFlagged(this.#command, this.#flagged, this.#place);
    const planned = await plans();
    const { plan } = planned;
    this.#planned = planned;
    if (plan.tier === "none" || plan.tier === "external") this.#say(UNCONFINED[plan.tier]);
    const ready = async () => (await this.#receiptOpened()).begin();
    const replan = async () => (await plans()).plan;
    const unread = ({ message }: Error) =>
      this.#say(`Cannot read the input of the command: ${message}`);
    const records = recordsFolder();
    const outcome = await runPlan(plan, { records, ready, replan, unread, ...observer });
    const lost = (await this.#receiptOpened()).ran(outcome);
    const status = await this.#told(outcome);
    this.#sayLost(lost);
    return lost === undefined || outcome.kind === "notStarted" ? status : NOT_DONE;
  }

  #sayLost(receipt: string | undefined): void {
    if (receipt !== undefined) this.#say(receipt);
  }

  async close(): Promise<void> {
    (await this.#receipt?.catch(() => undefined))?.close();
  }

  /** A file for it is opened before anything is started. */
  async #observer() {
    return this.#place.flags.receipt === undefined ? {} : (await this.#receiptOpened()).observer;
  }

  /** It takes a while to load what keeps it, and a sandbox can be built meanwhile. It knows what was planned so far. */
  async #receiptOpened(): Promise<ReceiptOfRun> {
    this.#receipt ??= this.#openReceipt();
    const receipt = await this.#receipt;
    if (this.#planned !== undefined) receipt.know(this.#planned);
    return receipt;
  }

  async #openReceipt(): Promise<ReceiptOfRun> {
    const { flags, world } = this.#place;
    const file = flags.receipt as string | undefined;
    const look = file === undefined ? {} : (await import("./look-at-run.ts")).lookAtRun;
    const { ReceiptOfRun } = await import("./receipt-of-run.ts");
    const flagged = this.#flagged;
    return new ReceiptOfRun({ command: this.#command, flagged, world, file, look });
  }

  async #told(outcome: RunOutcome): Promise<number> {
    if (outcome.kind === "exited") return outcome.code;
    this.#say(endOfRun(outcome, this.#command));
    switch (outcome.kind) {
      case "killed":
        return 128 + os.constants.signals[outcome.signal];
      case "ended":
        return 128 + os.constants.signals.SIGKILL;
      case "limit":
        return LIMIT_REACHED;
      case "notStarted":
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
