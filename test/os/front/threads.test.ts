/** The front door in a thread of a process that does something else. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";

it("a thread that has run commands takes no file of its process with it", () => {
  const base = mkdtempSync(path.join("/var/tmp", "writ-front-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  mkdirSync(path.join(base, "ws"));
  const program = path.join(import.meta.dirname, "support/open-in-thread.ts");
  const words = [program, path.join(base, "ws"), path.join(base, "home")];
  const { stdout } = spawnSync(process.execPath, words, { encoding: "utf8" });
  expect(stdout).toBe(`${"out\nerr\n".repeat(8)}lost 0\n`);
});
