import { describe, expect, it } from "vitest";
import { signalTarget } from "../../../../src/sandbox/run/signals/signal-target.ts";
import { PROGRAM, waitingShell } from "./support/waiting-shell.ts";

const REACHES = ["group", "command"] as const;

describe("signalTarget", () => {
  it("is the command alone, or the group that the first process has made", async () => {
    const { shell, program } = await waitingShell(PROGRAM);
    const at = { command: program, first: shell };
    expect(REACHES.map((reach) => signalTarget(at, reach))).toEqual([-shell, program]);
  });

  it("is the group that the command has made for itself", async () => {
    const { shell, program } = await waitingShell(`setsid ${PROGRAM}`);
    expect(signalTarget({ command: program, first: shell }, "group")).toBe(-program);
  });

  it("is the command alone while that is in the session of whoever started it", async () => {
    const { shell, program } = await waitingShell(PROGRAM, "shared");
    expect(signalTarget({ command: program, first: shell }, "group")).toBe(program);
  });

  it.each(REACHES)("is nobody where the number is another one's by now: the %s", async (reach) => {
    const { program } = await waitingShell(`setsid ${PROGRAM}`);
    expect(signalTarget({ command: program, first: process.pid }, reach)).toBeUndefined();
  });

  it.each(REACHES)("is nobody where the command is gone: the %s", (reach) => {
    expect(signalTarget({ command: 2 ** 30, first: process.pid }, reach)).toBeUndefined();
  });
});
