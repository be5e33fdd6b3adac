/** Ways to make a call that a filter which only compares numbers would miss. */
import { chmodSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { filterFor } from "../../../src/sandbox/linux/seccomp/filter-for.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { INT_80, writeProgram } from "../support/write-program.ts";
import { rawCalls } from "./raw-calls.ts";
import { callers, hostFilter, MARKS, runFiltered, withMarks } from "./run-filtered.ts";

const filter = hostFilter({ network: "on", unixSockets: "host" });
const SIGSYS = 31;

/** arm64 has neither of the two. */
const x64Callers = process.arch === "x64" ? callers : [];

describe.each(x64Callers)("other ABIs of x64, for %s", (caller) => {
  it("a 32-bit call kills the process", () => {
    const program = writeProgram(openFolder(), INT_80);
    // A kernel without 32-bit calls ends the program by itself.
    const { status: unfiltered } = runFiltered({ caller, command: [program] });
    const killed = unfiltered === 0 ? 128 + SIGSYS : unfiltered;
    expect(runFiltered({ caller, filter, command: [program] }).status).toBe(killed);
    expect(killed).not.toBe(0);
  });

  it("an x32 call looks absent", () => {
    const calls = [
      { name: "getpid", nr: 0x4000_0000 + 39, args: [] },
      { name: "ptrace", nr: 0x4000_0000 + 521, args: [-1] },
      { name: "ptraceWithoutBit", nr: 521, args: [-1] },
      { name: "minusOne", nr: -1, args: [] },
    ];
    const answers = rawCalls(calls, { caller, filter: withMarks(filter) });
    expect(new Set(Object.values(answers))).toEqual(new Set([MARKS.ENOSYS]));
  });
});

describe.each(callers)("a filter for another machine, for %s", (caller) => {
  it("is taken by the kernel and lets nothing run", () => {
    const arch = process.arch === "x64" ? "arm64" : "x64";
    const wrong = filterFor({ arch, network: "on", unixSockets: "host" });
    const run = runFiltered({ caller, filter: wrong, command: ["echo", "ran"] });
    expect(run).toEqual({ status: 128 + SIGSYS, stdout: "", stderr: "" });
  });
});

describe.each(callers)("the upper half of a register, for %s", (caller) => {
  it("hides neither a terminal control nor a family", () => {
    const number = (x64: number, arm64: number) => (process.arch === "x64" ? x64 : arm64);
    const upper = 1n << 40n;
    const calls = [
      { name: "TIOCSTI", nr: number(16, 29), args: [-1, upper | 0x5412n, 0] },
      { name: "AF_VSOCK", nr: number(41, 198), args: [upper | 40n, 1, 0] },
      { name: "CLONE_NEWUSER", nr: number(56, 220), args: [upper | 0x1000_0011n, -1] },
    ];
    const answers = rawCalls(calls, { caller, filter: withMarks(filter) });
    const refused = Object.fromEntries(calls.map(({ name }) => [name, MARKS.EPERM]));
    expect(answers).toEqual(refused);
  });
});

function openFolder(): string {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  return folder;
}
