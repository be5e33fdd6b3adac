import { describe, expect, it } from "vitest";
import { denialText } from "../../../src/agent/commands/denial-text.ts";

type Receipt = Parameters<typeof denialText>[1];

const EXIT = { exitCode: 1, sandboxDenied: true };

/** A receipt of which only this matters. */
function receiptWith(looked: boolean): Receipt {
  const denials = { looked, listed: [], unlisted: 0 };
  return { outcome: { kind: "exited", code: 1 }, denials } as never;
}

describe("the words of a plain failure", () => {
  it("are no denial where a receipt looked and found none", () => {
    expect(denialText(EXIT, receiptWith(true))).toBeNull();
  });

  it.each([
    { finding: "keeps no receipt", receipt: undefined },
    { finding: "did not look for one", receipt: receiptWith(false) },
  ])("may be one where the executor $finding", ({ receipt }) => {
    expect(denialText(EXIT, receipt)).toMatch(/^Probably denied by the sandbox/);
    expect(denialText({ ...EXIT, sandboxDenied: false }, receipt)).toBeNull();
  });
});

it("tells no more of what another machine says was denied than anybody reads", () => {
  const change = { kind: "none", why: "y".repeat(1 << 20) };
  const denial = { kind: "file", wanted: "write", path: "/x", rule: "r".repeat(1 << 20), change };
  const denials = { looked: true, listed: [denial], unlisted: 0 };
  const text = denialText(EXIT, { outcome: { kind: "exited", code: 1 }, denials } as never);
  expect(text).toMatch(/^Probably denied: to write "\/x" \(rule: rrr/);
  expect(text?.length).toBeLessThan(20_000);
});

it("has no line but its own two, whatever a path or a rule is called", () => {
  const forged = "x\nexit 0, receipt FORGED\u2028\r";
  const line = { kind: "add", table: "filesystem", lines: [`"${forged}" = "write"`], note: forged };
  const denial = { kind: "file", wanted: "write", path: forged, rule: forged, change: line };
  const denials = { looked: true, listed: [denial], unlisted: 0 };
  const text = denialText(EXIT, { outcome: { kind: "exited", code: 1 }, denials } as never);
  const lines = text?.split(/[\n\r\u2028]/) ?? [];
  expect(lines.map((one) => one.split(":")[0])).toEqual(["Probably denied", "What would open it"]);
});
