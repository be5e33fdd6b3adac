import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyEdits } from "../../../src/session/tools/edits/apply-edits.ts";
import { compactDiff } from "../../../src/session/tools/edits/compact-diff.ts";
import { findAtOnce } from "../../../src/session/tools/edits/passages.ts";
import { sessionLab } from "../support/session-lab.ts";

const edit = (oldText: string, newText: string) => ({ oldText, newText });
const apply = (text: string, ...edits: ReturnType<typeof edit>[]) => applyEdits(text, edits).text;

describe("edits", () => {
  it("replace what is there once, all of them against the text as it was", () => {
    expect(apply("one two three", edit("three", "one"), edit("one", "3"))).toBe("3 two one");
  });

  it("keep a byte order mark and the line ends of a file", () => {
    expect(apply("\uFEFFa\r\nb\r\nc\r\n", edit("a\nb", "A\nB\nB2"))).toBe(
      "\uFEFFA\r\nB\r\nB2\r\nc\r\n",
    );
    expect(apply("a\nb\r\nc\n", edit("b", "x\ny"))).toBe("a\nx\ny\r\nc\n");
    expect(apply("a\r\nb", edit("\n", ""))).toBe("ab");
    expect(apply("a\r\nb\rc", edit("b", "d"))).toBe("a\r\nd\rc");
  });

  it("take old text with the line ends of another system", () => {
    expect(apply("a\nb\n", edit("a\r\nb", "c\r\nd"))).toBe("c\nd\n");
  });

  it("put in characters that mean something to a replacement", () => {
    expect(apply("a", edit("a", "$& $1 $$"))).toBe("$& $1 $$");
  });

  it("find what the search of the language finds, looking at each character once", () => {
    const word = (most: number) => fc.string({ unit: fc.constantFrom("a", "b"), maxLength: most });
    fc.assert(
      fc.property(word(20), word(4), (text, start) => {
        const passage = `a${start}`;
        const first = text.indexOf(passage);
        const second = first < 0 ? -1 : text.indexOf(passage, first + 1);
        const places = [first, second].filter((place) => place >= 0);
        expect(findAtOnce(text, passage)).toEqual(places);
      }),
    );
  });

  it("are given up where to find them would hold up everything else", { timeout: 30_000 }, () => {
    const nearly = (sign: string) => `${"a".repeat(100)}${sign}${"a".repeat(1 << 18)}`;
    const text = `${"a".repeat(8 << 20)}c`;
    expect(() => apply(text, edit(nearly("b"), "x"))).toThrow("edit 1 matches nothing");
    expect(apply(`${text}${nearly("b")}`, edit(nearly("b"), "x"))).toBe(`${text}x`);
    const many = Array.from({ length: 20 }, (_, n) => edit(nearly(`b${n}`), "x"));
    const there = many.map(({ oldText }) => oldText).join("");
    expect(() => apply(`${text}${there}`, ...many)).toThrow(/edit \d+ takes too long to find/);
  });

  it.each([
    ["nothing", "abc", [edit("x", "y")], "edit 1 matches nothing"],
    ["two passages", "aa", [edit("a", "b")], "matches more than one"],
    ["passages that overlap each other", "aaa", [edit("aa", "b")], "matches more than one"],
    ["no text", "abc", [edit("", "x")], "has no old text"],
    ["another edit's", "abcd", [edit("abc", "x"), edit("cd", "y")], "two edits overlap"],
    ["the same twice", "abc", [edit("b", "x"), edit("b", "y")], "two edits overlap"],
    ["what they put in", "abc", [edit("b", "b")], "change nothing"],
  ])("refuse to match %s", (_, text, edits, problem) => {
    expect(() => applyEdits(text, edits)).toThrow(problem);
  });

  it("allow passages that touch", () => {
    expect(apply("abcd", edit("ab", "x"), edit("cd", "y"))).toBe("xy");
  });
});

/** What was quadratic took minutes, or all the memory there is. */
const PATIENCE_MS = 30_000;

describe("a text of very many lines", () => {
  it(
    "is edited and shown at a hundred places without being taken apart for each",
    () => {
      const lines = 2_000_000;
      const text = Array.from({ length: lines }, (_, line) => `${line};\n`).join("");
      const edits = Array.from({ length: 100 }, (_, index) =>
        edit(`\n${index * 20_000 + 1};\n`, "\nx\n"),
      );
      const { changes } = applyEdits(text, edits);
      expect(compactDiff(text, changes)).toContain("@@ -2 +2 @@\n 0;\n-1;\n+x\n 2;\n 3;\n@@");
    },
    PATIENCE_MS,
  );

  it(
    "may have a line end of two characters for each, more than an array can hold",
    () => {
      const text = `${"\r\n".repeat(120_000_000)}a\r\nb`;
      const { text: edited, changes } = applyEdits(text, [edit("a\nb", "c\nd")]);
      expect(edited.length).toBe(text.length);
      expect(edited.slice(-6)).toBe("\r\nc\r\nd");
      expect(compactDiff(text, changes)).toBe("@@ -120000001 +120000001 @@\n \n \n-a\n-b\n+c\n+d");
    },
    PATIENCE_MS,
  );
});

