/** The writer's own check against the schema that readers use: neither accepts what the other refuses. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkReceipt } from "../../../src/sandbox/receipt/create-receipt.ts";
import { Receipt } from "../../../src/sandbox/receipt/receipt.ts";
import { createReceiptId } from "../../../src/sandbox/receipt/receipt-id.ts";
import { campaign, rounds } from "../../support/campaign.ts";

const text = fc.string({ maxLength: 8 });
const words = fc.string({ minLength: 1, maxLength: 8 });
const digest = fc.stringMatching(/^[0-9a-f]{64}$/);
const time = fc
  .date({ min: new Date(0), max: new Date("9999-01-01"), noInvalidDate: true })
  .map((date) => date.toISOString());
const reach = fc.constantFrom("none", "private", "host");
const limit = fc.constantFrom("wallTimeMs", "memoryBytes", "outputBytes");
const amount = fc.integer({ min: 1 });

const change = fc.oneof(
  fc.record({
    kind: fc.constant("add"),
    table: fc.constantFrom("filesystem", "network"),
    lines: fc.array(text, { minLength: 1, maxLength: 2 }),
    note: fc.option(text),
  }),
  fc.record({
    kind: fc.constant("replace"),
    table: fc.constant("filesystem"),
    lines: fc.array(text, { minLength: 1, maxLength: 2 }),
    replaces: text,
    note: fc.option(text),
  }),
  fc.record({ kind: fc.constant("none"), why: text }),
);
const told = {
  evidence: fc.constant("inferred"),
  stream: fc.constantFrom("stdout", "stderr"),
  line: text,
  rule: text,
  reason: text,
  change,
};
const denial = fc.oneof(
  fc.record({
    kind: fc.constant("file"),
    path: text,
    wanted: fc.constantFrom("read", "write"),
    ...told,
  }),
  fc.record({ kind: fc.constant("network"), host: fc.option(text), ...told }),
  fc.record({ kind: fc.constant("unixSocket"), path: fc.option(text), ...told }),
);
const OUTCOMES = {
  exited: fc.record({ kind: fc.constant("exited"), code: fc.integer() }),
  killed: fc.record({ kind: fc.constant("killed"), signal: text }),
  ended: fc.record({ kind: fc.constant("ended"), reason: text }),
  limit: fc.record({ kind: fc.constant("limit"), limit, value: amount }),
  notStarted: fc.record({ kind: fc.constant("notStarted"), reason: text }),
  refused: fc.record({ kind: fc.constant("refused"), code: words, message: text }),
  running: fc.record({ kind: fc.constant("running") }),
  unknown: fc.record({ kind: fc.constant("unknown"), reason: words }),
};
type Kind = keyof typeof OUTCOMES;
const KINDS = Object.keys(OUTCOMES) as Kind[];
const enforced = fc.record({
  tier: fc.constantFrom("namespaces", "seatbelt", "external", "none"),
  backend: words,
  network: reach,
  unixSockets: reach,
  limits: fc.array(fc.record({ limit, value: amount, by: words }), { maxLength: 2 }),
  launchFiles: fc.array(text, { maxLength: 2 }),
});

/** Readers lose a member of this name, so a writer refuses it. */
const FORBIDDEN = "__proto__";
const json = fc
  .jsonValue({ maxDepth: 2 })
  .filter((value) => ![...insides(value)].some((inside) => Object.hasOwn(inside, FORBIDDEN)));

/** Members that are each in order; whether they agree with each other is left to chance. */
const loose = fc.record({
  version: fc.constant(1),
  id: fc.constant(createReceiptId(0)),
  ids: fc.dictionary(words, text, { maxKeys: 2 }),
  command: fc.array(text, { minLength: 1, maxLength: 3 }),
  cwd: text,
  intent: fc.option(fc.dictionary(words, json, { maxKeys: 2 })),
  profileDigest: fc.option(digest, { freq: 9 }),
  boundDigest: fc.option(digest, { freq: 9 }),
  enforced: fc.option(enforced),
  waived: fc.option(fc.record({ by: words, reason: words })),
  notes: fc.array(words, { maxLength: 2 }),
  outcome: fc.oneof(...Object.values<fc.Arbitrary<{ kind: string }>>(OUTCOMES)),
  denials: fc.record({
    looked: fc.boolean(),
    listed: fc.array(denial, { maxLength: 2 }),
    unlisted: fc.nat(),
  }),
  leftBehind: fc.oneof(
    fc.record({ kind: fc.constant("notLookedFor") }),
    fc.record({
      kind: fc.constant("lookedFor"),
      files: fc.array(fc.record({ path: text, why: text }), { maxLength: 2 }),
      complete: fc.boolean(),
    }),
  ),
  startedAt: time,
  endedAt: fc.option(time),
  durationMs: fc.option(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true })),
});

