/** The members of a receipt that must agree with each other, as far as they must. */
interface Agreeing {
  readonly profileDigest: string | null;
  readonly boundDigest: string | null;
  readonly enforced: { readonly tier: string } | null;
  readonly waived: object | null;
  readonly outcome: { readonly kind: string };
  readonly denials: {
    readonly looked: boolean;
    readonly listed: object[];
    readonly unlisted: number;
  };
  readonly endedAt: string | null;
  readonly durationMs: number | null;
}

interface Invariant {
  readonly at: keyof Agreeing;
  readonly expected: string;
  readonly holds: (receipt: Agreeing) => boolean;
}

const NO_END = ["running", "unknown"];

/** What the members of a receipt must agree on; the schema and the writer both ask this list. */
export const RECEIPT_INVARIANTS: readonly Invariant[] = [
  {
    at: "enforced",
    expected: "null exactly where the run was refused",
    holds: ({ enforced, outcome }) => (enforced === null) === (outcome.kind === "refused"),
  },
  {
    at: "waived",
    expected: "a waiver exactly where a run has no sandbox",
    holds: ({ enforced, waived }) =>
      enforced === null || (enforced.tier === "none") === (waived !== null),
  },
  {
    at: "profileDigest",
    expected: "a policy for whatever ran",
    holds: ({ enforced, profileDigest }) => enforced === null || profileDigest !== null,
  },
  {
    at: "boundDigest",
    expected: "a policy of this host for whatever ran",
    holds: ({ enforced, boundDigest }) => enforced === null || boundDigest !== null,
  },
  {
    at: "endedAt",
    expected: "null exactly where nobody saw the end",
    holds: ({ outcome, endedAt }) => (endedAt === null) === NO_END.includes(outcome.kind),
  },
  {
    at: "durationMs",
    expected: "null exactly where nobody saw the end",
    holds: ({ durationMs, endedAt }) => (durationMs === null) === (endedAt === null),
  },
  {
    at: "denials",
    expected: "none where nobody looked",
    holds: ({ denials: { looked, listed, unlisted } }) =>
      looked || (listed.length === 0 && unlisted === 0),
  },
];
