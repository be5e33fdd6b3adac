import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { campaign } from "../../../support/campaign.ts";
import { disassemble } from "./disassemble.ts";
import { runFilter } from "./run-filter.ts";

const bytes = (...instructions: string[]) =>
  new Uint8Array(Buffer.from(instructions.join(""), "hex"));
const ALLOW = "060000000000ff7f";

describe("disassemble", () => {
  it("names every instruction and answer", () => {
    const program = bytes(
      "2000000010000000",
      "54000000ff000000",
      "1500010001000000",
      "3500000102000000",
      "4500010204000000",
      "0500000001000000",
      "0600000000000080",
      "0600000026000500",
      "0600000007000500",
      "060000000000fc7f",
      ALLOW,
    );
    expect(disassemble(program)).toBe(`\
0: load [16]
1: and 0xff
2: if == 0x1 goto 4
3: unless >= 0x2 goto 5
4: if & 0x4 goto 6 else 7
5: goto 7
6: return 0x80000000 (kill)
7: return 0x50026 (ENOSYS)
8: return 0x50007 (errno 7)
9: return 0x7ffc0000 (unknown)
10: return 0x7fff0000 (allow)
`);
  });

  it.each([
    ["nothing", bytes()],
    ["half an instruction", bytes(ALLOW, "06000000")],
    ["an unknown code", bytes("0700000000000000", ALLOW)],
    ["an end that is no return", bytes("2000000000000000")],
    ["a comparison that jumps past the end", bytes("1500010000000000", ALLOW)],
    ["a jump past the end", bytes("0500000001000000", ALLOW)],
    ["a load behind the structure", bytes("2000000040000000", ALLOW)],
    ["a return with jumps", bytes("060001000000ff7f", ALLOW)],
    ["4097 instructions", bytes(ALLOW.repeat(4097))],
  ])("refuses %s", (_, program) => {
    expect(() => disassemble(program)).toThrow("Cannot read the filter");
    expect(() => runFilter(program, { arch: 0, nr: 0, args: [] })).toThrow("Cannot read");
  });

  it("reads any bytes or refuses them, and what it reads can be run", () => {
    const code = fc.constantFrom(0x20, 0x54, 0x05, 0x15, 0x35, 0x45, 0x06, 0x06, 0x07);
    const instruction = fc
      .tuple(code, fc.nat(2), fc.nat(2), fc.nat(12))
      .map(([operation, ifTrue, ifFalse, value]) => [
        operation,
        0,
        ifTrue,
        ifFalse,
        value,
        0,
        0,
        0,
      ]);
    const program = fc
      .array(instruction, { maxLength: 9 })
      .map((all) => new Uint8Array(all.flat()));
    const check = fc.property(program, fc.nat(3), (some, nr) => {
      let text: string;
      try {
        text = disassemble(some);
      } catch (error) {
        expect(String(error)).toContain("Cannot read the filter");
        return;
      }
      expect(text.trimEnd().split("\n")).toHaveLength(some.length / 8);
      expect(runFilter(some, { arch: 1, nr, args: [2] })).toBeTypeOf("number");
    });
    fc.assert(check, campaign(5000));
  });
});
