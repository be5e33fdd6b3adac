import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const USER = path.join(import.meta.dirname, "support", "hold-again-and-again.ts");
const run = promisify(execFile);

describe("placeholders in a folder of all users", () => {
  it("stay while any of them needs one, however their starts and ends meet", async () => {
    const base = temporaryFolder();
    const folder = path.join(base, "tmp");
    mkdirSync(folder);
    chmodSync(folder, 0o1777);
    const names = ["writ-1", "writ-2", "writ-3"];
    const lost = async (name: string, times: number) => {
      const args = [USER, path.join(base, name), folder, String(times)];
      return (await run(process.execPath, args)).stdout;
    };
    expect(await Promise.all(names.map((name) => lost(name, 300)))).toEqual(["0", "0", "0"]);
    // What one made and another still needed then, its maker removes with its next start.
    for (const name of names) expect(await lost(name, 1)).toBe("0");
    expect(readdirSync(folder)).toEqual([]);
  });
});
