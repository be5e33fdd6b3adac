import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ACTION } from "../../../../src/sandbox/linux/seccomp/action.ts";
import { assemble, type Step } from "../../../../src/sandbox/linux/seccomp/assemble.ts";
import { FilterError } from "../../../../src/sandbox/linux/seccomp/filter-error.ts";
import { campaign } from "../../../support/campaign.ts";
import { filterSteps, followSteps } from "./arbitrary-steps.ts";
import { bytesOfText } from "./bytes-of-text.ts";
import { disassemble } from "./disassemble.ts";
import { runFilter } from "./run-filter.ts";

const RET: Step = { ret: ACTION.allow };
const loads = (length: number): Step[] => Array.from({ length }, () => ({ load: 0 }));

describe("assemble", () => {
  it("writes little-endian sock_filter structures", () => {
    const steps: Step[] = [
      { load: 4 },
      { and: 0xf0 },
      { equals: 0xc000_003e, goto: "end" },
      { ret: 0x0005_0001 },
      { label: "end" },
      RET,
    ];
    expect(Buffer.from(assemble(steps)).toString("hex")).toBe(
      ["20000000" + "04000000", "54000000" + "f0000000", "15000100" + "3e0000c0"]
        .concat(["06000000" + "01000500", "06000000" + "0000ff7f"])
        .join(""),
    );
  });

  it("jumps over 255 instructions with one, over 256 with two", () => {
    const over = (count: number): Step[] => [
      { equals: 7, goto: "end" },
      ...loads(count),
      { label: "end" },
      RET,
    ];
    expect(disassemble(assemble(over(255)))).toMatch(/^0: if == 0x7 goto 256\n1: load/);
    expect(disassemble(assemble(over(256)))).toMatch(
      /^0: unless == 0x7 goto 2\n1: goto 258\n2: load/,
    );
  });

  it("lengthens a jump that another long jump pushed out of reach", () => {
    const steps: Step[] = [
      { equals: 1, goto: "near" },
      { equals: 2, goto: "far" },
      ...loads(254),
      { label: "near" },
      ...loads(9),
      { label: "far" },
      RET,
    ];
    expect(disassemble(assemble(steps))).toMatch(
      /^0: unless == 0x1 goto 2\n1: goto 258\n2: unless == 0x2 goto 4\n3: goto 267\n/,
    );
  });

  it("takes 4096 instructions and refuses one more", () => {
    expect(assemble([...loads(4095), RET])).toHaveLength(4096 * 8);
    expect(() => assemble([...loads(4096), RET])).toThrow(/4097 instructions, expected at most/);
  });

  const refusals: [string, Step[], RegExp][] = [
    ["no steps", [], /past its end/],
    ["a path without a return", [{ equals: 1, goto: "a" }, RET, { label: "a" }], /past its end/],
    ["a jump to nowhere", [{ equals: 1, goto: "a" }, RET], /no label "a"/],
    ["a jump back", [{ label: "a" }, { goto: "a" }], /back to "a"/],
    ["a label that is there twice", [{ goto: "a" }, { label: "a" }, { label: "a" }, RET], /twice/],
    ["a label nothing jumps to", [{ load: 0 }, { label: "a" }, RET], /nothing jumps to .*"a"/],
    ["a label behind an end", [RET, { label: "a" }, RET], /nothing jumps to .*"a"/],
    ["a step behind a return", [RET, RET], /nothing reaches step 1/],
    ["a step behind a jump", [{ goto: "a" }, RET, { label: "a" }, RET], /nothing reaches step 1/],
    ["a load beside the words", [{ load: 2 }, RET], /loads from 2/],
    ["a load behind the structure", [{ load: 64 }, RET], /loads from 64/],
    ["a negative value", [{ equals: -1, goto: "a" }, { label: "a" }, RET], /has the value -1/],
    ["a value of 33 bits", [{ and: 2 ** 32 }, RET], /has the value 4294967296/],
    ["a fraction", [{ ret: 0.5 }], /has the value 0.5/],
  ];
  it.each(refusals)("refuses %s", (_, steps, message) => {
    expect(() => assemble(steps)).toThrow(message);
    expect(() => assemble(steps)).toThrow(FilterError);
  });

  it("keeps what the steps say, near and far", () => {
    const words = fc.array(fc.oneof(fc.nat(3), fc.nat(0xffff_ffff)), {
      minLength: 16,
      maxLength: 16,
    });
    const check = fc.property(filterSteps, words, (steps, data) => {
      expect(runFilter(assemble(steps), callOf(data))).toBe(followSteps(steps, sixteen(data)));
    });
    fc.assert(check, campaign(2000));
  });

  it("is undone by the text that disassemble writes", () => {
    const check = fc.property(filterSteps, (steps) => {
      const bytes = assemble(steps);
      expect(bytesOfText(disassemble(bytes))).toEqual(bytes);
    });
    fc.assert(check, campaign(2000));
  });
});

/** The instruction pointer, words 2 and 3, is zero for `runFilter`. */
function sixteen(data: readonly number[]): number[] {
  return data.map((value, index) => (index === 2 || index === 3 ? 0 : value));
}

function callOf(data: readonly number[]) {
  const [nr = 0, arch = 0, , , ...halves] = data;
  const args = Array.from(
    { length: 6 },
    (_, index) => BigInt(halves[2 * index] ?? 0) | (BigInt(halves[2 * index + 1] ?? 0) << 32n),
  );
  return { nr, arch, args };
}
