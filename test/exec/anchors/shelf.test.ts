import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { Shelf } from "../../../src/exec/anchors/shelf.ts";
import type { ShelfChange } from "../../../src/exec/index.ts";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

function place() {
  const folder = temporaryFolder();
  const shelf = new Shelf(parseAbsolutePath(folder));
  const change = (more: Partial<ShelfChange>) =>
    shelf.change({ isEmptied: false, remove: [], write: [], ...more });
  const write = (...paths: string[]) =>
    change({
      write: paths.map((one) => ({ path: one, content: bytes(one), isExecutable: false })),
    });
  return { folder, change, write, at: (name: string) => path.join(folder, name) };
}

const bytes = (text: string) => new TextEncoder().encode(text);

describe("a shelf", () => {
  it("holds what was put there, and whether it may be run", async () => {
    const { change, at, write } = place();
    await write("a/b/c");
    await change({ write: [{ path: "x", content: bytes("#!"), isExecutable: true }] });
    expect(readFileSync(at("a/b/c"), "utf8")).toBe("a/b/c");
    expect([at("a/b/c"), at("x")].map((one) => statSync(one).mode & 0o777)).toEqual([0o400, 0o500]);
  });

  it("replaces a file, a file by a folder and a folder by a file", async () => {
    const { change, write, at } = place();
    await write("a", "b/c");
    await change({ remove: ["a", "b/c"] });
    await write("a/c", "b");
    await write("b");
    expect([readFileSync(at("a/c"), "utf8"), readFileSync(at("b"), "utf8")]).toEqual(["a/c", "b"]);
  });

  it("leaves no empty folder and nothing of its own behind", async () => {
    const { folder, change, write } = place();
    await write("a/b/c", "a/d");
    await change({ remove: ["a/b/c", "none/at/all"] });
    expect(readdirSync(folder, { recursive: true })).toEqual(["a", "a/d"]);
    await change({ isEmptied: true });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("does one change after the other", async () => {
    const { write, change, at } = place();
    await Promise.all([write("a"), change({ remove: ["a"] }), write("a")]);
    expect(existsSync(at("a"))).toBe(true);
  });

  it.each(["", "/etc/passwd", "../x", "a/../../x", "a//b", "./a", "a/", "a\0b", "x/".repeat(20)])(
    "refuses %j, and nothing of the change is done",
    async (bad) => {
      const { folder, write, change } = place();
      await expect(write("good", bad)).rejects.toMatchObject({ code: "invalidRequest" });
      await expect(change({ remove: [bad] })).rejects.toMatchObject({ code: "invalidRequest" });
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it("refuses more files than there is room for, before any is written", async () => {
    const { folder, write } = place();
    const many = Array.from({ length: 20_001 }, (_, at) => `f${at}`);
    await expect(write(...many)).rejects.toThrow("expected at most 20000 files");
    expect(readdirSync(folder)).toEqual([]);
  });
});