describe("the diff of edits", () => {
  const text = Array.from({ length: 20 }, (_, line) => `l${line + 1}\n`).join("");
  const diff = (...edits: ReturnType<typeof edit>[]) =>
    compactDiff(text, applyEdits(text, edits).changes);

  it("shows what went and what came with two lines around", () => {
    expect(diff(edit("l10\n", "new\nnewer\n"))).toBe(
      "@@ -10 +10 @@\n l8\n l9\n-l10\n+new\n+newer\n l11\n l12",
    );
  });

  it("numbers the lines of later places as they are afterwards", () => {
    expect(diff(edit("l3\n", "a\nb\n"), edit("l15", "c"))).toBe(
      "@@ -3 +3 @@\n l1\n l2\n-l3\n+a\n+b\n l4\n l5\n@@ -15 +16 @@\n l13\n l14\n-l15\n+c\n l16\n l17",
    );
  });

  it("shows near places as one", () => {
    expect(diff(edit("l5\n", "a\n"), edit("l7\n", "b\n"))).toBe(
      "@@ -5 +5 @@\n l3\n l4\n-l5\n-l6\n-l7\n+a\n+l6\n+b\n l8\n l9",
    );
  });

  it("shows a line end that went", () => {
    expect(diff(edit("l20\n", "l20"))).toContain("-l20\n+l20");
    expect(diff(edit("l1\nl2", "l1 l2"))).toBe("@@ -1 +1 @@\n-l1\n-l2\n+l1 l2\n l3\n l4");
  });

  it("is short, however much changed", () => {
    const long = "x\n".repeat(1000);
    const { changes } = applyEdits(`${long}end`, [edit(`${long}end`, "y".repeat(1000))]);
    const shown = compactDiff(`${long}end`, changes).split("\n");
    expect(shown).toHaveLength(201);
    expect(shown.at(-1)).toBe("[803 lines of the diff left out]");
    expect(Math.max(...shown.map(({ length }) => length))).toBeLessThan(310);
  });
});

describe("editFile", () => {
  function lab(content: string | Buffer) {
    const made = sessionLab();
    made.provider.onCreate = ({ files }) => files.set("a", Buffer.from(content));
    return made;
  }

  it("reads, edits and writes in one sandbox, and shows the change", async () => {
    const { tool, provider } = lab("\uFEFFone\r\ntwo\r\n");
    const { value } = await tool("editFile", { path: "a", edits: [edit("two", "2")] });
    const diff = "@@ -2 +2 @@\n \uFEFFone\n-two\n+2";
    expect(value).toEqual({ path: "a", edits: 1, diff, receiptId: null });
    expect(provider.at(1).files.get("a")?.toString()).toBe("\uFEFFone\r\n2\r\n");
    expect(provider.at(1).probes).toBe(1);
  });

  it("loses no edit of calls that come at once, and goes on behind one that fails", async () => {
    const { tool, provider } = lab("one two three");
    const call = (from: string, to: string) =>
      tool("editFile", { path: "a", edits: [edit(from, to)] });
    const calls = [call("one", "1"), call("none", "0"), call("two", "2"), call("three", "3")];
    const ends = await Promise.allSettled(calls);
    expect(ends.map(({ status }) => status)).toEqual([
      ...["fulfilled", "rejected", "fulfilled", "fulfilled"],
    ]);
    expect(provider.at(1).files.get("a")?.toString()).toBe("1 2 3");
  });

  it("is given up at once while it waits for another, and what follows still waits for that", async () => {
    const { tool, provider } = lab("one two three");
    const read = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const call = (from: string, to: string, signal?: AbortSignal) =>
      tool("editFile", { path: "a", edits: [edit(from, to)] }, signal);
    const { onCreate } = provider;
    provider.onCreate = (sandbox) => {
      onCreate(sandbox);
      const readFile = sandbox.readFileToBuffer.bind(sandbox);
      sandbox.readFileToBuffer = async (path, under) => {
        const content = await readFile(path, under);
        read.resolve();
        await gate.promise;
        return content;
      };
    };
    const giveUp = new AbortController();
    const first = call("one", "1");
    const second = call("two", "2", giveUp.signal);
    const third = call("three", "3");
    await read.promise;
    giveUp.abort();
    await expect(second).rejects.toMatchObject({ code: "aborted" });
    gate.resolve();
    await Promise.all([first, third]);
    expect(provider.at(1).files.get("a")?.toString()).toBe("1 two 3");
  });

  it("writes nothing where one edit does not match", async () => {
    const { tool, provider } = lab("one two");
    const edits = [edit("one", "1"), edit("three", "3")];
    await expect(tool("editFile", { path: "a", edits })).rejects.toThrow("edit 2 matches nothing");
    expect(provider.at(1).files.get("a")?.toString()).toBe("one two");
  });

  it("leaves a file alone that is no text", async () => {
    const bytes = Buffer.from([0x61, 0xff]);
    const { tool, provider } = lab(bytes);
    const call = tool("editFile", { path: "a", edits: [edit("a", "b")] });
    await expect(call).rejects.toMatchObject({ code: "invalidInput" });
    expect(provider.at(1).files.get("a")).toEqual(bytes);
  });
});
