/** What a crash leaves on a real host is in `test/os/red-team/kernel/kernel-files.test.ts`. */
import { describe, expect, it } from "vitest";
import { coreDumpsUnder } from "../../../src/sandbox/limits/core-dumps.ts";

const limits = (soft: string) =>
  [
    "Limit                     Soft Limit           Hard Limit           Units     ",
    "Max stack size            8388608              unlimited            bytes     ",
    `Max core file size        ${soft.padEnd(20)} unlimited            bytes     `,
    "Max resident set          unlimited            unlimited            bytes     ",
  ].join("\n");

describe("coreDumpsUnder", () => {
  it.each([
    ["none", "a file that nothing fits in", "core", "0"],
    ["none", "a file elsewhere", "/var/crash/%p", "0"],
    ["none", "a file whose name has a bar", "a|b", "0"],
    ["none", "a socket, from which nothing keeps the kernel", "@/run/core", "0"],
    ["possible", "a program, under any limit", "|/usr/lib/reporter %P", "0"],
    ["possible", "a file of any size", "core", "unlimited"],
    ["possible", "a file of some size", "core", "1024"],
  ])("is %s for %s", (answer, _, pattern, soft) => {
    expect(coreDumpsUnder(pattern, limits(soft))).toBe(answer);
  });

  it("is possible where the host does not tell", () => {
    expect(coreDumpsUnder(undefined, limits("0"))).toBe("possible");
    expect(coreDumpsUnder("core", undefined)).toBe("possible");
    expect(coreDumpsUnder("core", "")).toBe("possible");
  });
});
