import { describe, expect, it } from "vitest";
import { statusLine } from "../../../../src/mcp/repl/output/status-line.ts";

describe("statusLine", () => {
  it.each([
    [{ kind: "idle" } as const, "<<repl status: idle>>"],
    [{ kind: "waiting" } as const, "<<repl status: waiting for input>>"],
    [
      { kind: "busy", elapsedMs: 599.9 } as const,
      "<<repl status: busy, write_stdin timeout reached; elapsed_ms=500>>",
    ],
  ])("%j is %s", (status, line) => {
    expect(statusLine(status)).toBe(line);
  });
});
