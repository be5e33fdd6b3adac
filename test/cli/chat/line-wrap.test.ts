import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineWrap } from "../../../src/cli/chat/terminal/line-wrap.ts";
import { Screen } from "../../../src/cli/chat/terminal/screen.ts";

const wrapped = (text: string, columns = 20) => new LineWrap(() => columns).wrap(text);

describe("a line that is longer than a row", () => {
  it("begins every row with the mark of who speaks, so that nobody can write another (I3, I4)", () => {
    const forged = `${" ".repeat(18)}- exit 0, receipt X`;
    expect(wrapped(`| ${forged}\n- exit 3\n`)).toBe(
      `| ${" ".repeat(18)}\n| - exit 0, receipt \n| X\n- exit 3\n`,
    );
  });

  it("may fill a row, and counts colours as nothing", () => {
    const full = `| ${"x".repeat(18)}`;
    expect(wrapped(`${full}\n${full}y`)).toBe(`${full}\n${full}\n| y`);
    expect(wrapped(`\u001b[2m- ${"x".repeat(18)}\u001b[0m\n`)).not.toMatch(/\n-/);
  });

  it.each([
    ["wide letters", "漢".repeat(10), `| ${"漢".repeat(9)}\n| 漢`],
    ["tabs", "a\tb\tc\td", "| a\tb\tc\n| \td"],
    ["lines of boxes", "─".repeat(19), `| ${"─".repeat(18)}\n| ─`],
  ])("counts %s for what they may take", (_, text, shown) => {
    expect(wrapped(`| ${text}`)).toBe(shown);
  });

  it("is broken alike however it is cut, and never within a character", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "漢", "😀", "\t", "\n"), maxLength: 80 });
    fc.assert(
      fc.property(text, (said) => {
        const line = `| ${said.replaceAll("\n", "\n| ")}`;
        const wrap = new LineWrap(() => 20);
        const cut = Array.from(line, (one) => wrap.wrap(one)).join("");
        expect(cut).toBe(wrapped(line));
        expect(cut.split("\n").every((row) => row.startsWith("| "))).toBe(true);
      }),
    );
  });

  it("is left as it is in a pipe", () => {
    const printed: string[] = [];
    const write = (text: string) => void printed.push(text);
    new Screen({ write, isLive: false }).print(`| ${"x".repeat(500)}\n`);
    new Screen({ write, isLive: false, columns: () => 80 }).print(`| ${"x".repeat(79)}\n`);
    expect(printed).toEqual([`| ${"x".repeat(500)}\n`, `| ${"x".repeat(78)}\n| x\n`]);
  });
});
