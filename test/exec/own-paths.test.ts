import { existsSync } from "node:fs";
import { expect, it, onTestFinished, vi } from "vitest";
import { ownPathsOf } from "../../src/exec/own-paths.ts";

it("protects the folder of what is kept before anybody has made it", () => {
  // A user of whom nothing is there.
  const uid = 1_000_000_000 + process.pid;
  const spy = vi.spyOn(process, "getuid").mockReturnValue(uid);
  onTestFinished(() => spy.mockRestore());
  const kept = `/var/tmp/writ-${uid}-kept`;
  expect(existsSync(kept)).toBe(false);
  expect(ownPathsOf("/home/user/.writ", []).readOnly).toContain(kept);
});
