import { describe, expect, it } from "vitest";
import { assemble, type Step } from "../../../../src/sandbox/linux/seccomp/assemble.ts";
import { runFilter } from "./run-filter.ts";

const NOTHING = { arch: 0, nr: 0, args: [] };
const YES = 1;
const NO = 0;

/** Whether the loaded word at `offset` equals `value`. */
const finds = (offset: number, value: number): Step[] => [
  { load: offset },
  { equals: value, goto: "yes" },
  { ret: NO },
  { label: "yes" },
  { ret: YES },
];

describe("runFilter", () => {
  it.each([
    ["the number", 0, 41, { ...NOTHING, nr: 41 }],
    ["a negative number", 0, 0xffff_ffff, { ...NOTHING, nr: -1 }],
    ["a number with bit 31", 0, 0x8000_0000, { ...NOTHING, nr: 0x8000_0000 }],
    ["the architecture", 4, 0xc000_003e, { ...NOTHING, arch: 0xc000_003e }],
    ["no instruction pointer", 8, 0, NOTHING],
    ["the low half of an argument", 24, 5, { ...NOTHING, args: [0, 0xf_0000_0005n] }],
    ["the high half of an argument", 28, 15, { ...NOTHING, args: [0, 0xf_0000_0005n] }],
    ["a negative argument, extended", 60, 0xffff_ffff, { ...NOTHING, args: [0, 0, 0, 0, 0, -2] }],
    ["zero for an argument that is left out", 16, 0, NOTHING],
  ])("loads %s", (_, offset, value, call) => {
    expect(runFilter(assemble(finds(offset, value)), call)).toBe(YES);
  });

  it.each([
    [{ equals: 6, goto: "yes" }, 6, YES],
    [{ equals: 6, goto: "yes" }, 7, NO],
    [{ atLeast: 6, goto: "yes" }, 5, NO],
    [{ atLeast: 6, goto: "yes" }, 6, YES],
    [{ atLeast: 6, goto: "yes" }, 0xffff_ffff, YES],
    [{ anyBit: 6, goto: "yes" }, 9, NO],
    [{ anyBit: 6, goto: "yes" }, 12, YES],
    [{ anyBit: 0x8000_0000, goto: "yes" }, 0x8000_0000, YES],
  ])("decides %o for %i as %i", (test, nr, answer) => {
    const steps = [{ load: 0 }, test, { ret: NO }, { label: "yes" }, { ret: YES }];
    expect(runFilter(assemble(steps), { ...NOTHING, nr })).toBe(answer);
  });

  it("keeps masked words unsigned", () => {
    const [load, ...rest] = finds(0, 0x8000_0000);
    const steps = [load as Step, { and: 0xf000_0000 }, ...rest];
    expect(runFilter(assemble(steps), { ...NOTHING, nr: 0x8765_4321 })).toBe(YES);
  });
});
