import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planDescriptors } from "../../../src/sandbox/native/plan-descriptors.ts";

/** What the child has open when all steps are done, by the source it came from. */
function carriedOut(sources: readonly (number | undefined)[]): Map<number, number> {
  let open = new Map(sources.filter((one) => one !== undefined).map((one) => [one, one]));
  for (const step of planDescriptors(sources)) {
    if ("closeFrom" in step) open = new Map([...open].filter(([fd]) => fd < step.closeFrom));
    else open.set(step.to, open.get(step.from) ?? Number.NaN);
  }
  // A source that was not copied closes when the program starts.
  return new Map([...open].filter(([fd]) => sources[fd] !== undefined));
}

describe("planDescriptors", () => {
  it("gives each place its source, whatever their numbers are, and leaves nothing else open", () => {
    const sources = fc.array(fc.option(fc.nat(40), { nil: undefined }), { maxLength: 30 });
    fc.assert(
      fc.property(sources, (wanted) => {
        const places = wanted.flatMap((source, place) =>
          source === undefined ? [] : [[place, source] as const],
        );
        expect(carriedOut(wanted)).toEqual(new Map(places));
      }),
    );
  });

  it("swaps two descriptors", () => {
    expect(carriedOut([1, 0])).toEqual(
      new Map([
        [0, 1],
        [1, 0],
      ]),
    );
  });
});
