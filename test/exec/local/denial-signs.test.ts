import { describe, expect, it } from "vitest";
import { DenialSigns } from "../../../src/exec/local/denial-signs.ts";

function judge(text: string, exitCode: number): boolean {
  const signs = new DenialSigns();
  for (const part of text.match(/.{1,7}/gs) ?? []) signs.see(Buffer.from(part));
  return signs.judge(exitCode);
}

describe("DenialSigns", () => {
  it.each([
    ["a read-only place", "touch: Read-only file system", 1, true],
    ["a sign that came in pieces and in capitals", "OPERATION NOT PERMITTED", 1, true],
    ["a sign although it succeeded", "Permission denied", 0, false],
    ["86 a plain failure", "no", 7, false],
    ["a program that is not there", "not found", 127, false],
    ["a sign with the code of a missing program", "permission denied", 126, true],
    ["a call that the filter killed", "", 159, true],
  ])("judges %s", (_, text, code, denied) => {
    expect(judge(text, code)).toBe(denied);
  });

  it("judges the end of long output only", () => {
    const signs = new DenialSigns();
    signs.see(Buffer.from("permission denied"));
    for (let index = 0; index < 40; index += 1) signs.see(Buffer.alloc(1 << 16, "x"));
    expect(signs.judge(1)).toBe(false);
    signs.see(Buffer.from("landlock"));
    expect(signs.judge(1)).toBe(true);
  });

  it("takes no longer for what comes in small pieces", { timeout: 60_000 }, () => {
    const signs = new DenialSigns();
    signs.see(Buffer.from("permission denied"));
    for (let index = 0; index < 1_200_000; index += 1) signs.see(Buffer.from("x"));
    expect(signs.judge(1)).toBe(false);
    for (const byte of Buffer.from("landlock")) signs.see(Buffer.of(byte));
    expect(signs.judge(1)).toBe(true);
  });
});
