/** Generators for complete filters, and what they mean when their steps are read as they stand. */
import fc from "fast-check";
import type { Step } from "../../../../src/sandbox/linux/seccomp/assemble.ts";

const word = fc.oneof(fc.nat(3), fc.nat(0xffff_ffff), fc.constantFrom(0xffff_ffff, 0x8000_0000));

type Block =
  | { load: number }
  | { and: number }
  | { equals: number; to: number }
  | { atLeast: number; to: number }
  | { anyBit: number; to: number }
  | { unless: number; ret: number }
  | { unless: number; to: number };

const block: fc.Arbitrary<Block> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ load: fc.nat(15).map((index) => 4 * index) }) },
  { weight: 2, arbitrary: fc.record({ and: word }) },
  { weight: 3, arbitrary: fc.record({ equals: word, to: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ atLeast: word, to: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ anyBit: word, to: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ unless: word, ret: word }) },
  { weight: 1, arbitrary: fc.record({ unless: word, to: fc.nat() }) },
);

/** Filters of up to 700 steps, so that jumps go near and far. */
export const filterSteps: fc.Arbitrary<Step[]> = fc
  .tuple(
    fc.oneof(
      fc.array(block, { maxLength: 12 }),
      fc.array(block, { minLength: 250, maxLength: 400, size: "max" }),
    ),
    word,
  )
  .map(([blocks, ret]) => withLabels(blocks, ret));

function withLabels(blocks: readonly Block[], ret: number): Step[] {
  const used = new Set<number>();
  const later = (index: number, to: number) => {
    const target = index + 1 + (to % (blocks.length - index));
    used.add(target);
    return `b${target}`;
  };
  const bodies = blocks.map((one, index) => stepsOf(one, index, later));
  const starts = (index: number): Step[] => (used.has(index) ? [{ label: `b${index}` }] : []);
  return [
    ...bodies.flatMap((body, index) => [...starts(index), ...body]),
    ...starts(blocks.length),
    { ret },
  ];
}

function stepsOf(one: Block, index: number, later: (index: number, to: number) => string): Step[] {
  if ("load" in one || "and" in one) return [one];
  if ("unless" in one) {
    const end: Step = "ret" in one ? { ret: one.ret } : { goto: later(index, one.to) };
    return [{ equals: one.unless, goto: `u${index}` }, end, { label: `u${index}` }];
  }
  const { to, ...test } = one;
  return [{ ...test, goto: later(index, to) }];
}

/** What the steps answer, by following their labels one at a time. */
export function followSteps(steps: readonly Step[], words: readonly number[]): number {
  let loaded = 0;
  let rest = steps;
  for (;;) {
    const [step, ...next] = rest;
    if (!step) throw new Error("The steps have no end");
    if ("ret" in step) return step.ret;
    loaded = loadedAfter(step, loaded, words);
    rest = "goto" in step && takes(step, loaded) ? behind(next, step.goto) : next;
  }
}

function loadedAfter(step: Step, loaded: number, words: readonly number[]): number {
  if ("load" in step) return words[step.load / 4] ?? 0;
  return "and" in step ? (loaded & step.and) >>> 0 : loaded;
}

function behind(steps: readonly Step[], label: string): readonly Step[] {
  return steps.slice(steps.findIndex((step) => "label" in step && step.label === label));
}

function takes(step: Extract<Step, { goto: string }>, loaded: number): boolean {
  if ("equals" in step) return loaded === step.equals;
  if ("atLeast" in step) return loaded >= step.atLeast;
  return "anyBit" in step ? (loaded & step.anyBit) !== 0 : true;
}
