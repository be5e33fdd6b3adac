/**
 * What was enforced on one run, as a value that is kept and shown.
 *
 * Every member is always there: "not waived" and "nothing was built" are null,
 * never a member left out. The arguments are in it as given; no environment is,
 * because values of variables are where secrets live. For readers: whoever makes
 * one is held to the same by `createReceipt`, without loading this.
 */
import { z } from "zod";
import { Limits, UnixSockets } from "../../policy/index.ts";
import { RECEIPT_INVARIANTS } from "./check/receipt-invariants.ts";
import { Denials } from "./denial.ts";
import { RECEIPT_ID } from "./receipt-id.ts";

const Digest = z.string().regex(/^[0-9a-f]{64}$/);
const Reach = z.enum(["none", "private", "host"]);
const amount = z.int().positive();
const LimitName = z.enum(Object.keys(Limits.shape) as [keyof Limits, ...(keyof Limits)[]]);

/** How a run ended. */
export const ReceiptOutcome = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("exited"), code: z.int() }),
    z.strictObject({ kind: z.literal("killed"), signal: z.string() }),
    z
      .strictObject({ kind: z.literal("ended"), reason: z.string() })
      .describe("Ended by a caller, or because what protected the host was taken away."),
    z
      .strictObject({ kind: z.literal("limit"), limit: LimitName, value: amount })
      .describe("Ended because it used up what it was allowed to."),
    z
      .strictObject({ kind: z.literal("notStarted"), reason: z.string() })
      .describe("The sandbox was planned but could not be built."),
    z
      .strictObject({
        kind: z.literal("refused"),
        code: z.string().min(1),
        message: z.string().describe("Names the rule, member or path that is at fault."),
      })
      .describe("Nothing was started, because something asked for could not be kept."),
    z.strictObject({ kind: z.literal("running") }).describe("Not over when the receipt was read."),
    z
      .strictObject({ kind: z.literal("unknown"), reason: z.string().min(1) })
      .describe("Whoever ran it was gone before it could say."),
  ])
  .meta({ id: "ReceiptOutcome", description: "How a run ended." });
export type ReceiptOutcome = z.infer<typeof ReceiptOutcome>;

const Enforced = z.strictObject({
  tier: z
    .enum(["namespaces", "seatbelt", "external", "judged", "none"])
    .describe('"judged": no process ran; writ opened a file itself, under the policy.'),
  backend: z.string().min(1).describe('What confines, with its version: "bubblewrap 0.8.0".'),
  network: Reach.describe("Whose network it was: none, its own loopback, or that of the host."),
  unixSockets: UnixSockets,
  limits: z.array(
    z.strictObject({
      limit: LimitName,
      value: amount,
      by: z.string().min(1).describe("What applies it."),
    }),
  ),
  launchFiles: z
    .array(z.string())
    .describe("Files that the launch itself had to show, read-only, beyond the policy."),
});

const LeftBehind = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("notLookedFor") }),
  z.strictObject({
    kind: z.literal("lookedFor"),
    files: z.array(z.strictObject({ path: z.string(), why: z.string() })),
    complete: z.boolean().describe("False where the look was ended by a bound: there may be more."),
  }),
]);

const shape = z.strictObject({
  version: z.literal(1),
  id: z.string().regex(RECEIPT_ID).describe("Unique; sorts by the time the run began."),
  ids: z.record(z.string(), z.string()).describe("Names of the caller: thread, turn, process."),
  command: z.array(z.string()).min(1).describe("The arguments as given."),
  cwd: z.string(),
  intent: z
    .record(z.string(), z.json())
    .nullable()
    .describe("What was asked for, as it travelled; null if nothing travelled."),
  profileDigest: Digest.nullable().describe("The policy, symbolic; null if none could be read."),
  boundDigest: Digest.nullable().describe("The policy on this host; null if it was not bound."),
  enforced: Enforced.nullable().describe("Null exactly where the run was refused."),
  waived: z
    .strictObject({ by: z.string().min(1), reason: z.string().min(1) })
    .nullable()
    .describe("Who waived the sandbox and why; null if nobody did."),
  notes: z
    .array(z.string().min(1))
    .describe("What was kept in another way than it was asked for, a sentence each."),
  outcome: ReceiptOutcome,
  denials: Denials,
  leftBehind: LeftBehind.describe("Files made or changed that other programs run or trust later."),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable().describe("Null where nobody saw the end."),
  durationMs: z.number().nonnegative().nullable().describe("Null where nobody saw the end."),
});

/** What was enforced on one run. */
export const Receipt = shape
  .superRefine((receipt, context) => {
    for (const { at, expected, holds } of RECEIPT_INVARIANTS) {
      if (!holds(receipt)) context.addIssue({ code: "custom", path: [at], message: expected });
    }
  })
  .meta({ id: "Receipt", description: "What was enforced on one run." });
export type Receipt = z.infer<typeof shape>;
