import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import type { Placeholder } from "../../../src/sandbox/launch-plan.ts";
import { holdPlaceholders } from "../../../src/sandbox/placeholders/hold-placeholders.ts";
import { identityOf } from "../../../src/sandbox/placeholders/process-identity.ts";
import { bundledProgram } from "../../support/bundled-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const user = bundledProgram(path.join(import.meta.dirname, "support/hold-again-and-again.ts"));
const run = promisify(execFile);

describe("placeholders in a folder of all users", () => {
  it("stay while any of them needs one, however their starts and ends meet", async () => {
    const base = temporaryFolder();
    const folder = path.join(base, "tmp");
    mkdirSync(folder);
    chmodSync(folder, 0o1777);
    const names = ["writ-1", "writ-2", "writ-3"];
    const lost = async (name: string, times: number) => {
      const args = [user(), path.join(base, name), folder, String(times)];
      return (await run(process.execPath, args)).stdout;
    };
    expect(await Promise.all(names.map((name) => lost(name, 150)))).toEqual(["0", "0", "0"]);
    // What one made and another still needed then, its maker removes with its next start.
    for (const name of names) expect(await lost(name, 1)).toBe("0");
    expect(readdirSync(folder)).toEqual([]);
  });

  /** A folder of all users, and a record in which another says that it leaves one of its placeholders. */
  function leavingAt(leaving: number) {
    return recorded((placeholder) => [{ ...placeholder, leaving, users: [] }]);
  }

  /** A folder of all users, and what another has on record. */
  function recorded(recordOf: (placeholder: Placeholder) => readonly object[]) {
    const base = temporaryFolder();
    const [folder, theirs] = [path.join(base, "tmp"), path.join(base, "writ-1")];
    for (const one of [folder, theirs]) mkdirSync(one);
    chmodSync(folder, 0o1777);
    const place = parseAbsolutePath(path.join(folder, ".git"));
    const placeholder: Placeholder = { path: place, kind: "folder" };
    writeFileSync(path.join(theirs, "held-1.json"), JSON.stringify(recordOf(placeholder)));
    const hold = () =>
      holdPlaceholders([placeholder], parseAbsolutePath(path.join(base, "writ-2")));
    return { place, hold, theirs };
  }

  it.each([
    ["from now on", 200],
    ["since long ago", -10_000],
  ])("are held though another says that it leaves, %s", (_, fromNow) => {
    const { place, hold } = leavingAt(Date.now() + fromNow);
    const held = hold();
    expect(existsSync(place)).toBe(true);
    held.release();
    expect(existsSync(place)).toBe(false);
  });

  it.each([
    ["stay", "more on record than is read of it", 6000],
    ["go", "nothing of that on record", 6],
  ])("%s where another has %s", (goes, _, many) => {
    const { place, hold } = recorded(({ kind }) =>
      Array.from({ length: many }, (_, index) => {
        const path = `/tmp/${"n".repeat(200)}${index}`;
        return { path, kind, users: [] };
      }),
    );
    hold().release();
    expect(existsSync(place)).toBe(goes === "stay");
  });

  it("stay, and nobody waits, where another has many records: no more is read of all than of one", () => {
    const { place, hold, theirs } = recorded(() => []);
    const long = JSON.stringify(
      Array.from({ length: 4000 }, (_, index) => {
        return { path: `/tmp/${"n".repeat(200)}${index}`, kind: "folder", users: [] };
      }),
    );
    const read = vi.spyOn(JSON, "parse");
    for (let index = 3; index < 40; index += 1) {
      mkdirSync(`${theirs}${index}`);
      writeFileSync(path.join(`${theirs}${index}`, "held-1.json"), long);
    }
    hold().release();
    expect(read.mock.calls.filter(([text]) => text === long).length).toBeLessThan(10);
    expect(existsSync(place)).toBe(true);
  });

  it("keep nobody waiting where another has a thousand records that cannot be read", () => {
    const { place, hold, theirs } = recorded(() => []);
    for (let index = 2; index < 1000; index += 1) {
      writeFileSync(path.join(theirs, `held-${index}.json`), "[1");
    }
    const read = vi.spyOn(JSON, "parse");
    hold().release();
    expect(read.mock.calls.filter(([text]) => text === "[1").length).toBeLessThan(50);
    expect(existsSync(place)).toBe(false);
  });

  it.each([
    ["a few", 3],
    ["thousands of", 6000],
  ])("stay where another needs them and has %s files beside the record", (_, many) => {
    const living = `${identityOf(process.pid)}-1`;
    const { place, hold, theirs } = recorded((placeholder) => [
      { ...placeholder, users: [living] },
    ]);
    for (let index = 0; index < many; index += 1) {
      writeFileSync(path.join(theirs, `run-${"n".repeat(20)}${index}`), "");
    }
    hold().release();
    expect(existsSync(place)).toBe(true);
  });

  it("are somebody's own, and stay, where they were made while one waited", async () => {
    const { place, hold } = leavingAt(Date.now() + 200);
    const making = run("/bin/sh", [
      "-c",
      'sleep 0.1; mkdir "$1" 2>/dev/null && echo made',
      "",
      place,
    ]);
    hold().release();
    const { stdout } = await making.catch(() => ({ stdout: "" }));
    expect(existsSync(place)).toBe(stdout === "made\n");
  });
});
