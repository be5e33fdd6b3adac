import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import { holdPlaceholders } from "../../../src/sandbox/placeholders/hold-placeholders.ts";
import { identityOf } from "../../../src/sandbox/placeholders/process-identity.ts";
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
    expect(await Promise.all(names.map((name) => lost(name, 150)))).toEqual(["0", "0", "0"]);
    // What one made and another still needed then, its maker removes with its next start.
    for (const name of names) expect(await lost(name, 1)).toBe("0");
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ["lives", identityOf(process.pid)],
    ["is over", "1-1-1-1"],
  ])("are held though another, who %s, says for good that it leaves", (_, leaving) => {
    const base = temporaryFolder();
    const [folder, theirs] = [path.join(base, "tmp"), path.join(base, "writ-1")];
    for (const one of [folder, theirs]) mkdirSync(one);
    chmodSync(folder, 0o1777);
    const place = path.join(folder, ".git");
    const record = { path: place, kind: "folder", leaving, users: [] };
    writeFileSync(path.join(theirs, "held-1.json"), JSON.stringify([record]));
    const placeholder = { path: parseAbsolutePath(place), kind: "folder" as const };
    const held = holdPlaceholders([placeholder], parseAbsolutePath(path.join(base, "writ-2")));
    expect(readdirSync(folder)).toEqual([".git"]);
    held.release();
    expect(readdirSync(folder)).toEqual([]);
  });
});
