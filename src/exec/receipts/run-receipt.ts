/**
 * The receipt of one run: begun when it is asked for, kept before it starts, ended with it.
 *
 * A run whose beginning could not be kept does not start. Refusals are runs too.
 */
import { boundDigest, profileDigest } from "../../policy/index.ts";
import {
  backendVersion,
  type createDenialScan,
  createReceipt,
  createReceiptId,
  type DenialScan,
  enforcementOf,
  type findLeftBehind,
  NO_DENIALS,
  type Receipt,
  type ReceiptParts,
  type RunOutcome,
} from "../../sandbox/index.ts";
import type { PlannedStart } from "../plan-start.ts";
import type { ReceiptStart, ReceiptStore } from "./receipt-store.ts";

/** Where receipts are kept. */
export type ReceiptKeeper = Pick<ReceiptStore, "started" | "ended">;

/** Handed in, because it takes a while to load. */
export interface RunLook {
  readonly denials?: typeof createDenialScan;
  readonly leftBehind?: typeof findLeftBehind;
}

export interface RunQuestion {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly ids: Readonly<Record<string, string>>;
  /** What travelled, as it travels; null where the policy was found on this machine. */
  readonly intent: ReceiptParts["intent"];
  /** How to look at what the command prints, and at what it leaves; nothing where nobody does. */
  readonly look: RunLook;
}

/** Under which policy it runs, and what keeps that policy. */
export type KnownPolicy = Pick<
  ReceiptParts,
  "profileDigest" | "boundDigest" | "enforced" | "waived" | "notes"
>;

const NOTHING_KNOWN: KnownPolicy = {
  profileDigest: null,
  boundDigest: null,
  enforced: null,
  waived: null,
  notes: [],
};

export class RunReceipt {
  readonly id: string;
  readonly #question: RunQuestion;
  readonly #keeper: ReceiptKeeper;
  readonly #startedAt = Date.now();
  #planned: PlannedStart | undefined;
  #told: KnownPolicy | undefined;
  #known = NOTHING_KNOWN;
  #scan: DenialScan | undefined;

  constructor(question: RunQuestion, keeper: ReceiptKeeper) {
    this.#question = question;
    this.#keeper = keeper;
    this.id = createReceiptId(this.#startedAt);
  }

  /** What was planned; from now on also a refusal says under which policy. */
  know(planned: PlannedStart): void {
    this.#planned = planned;
  }

  /** The same where somebody else enforces, and nothing was planned here. */
  hear(known: KnownPolicy): void {
    this.#told = known;
  }

  /** Puts on record what is about to run. Throws when that cannot be kept. */
  begin(): void {
    this.#known = this.#now();
    if (this.#planned?.plan.tier === "namespaces") {
      const { plan, bound, ceiling } = this.#planned;
      this.#scan = this.#question.look.denials?.({ cwd: plan.cwd, profile: bound, ceiling });
    }
    this.#keeper.started(this.#start());
  }

  /** Sees what the command prints. */
  readonly observe = (chunk: Uint8Array, stream: "stdout" | "stderr"): void =>
    this.#scan?.feed(chunk, stream);

  /** Keeps how it ended. */
  end(outcome: RunOutcome): Receipt {
    // It may be over before it was let begin.
    if (this.#known === NOTHING_KNOWN) this.#known = this.#now();
    const told =
      outcome.kind === "notStarted" ? { kind: outcome.kind, reason: outcome.reason } : outcome;
    return this.#keep(told);
  }

  /** Keeps that nobody will know how it ended. */
  lose(reason: string): Receipt {
    return this.#keep({ kind: "unknown", reason }, null);
  }

  /** Keeps why nothing was started. */
  refuse(code: string, message: string): Receipt {
    this.#known = { ...this.#now(), enforced: null };
    this.#planned = undefined;
    return this.#keep({ kind: "refused", code, message });
  }

  #now(): KnownPolicy {
    return this.#told ?? knownOf(this.#planned);
  }

  /** `endedAt` is null where nobody saw the end. */
  #keep(outcome: ReceiptParts["outcome"], endedAt: number | null = Date.now()): Receipt {
    const receipt = createReceipt({
      ...this.#start(),
      outcome,
      denials: this.#scan?.finish() ?? NO_DENIALS,
      leftBehind: this.#leftBehind(),
      endedAt: endedAt === null ? null : new Date(endedAt).toISOString(),
      durationMs: endedAt === null ? null : Math.max(0, endedAt - this.#startedAt),
    });
    this.#keeper.ended(receipt);
    return receipt;
  }

  #start(): ReceiptStart {
    const { command, cwd, ids, intent } = this.#question;
    return {
      id: this.id,
      ids: Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, boundedText(id)])),
      command: boundedWords(command),
      cwd: boundedText(cwd),
      intent,
      ...this.#known,
      notes: [...this.#known.notes, ...shortened(command)],
      startedAt: new Date(this.#startedAt).toISOString(),
    };
  }

  #leftBehind(): ReceiptParts["leftBehind"] {
    const planned = this.#planned;
    const { leftBehind } = this.#question.look;
    if (leftBehind === undefined || planned === undefined) return NOT_LOOKED_FOR;
    return leftBehind(planned.bound, {
      since: this.#startedAt,
      searchPath: planned.searchPath,
      isHidden: hiddenBy(planned.plan),
    });
  }
}

function knownOf(planned: PlannedStart | undefined): KnownPolicy {
  if (planned === undefined) return NOTHING_KNOWN;
  const { plan, bound, profile, waiver, notes } = planned;
  return {
    profileDigest: profileDigest(profile),
    boundDigest: boundDigest(bound),
    ...enforcementOf(plan, bound, { backend: backendVersion(plan), waiver }),
    notes: [...notes],
  };
}

/** Where names are judged as they are used, also those of later are; elsewhere what the plan found is. */
function hiddenBy({ tier, found }: PlannedStart["plan"]): (path: string) => boolean {
  if (tier === "seatbelt") return () => true;
  const hidden = new Set<string>(found?.matches.map(({ path }) => path));
  return (path) => hidden.has(path);
}

const NOT_LOOKED_FOR = { kind: "notLookedFor" } as const;

/** Whoever asks chooses how long these are, and a store has only so much room for everybody. */
const MOST_WORDS = 256;
const MOST_CHARACTERS = 4096;

function boundedWords(words: readonly string[]): string[] {
  return words.slice(0, MOST_WORDS).map(boundedText);
}

function boundedText(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}…`;
}

function shortened(words: readonly string[]): string[] {
  const isWhole = words.length <= MOST_WORDS && words.every((word) => word === boundedText(word));
  return isWhole ? [] : [`the command is shortened here: it has ${words.length} words`];
}
