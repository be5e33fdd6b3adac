import path from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./support/repository.ts";
import { runProgram } from "./support/run-program.ts";

const explain = `"${path.join(ROOT, "bin/writ")}" explain --sandbox read-only /`;

describe("bin/writ in a pipe", () => {
  it("is quiet when its reader has left", () => {
    const { stderr } = runProgram("/bin/sh", ["-c", `${explain} | head -c 0`]);
    expect(stderr).toBe("");
  });

  it("says so when its output has no room", () => {
    const { stderr, status } = runProgram("/bin/sh", ["-c", `${explain} > /dev/full`]);
    expect(stderr).toMatch(/^writ: Cannot write the output: .*\n$/);
    expect(status).toBe(1);
  });
});
