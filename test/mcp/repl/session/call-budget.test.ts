import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CallBudget } from "../../../../src/mcp/repl/session/call-budget.ts";
import { controlInput } from "../../../../src/mcp/repl/session/control-input.ts";

describe("a CallBudget", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const { signal } = new AbortController();

  it.each([
    [undefined, { all: 60_000, most: 58_000, start: 63_000 }],
    [0, { all: 0, most: 0, start: 1_000 }],
    [1_999, { all: 1_999, most: 1_999, start: 2_999 }],
    [2_000, { all: 2_000, most: 1_800, start: 3_000 }],
    [10_000, { all: 10_000, most: 9_500, start: 11_000 }],
  ])("of %s ms keeps a little back for the reply, and adds some for a start", (total, shares) => {
    const budget = new CallBudget(total, signal);
    const all = { all: budget.all(), most: budget.most(), start: budget.start() };
    expect(all).toEqual(shares);
  });

  it("is one for all that a call does", () => {
    const budget = new CallBudget(1_000, signal);
    vi.advanceTimersByTime(700);
    expect([budget.elapsed(), budget.all(), budget.most()]).toEqual([700, 300, 300]);
  });
});

describe("controlInput", () => {
  it.each([
    ["", [], ""],
    ["1+1", [], "1+1"],
    ["\u0003", ["interrupt"], ""],
    ["\u0004\nx", ["restart"], "\nx"],
    ["\u0003\u0004x", ["interrupt", "restart"], "x"],
    [" \u0003", [], " \u0003"],
  ])("reads %j", (input, controls, text) => {
    expect(controlInput(input)).toEqual({ controls, text });
  });
});
