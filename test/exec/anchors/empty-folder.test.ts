import fs from "node:fs";
import realFs from "node:fs/promises";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { emptyFolder } from "../../../src/exec/anchors/empty-folder.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("emptyFolder", () => {
  it("removes folders that nobody may enter, and follows no link", async () => {
    const base = temporaryFolder({ "in/a/b/c/f": "", "in/g": "", "out/kept": "" });
    fs.symlinkSync(path.join(base, "out"), path.join(base, "in/a/link"));
    fs.chmodSync(path.join(base, "in/a/b"), 0);
    await emptyFolder(path.join(base, "in"));
    expect(fs.readdirSync(path.join(base, "in"))).toEqual([]);
    expect(fs.readdirSync(path.join(base, "out"))).toEqual(["kept"]);
  });

  it("needs no room for names on a disk that is full, and makes room before it moves anything", async () => {
    const base = temporaryFolder({
      "in/0/filler": "x",
      "in/0/z/f": "x",
      "in/1/y/x/f": "x",
      "in/f": "x",
    });
    const moved: string[] = [];
    const rename = vi.spyOn(realFs, "rename").mockImplementation(async (from) => {
      moved.push(`${path.basename(String(from))} with f ${fs.existsSync(path.join(base, "in/f"))}`);
      throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
    });
    try {
      await emptyFolder(path.join(base, "in"));
    } finally {
      rename.mockRestore();
    }
    expect(moved.toSorted()).toEqual(["0 with f false", "1 with f false"]);
    expect(fs.readdirSync(path.join(base, "in"))).toEqual([]);
  });

  it("says what cannot be removed", async () => {
    const base = temporaryFolder({ "in/a/f": "" });
    const rename = vi
      .spyOn(realFs, "rename")
      .mockRejectedValue(Object.assign(new Error("not permitted"), { code: "EPERM" }));
    await expect(emptyFolder(path.join(base, "in"))).rejects.toThrow("not permitted");
    rename.mockRestore();
  });
});
