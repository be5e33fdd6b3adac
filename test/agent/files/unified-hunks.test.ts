import { describe, expect, it } from "vitest";
import { effectsOf, updateOf } from "../../../src/agent/files/planned-file.ts";
import { unifiedHunks } from "../../../src/agent/files/unified-diff.ts";

describe("what is shown of a change", () => {
  it("is the file where it comes or goes, and hunks where it changes", () => {
    const [none, some] = [null, Buffer.from("a\nb\n")];
    const file = { path: "/f", movePath: null };
    expect(updateOf({ ...file, before: none, after: "x\n" })).toEqual({
      ...{ path: "/f", kind: { type: "add" }, diff: "x\n" },
    });
    expect(updateOf({ ...file, before: some, after: null })).toEqual({
      ...{ path: "/f", kind: { type: "delete" }, diff: "a\nb\n" },
    });
    expect(updateOf({ ...file, before: some, after: "a\nB\n" })).toEqual({
      path: "/f",
      kind: { type: "update", movePath: null },
      diff: "@@ -1,2 +1,2 @@\n a\n-b\n+B\n",
    });
  });

  it("is done by writing what stays and removing what does not", () => {
    const before = Buffer.from("x");
    const files = [
      { path: "/a", movePath: "/b", before, after: "y" },
      { path: "/c", movePath: null, before, after: null },
      { path: "/d", movePath: null, before, after: "z" },
    ];
    expect(effectsOf(files)).toEqual({
      write: [
        { path: "/b", content: Buffer.from("y"), modeOf: "/a" },
        { path: "/d", content: Buffer.from("z") },
      ],
      remove: ["/a", "/c"],
    });
  });

  it("is one hunk where more changes than anybody reads", () => {
    const lines = (sign: string) =>
      Array.from({ length: 3000 }, (_, n) => `${sign}${n}\n`).join("");
    const hunks = unifiedHunks(`same\n${lines("a")}end\n`, `same\n${lines("b")}end\n`);
    expect(hunks.match(/^@@.*$/gm)).toEqual(["@@ -1,3002 +1,3002 @@"]);
    expect(hunks.match(/^[+-]/gm)).toHaveLength(6000);
  });

  it("is a hunk for each place where a long text changes, soon", { timeout: 15_000 }, () => {
    const lines = Array.from({ length: 1_000_000 }, (_, n) => `${n}\n`);
    const changed = lines.map((line, n) => (n % 2500 === 7 ? `-${line}` : line));
    const hunks = unifiedHunks(lines.join(""), changed.join("")).match(/^@@.*$/gm);
    expect(hunks).toHaveLength(400);
    expect(hunks?.at(-1)).toBe("@@ -997505,7 +997505,7 @@");
  });

  it("is one hunk, soon, where lines are too much alike to tell which of them went", () => {
    const lines = Array.from({ length: 400_000 }, (_, n) => `${n % 7}\n`);
    const changed = lines.map((line, n) => (n % 1000 === 3 ? `-${line}` : line));
    const hunks = unifiedHunks(lines.join(""), changed.join("")).match(/^@@.*$/gm);
    expect(hunks).toEqual(["@@ -1,399007 +1,399007 @@"]);
  });

  it("is one hunk, soon, where there are millions of lines", { timeout: 15_000 }, () => {
    const lines = "a\n".repeat(4 << 20);
    const hunks = unifiedHunks(`${lines}end`, `x\n${lines}y\nend`);
    expect(hunks.slice(0, 42)).toMatch(/^@@ -1,4194305 \+1,4194307 @@\n-a\n-a\n/);
    expect(hunks.endsWith("+a\n+y\n end\n\\ No newline at end of file\n")).toBe(true);
    expect(hunks.match(/^\+x$/gm)).toHaveLength(1);
  });

  it("is one hunk, soon, where long lines are nearly alike", { timeout: 15_000 }, () => {
    const lines = (from: number) =>
      Array.from({ length: 500 }, (_, n) => `${"x".repeat(8192)}${from + n}\n`).join("");
    const hunks = unifiedHunks(`${lines(0)}end\n`, `${lines(1000)}end\n`);
    expect(hunks.match(/^@@.*$/gm)).toEqual(["@@ -1,501 +1,501 @@"]);
  });

  it("keeps its numbers where both texts begin and end alike", () => {
    const [head, tail] = ["1\n2\n3\n4\n5\n", "7\n8\n9\n10\n11"];
    expect(unifiedHunks(`${head}6\n${tail}`, `${head}six\n${tail}`)).toBe(
      "@@ -3,7 +3,7 @@\n 3\n 4\n 5\n-6\n+six\n 7\n 8\n 9\n",
    );
    expect(unifiedHunks(head, `\n${head}`)).toBe("@@ -1,3 +1,4 @@\n+\n 1\n 2\n 3\n");
    expect(unifiedHunks("", "a")).toBe("@@ -0,0 +1,1 @@\n+a\n\\ No newline at end of file\n");
  });

  it("has three lines below the last change, whichever of many alike that is", () => {
    const text = (first: string, alike: number) => `${first}\n${"same\n".repeat(alike)}end\n`;
    const place = "@@ -1,5 +1,4 @@\n-one\n-same\n+two\n same\n same\n same\n";
    expect(unifiedHunks(text("one", 6), text("two", 5))).toBe(place);
  });
});