type Loose = typeof loose extends fc.Arbitrary<infer T> ? T : never;

/** The same, made to agree. */
const sound = loose.map(agreeing);
const soundOf = (kind: Kind) =>
  fc.tuple(loose, OUTCOMES[kind]).map(([one, outcome]) => agreeing({ ...one, outcome }));

function agreeing(one: Loose) {
  const refused = one.outcome.kind === "refused";
  const open = one.outcome.kind === "running" || one.outcome.kind === "unknown";
  const built = one.enforced ?? ENFORCED;
  const confined = refused || built.tier !== "none";
  return {
    ...one,
    enforced: refused ? null : built,
    waived: confined ? null : { by: "user", reason: "a device" },
    profileDigest: one.profileDigest ?? "a".repeat(64),
    boundDigest: one.boundDigest ?? "b".repeat(64),
    denials: { ...one.denials, looked: true },
    endedAt: open ? null : one.startedAt,
    durationMs: open ? null : (one.durationMs ?? 0),
  };
}

const ENFORCED = {
  tier: "namespaces",
  backend: "b",
  network: "none",
  unixSockets: "none",
  limits: [],
  launchFiles: [],
};

const STRAYS: readonly unknown[] = [
  ...[null, undefined, "", "x", 0, -1, 0.5, Number.NaN, 2 ** 60, true, [], {}, [null]],
  ...[{ kind: "add" }, "2026-01-01T00:00:00Z", "exited", new Date(0)],
];

/** Every object and list in a value, itself included. */
function* insides(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return;
  yield value as Record<string, unknown>;
  for (const one of Object.values(value)) yield* insides(one);
}

/** The value with each of its members changed in turn, or taken away, and with one more everywhere. */
function* spoilt<T>(value: T): Generator<T> {
  for (const inside of insides(value)) {
    for (const [name, kept] of Object.entries(inside)) {
      yield* withStrays(value, inside, name);
      inside[name] = kept;
    }
    if (Array.isArray(inside)) continue;
    yield* withStrays(value, inside, "extra");
    delete inside.extra;
  }
}

function* withStrays<T>(value: T, inside: Record<string, unknown>, name: string): Generator<T> {
  for (const stray of STRAYS) {
    inside[name] = stray;
    yield value;
  }
  if (Array.isArray(inside)) return;
  delete inside[name];
  yield value;
}

function accepts(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

const bySchema = (value: unknown) => Receipt.safeParse(value).success;
const byWriter = (value: unknown) => accepts(() => checkReceipt(value));

describe("checkReceipt", () => {
  it("accepts whatever is in order, as the schema does", () => {
    fc.assert(
      fc.property(sound, (value) => {
        expect(Receipt.parse(value)).toEqual(value);
        expect(checkReceipt(value)).toBe(value);
      }),
      campaign(3000),
    );
  });

  it.each(["ids", "intent"])("refuses in %s a member that readers lose", (name) => {
    const [sample] = fc.sample(sound, 1);
    const forbidden: unknown = JSON.parse(`{"${FORBIDDEN}":"x"}`);
    expect(byWriter({ ...sample, [name]: { a: "x" } })).toBe(true);
    expect(byWriter({ ...sample, [name]: forbidden })).toBe(false);
  });

  it("refuses deep in an intent a member that readers lose", () => {
    const [sample] = fc.sample(sound, 1);
    const intent: unknown = JSON.parse(`{"a":[{"b":{"${FORBIDDEN}":null}}]}`);
    expect(byWriter({ ...sample, intent })).toBe(false);
  });

  it("judges members that contradict each other as the schema does", () => {
    fc.assert(
      fc.property(loose, (value) => byWriter(value) === bySchema(value)),
      campaign(3000),
    );
  });

  it.each(KINDS)("accepts of %s nothing that the schema refuses or JSON changes", (kind) => {
    fc.assert(
      fc.property(soundOf(kind), (value) => {
        for (const wrong of spoilt(structuredClone(value))) {
          if (!byWriter(wrong)) continue;
          expect(bySchema(wrong)).toBe(true);
          expect(JSON.parse(JSON.stringify(wrong))).toEqual(wrong);
        }
      }),
      { ...campaign(100), numRuns: rounds(100) / 5 },
    );
  });
});
