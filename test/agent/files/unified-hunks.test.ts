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
});
